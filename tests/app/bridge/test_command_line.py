"""In processes of their own: the command line takes over sys.argv, output and exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import app

ROOT = Path(app.__file__).parents[1]


def python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_the_engines_command_line_runs_with_its_exit_code_and_without_qt() -> None:
    done = python(
        "import sys\n"
        "from app.bridge.command_line import run_engine_command\n"
        "code = run_engine_command(['chat', '--help'])\n"
        "print(code, any(name.startswith('PySide6') for name in sys.modules), sys.argv)\n"
    )
    assert "usage: tonnelle chat" in done.stdout and done.stdout.endswith("0 False ['-c']\n")


def test_a_wrong_call_is_code_two() -> None:
    done = python(
        "from app.bridge.command_line import run_engine_command\n"
        "print(run_engine_command(['chat', '--no-such-option']))\n"
    )
    assert done.stdout == "2\n" and "--no-such-option" in done.stderr
