from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from installers.steps import commands, stamp
from installers.steps import facts as machine
from installers.steps.environment import Environment
from installers.steps.problem import SetupProblem
from installers.steps.setup import Setup
from tests.installers.fake_runner import FakeRunner


class Executed(Exception):
    """Raised in place of becoming another program."""

    def __init__(self, program: str, call: list[str]) -> None:
        self.call = call


@pytest.fixture(autouse=True)
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def execute(program: str, call: list[str]) -> None:
        raise Executed(program, call)

    monkeypatch.setattr(machine, "driver", lambda: None)
    monkeypatch.setattr(os, "execv", execute)
    monkeypatch.setattr(os, "chdir", lambda folder: None)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture
def carried_out(monkeypatch: pytest.MonkeyPatch) -> list[Setup]:
    """The set-ups that were carried out."""
    done: list[Setup] = []

    def carry_out(self: Setup, free: int) -> None:
        self.environment.python.parent.mkdir(parents=True, exist_ok=True)
        self.environment.python.touch()
        done.append(self)

    monkeypatch.setattr(Setup, "carry_out", carry_out)
    return done


def test_a_second_time_nothing_is_done(tmp_path: Path, carried_out: list[Setup]) -> None:
    for _ in range(2):
        commands.finished(tmp_path, FakeRunner(tmp_path), tests=False, forgiving=True)
    assert len(carried_out) == 1


def test_tests_need_more_and_run_is_content_with_that(tmp_path: Path, carried_out: list[Setup]) -> None:
    for tests in (False, True, False, True):
        commands.finished(tmp_path, FakeRunner(tmp_path), tests=tests, forgiving=True)
    assert [setup.tests for setup in carried_out] == [False, True]


def test_another_driver_means_another_set_up(
    tmp_path: Path, carried_out: list[Setup], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.finished(tmp_path, FakeRunner(tmp_path), tests=False, forgiving=True)
    monkeypatch.setattr(machine, "driver", lambda: "580.65.06")
    commands.finished(tmp_path, FakeRunner(tmp_path), tests=False, forgiving=True)
    assert [setup.flavour.name for setup in carried_out] == ["cpu", "cu130"]


def test_an_interrupted_set_up_leaves_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Setup, free: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Setup, "carry_out", interrupted)
    assert commands.main(tmp_path, "run", []) == 130
    assert not (tmp_path / ".venv" / stamp.NAME).exists()


def test_a_problem_is_told_and_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(self: Setup, free: int) -> None:
        raise SetupProblem("torch could not be installed.", "Check the network.", "line 1\nline 2")

    monkeypatch.setattr(Setup, "carry_out", fails)
    assert commands.main(tmp_path, "test", []) == 1
    told = capsys.readouterr().out
    assert "torch could not be installed.\n    line 1\n    line 2\n" in told
    assert told.endswith("Check the network.\n")


def test_setup_ends_there(tmp_path: Path, carried_out: list[Setup]) -> None:
    assert commands.main(tmp_path, "setup", []) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there a child process takes the place of exec")
@pytest.mark.parametrize(
    ("command", "expected"),
    [("run", ["-P", "-m", "app", "--x", "1"]), ("test", ["-m", "pytest", "--x", "1"])],
)
def test_it_becomes_the_program_with_its_arguments(
    tmp_path: Path, carried_out: list[Setup], command: str, expected: list[str]
) -> None:
    with pytest.raises(Executed) as caught:
        commands.main(tmp_path, command, ["--x", "1"])
    assert caught.value.call == [str(tmp_path / ".venv/bin/python"), *expected]


def test_only_tests_are_strict_about_our_kernels(
    tmp_path: Path, carried_out: list[Setup], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "start", lambda environment, command, arguments: 0)
    for command in ("run", "test"):
        commands.main(tmp_path, command, [])
    assert [setup.forgiving for setup in carried_out] == [True, False]


def test_the_environment_is_beside_the_sources(tmp_path: Path, carried_out: list[Setup]) -> None:
    environment = commands.finished(tmp_path, FakeRunner(tmp_path), tests=False, forgiving=True)
    assert isinstance(environment, Environment)
    assert environment.folder == tmp_path / ".venv"
