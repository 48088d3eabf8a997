from __future__ import annotations

import sys
from pathlib import Path

import pytest

from installers.steps.runner import Runner

PRINT = "import sys; [print(n) for n in range(30)]; sys.exit(3)"


def test_a_result_has_the_code_and_the_last_lines_and_the_log_has_all(tmp_path: Path) -> None:
    runner = Runner(tmp_path / "logs/setup.log")
    result = runner.run([sys.executable, "-c", PRINT])
    assert (result.code, result.ok) == (3, False)
    assert result.output.splitlines() == [str(n) for n in range(10, 30)]
    assert runner.last == result.output
    assert runner.log.read_text().splitlines()[-30:] == [str(n) for n in range(30)]


def test_errors_and_strange_bytes_are_in_the_output(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.buffer.write(b'caf\\xe9')"
    assert Runner(tmp_path / "log").run([sys.executable, "-c", code]).output == "caf�"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    result = Runner(tmp_path / "log").run([str(tmp_path / "none")])
    assert result.code == 127
    assert "none" in result.output


def test_commands_get_no_input_and_the_given_environment(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.stdin.read() + os.environ['TONNELLE_TEST'])"
    assert Runner(tmp_path / "log").run([sys.executable, "-c", code], {"TONNELLE_TEST": "yes"}).output == "yes"


def test_a_step_tells_its_start_and_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runner = Runner(tmp_path / "log")
    with runner.step("torch"):
        runner.tell("a notice")
    assert capsys.readouterr().out == "… torch\n  a notice\n✓ torch (0 s)\n"


def test_a_step_that_fails_is_not_said_to_be_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no"), Runner(tmp_path / "log").step("torch"):
        raise ValueError("no")
    assert capsys.readouterr().out == "… torch\n✗ torch\n"
