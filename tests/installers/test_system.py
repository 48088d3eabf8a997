from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from installers.steps import system
from installers.steps.facts import Facts
from installers.steps.problem import SetupProblem
from installers.steps.runner import Result
from tests.installers.fake_runner import FakeRunner
from tests.installers.machines import facts


def test_nothing_is_done_where_all_is_there(tmp_path: Path) -> None:
    runner = FakeRunner(tmp_path)
    system.prepare(lambda: facts(root=True), runner)
    assert (runner.commands, runner.told) == ([], [])


def test_root_installs_and_looks_again(tmp_path: Path) -> None:
    states = iter([facts(root=True, lacks=("libEGL.so.1",)), facts(root=True)])
    runner = FakeRunner(tmp_path)
    assert system.prepare(lambda: next(states), runner).present == facts().present
    assert runner.commands == ["apt-get update", "apt-get install -y --no-install-recommends libegl1"]
    assert runner.environments[1] == {"DEBIAN_FRONTEND": "noninteractive"}


def test_one_unknown_package_does_not_spoil_the_others(tmp_path: Path) -> None:
    installed: list[str] = []

    def answer(command: Sequence[str]) -> Result | None:
        if "fonts-wqy-microhei" in command:
            return Result(100, "E: Unable to locate package fonts-wqy-microhei")
        installed.extend(command[4:])
        return None

    def gather() -> Facts:
        return facts(root=True, lacks=("cjk",) if "libegl1" in installed else ("libEGL.so.1", "cjk"))

    runner = FakeRunner(tmp_path, answer)
    system.prepare(gather, runner)
    assert "fonts-wqy-microhei" in runner.told[0]


def test_others_are_told_the_one_command_and_it_goes_on_without(tmp_path: Path) -> None:
    runner = FakeRunner(tmp_path)
    system.prepare(lambda: facts(lacks=("libxcb-cursor.so.0", "compiler")), runner)
    assert runner.commands == []
    assert "sudo apt-get install -y --no-install-recommends libxcb-cursor0 g++" in runner.told[0]


@pytest.mark.parametrize(
    ("family", "command"),
    [
        ("debian", "sudo apt-get install -y --no-install-recommends python3.11-venv"),
        ("fedora", "sudo dnf install -y python3-pip"),
        ("arch", "sudo pacman -Sy --needed --noconfirm python"),
        ("", "Install it from the system's packages"),
    ],
)
def test_without_what_is_essential_it_stops_with_the_command(tmp_path: Path, family: str, command: str) -> None:
    with pytest.raises(SetupProblem) as caught:
        system.prepare(lambda: facts(family, lacks=("ensurepip",)), FakeRunner(tmp_path))
    assert "for the Python environment: ensurepip" in caught.value.sentence
    assert command in caught.value.remedy


def test_root_without_network_hears_what_the_package_manager_said(tmp_path: Path) -> None:
    runner = FakeRunner(tmp_path, lambda command: Result(100, "E: Failed to fetch"))
    with pytest.raises(SetupProblem) as caught:
        system.prepare(lambda: facts(root=True, lacks=("libGL.so.1",)), runner)
    assert caught.value.output == "E: Failed to fetch"


def test_windows_without_a_compiler_goes_on(tmp_path: Path) -> None:
    runner = FakeRunner(tmp_path)
    system.prepare(lambda: facts("windows", lacks=("compiler",)), runner)
    assert "winget install" in runner.told[0]


def test_an_old_c_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupProblem, match=r"2\.31"):
        system.prepare(lambda: facts(libc=(2, 31)), FakeRunner(tmp_path))
