from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from installers.steps import stamp
from installers.steps.environment import Environment
from installers.steps.facts import Facts
from installers.steps.flavour import CPU, CU130, Flavour
from installers.steps.problem import SetupProblem
from installers.steps.runner import Result
from installers.steps.setup import Setup
from tests.installers.fake_runner import Answer, FakeRunner, install_torch
from tests.installers.machines import facts

PLENTY = 100 * 10**9


def carry_out(
    folder: Path,
    answer: Answer = lambda command: None,
    *,
    here: Facts | None = None,
    flavour: Flavour = CPU,
    cuda: str | None = None,
    tests: bool = False,
    forgiving: bool = True,
    free: int = PLENTY,
) -> FakeRunner:
    """A set-up on a machine where torch installs as `cuda`."""
    runner = FakeRunner(folder, answer)
    environment = Environment(folder, folder / ".venv", "linux", "x86_64", runner)
    site_packages = environment.folder / "lib/python3.11/site-packages"
    if not site_packages.exists():
        install_torch(site_packages, "2.13.0", cuda)
    Setup(environment, lambda: here or facts(), flavour, tests=tests, forgiving=forgiving).carry_out(free)
    return runner


def ours(runner: FakeRunner) -> list[str]:
    return [command for command in runner.commands if "--editable" in command]


def test_the_steps_in_order(tmp_path: Path) -> None:
    runner = carry_out(tmp_path)
    assert runner.steps == [
        "Python environment",
        "torch 2.13.0 (cpu)",
        "Tonnelle and its libraries",
        "starter model",
        "first look",
    ]


def test_extras_follow_what_is_wanted_and_what_torch_is(tmp_path: Path) -> None:
    assert ours(carry_out(tmp_path / "a"))[0].endswith("/a")
    assert ours(carry_out(tmp_path / "b", tests=True))[0].endswith("/b[test]")
    assert ours(carry_out(tmp_path / "c", flavour=CU130, cuda="13.0"))[0].endswith("/c[cuda]")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()


@pytest.mark.parametrize("lacks", [("compiler",), ("headers",), ("compiler", "headers")])
def test_without_a_compiler_or_headers_our_kernels_are_left_out(tmp_path: Path, lacks: tuple[str, ...]) -> None:
    runner = carry_out(tmp_path, here=facts(lacks=lacks))
    assert "wheel.cmake=false" in ours(runner)[0]
    assert "g++" in runner.told[1] or "python3.11-dev" in runner.told[1]


def test_kernels_that_do_not_build_stop_the_tests_but_not_a_person(tmp_path: Path) -> None:
    def answer(command: Sequence[str]) -> Result | None:
        builds = "--editable" in command and "wheel.cmake=false" not in command
        return Result(1, "CMake Error: no") if builds else None

    runner = carry_out(tmp_path / "a", answer)
    assert len(ours(runner)) == 2
    assert any("did not build" in sentence for sentence in runner.told)
    with pytest.raises(SetupProblem) as caught:
        carry_out(tmp_path / "b", answer, forgiving=False)
    assert "CMake Error" in caught.value.output


def test_what_was_broken_off_and_does_not_load_is_made_anew_once(tmp_path: Path) -> None:
    looks = iter([Result(1, "ImportError: file too short"), Result(0, "")])

    def answer(command: Sequence[str]) -> Result | None:
        return next(looks) if command[-1].startswith("import torch") else None

    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.touch()
    runner = carry_out(tmp_path, answer)
    assert sum("venv --clear" in command for command in runner.commands) == 1
    assert runner.steps.count("first look") == 2


def test_what_is_new_and_does_not_load_is_a_problem(tmp_path: Path) -> None:
    def answer(command: Sequence[str]) -> Result | None:
        return Result(1, "ImportError: libEGL.so.1") if command[-1].startswith("import torch") else None

    with pytest.raises(SetupProblem) as caught:
        carry_out(tmp_path, answer)
    assert caught.value.output == "ImportError: libEGL.so.1"


def test_the_old_stamp_is_gone_while_things_change(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    stamp.write(tmp_path / ".venv", "old", tests=True)

    def answer(command: Sequence[str]) -> Result | None:
        return Result(1, "no") if "--editable" in command else None

    with pytest.raises(SetupProblem):
        carry_out(tmp_path, answer)
    assert not stamp.is_valid(tmp_path / ".venv", "old", tests=False)


def test_a_full_disk_is_told_before_anything_is_done(tmp_path: Path) -> None:
    runner = FakeRunner(tmp_path)
    environment = Environment(tmp_path, tmp_path / ".venv", "linux", "x86_64", runner)
    with pytest.raises(SetupProblem, match=r"1\.5 GB free; about 3 GB"):
        Setup(environment, facts, CPU, tests=False, forgiving=True).carry_out(15 * 10**8)
    assert runner.commands == []


def test_a_resumed_set_up_does_not_need_the_room_again(tmp_path: Path) -> None:
    assert carry_out(tmp_path, free=10**9).steps


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".venv").write_text("a file in the way")
    environment = Environment(tmp_path, tmp_path / ".venv", "linux", "x86_64", FakeRunner(tmp_path))
    with pytest.raises(SetupProblem, match="cannot be written"):
        Setup(environment, facts, CPU, tests=False, forgiving=True).carry_out(PLENTY)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").chmod(0o500)
    with pytest.raises(SetupProblem, match="cannot be written"):
        carry_out(tmp_path / "a")
