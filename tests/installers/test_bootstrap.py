"""bootstrap.py as a program, where it needs no environment."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from installers import bootstrap

INSTALLERS = Path(bootstrap.__file__).parent


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, str(INSTALLERS / "bootstrap.py"), *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [(), ("walk",), ("--python",)])
def test_a_wrong_call_is_told_the_right_one(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert result.returncode == 2
    assert "run|test|setup" in result.stdout


def test_help() -> None:
    result = call("--help")
    assert result.returncode == 0
    assert "python3 installers/bootstrap.py run" in result.stdout


def test_another_python_can_be_named() -> None:
    assert call("--python", sys.executable, "--help").returncode == 0


@pytest.mark.parametrize("version", [(3, 10), (3, 15)])
def test_a_python_out_of_range_looks_for_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: tuple[int, int]
) -> None:
    asked: list[str] = []

    def which(name: str) -> str | None:
        asked.append(name)
        return None

    monkeypatch.setattr(sys, "version_info", (*version, 0))
    monkeypatch.setattr("shutil.which", which)
    assert bootstrap.main(["run"]) == 1
    assert asked == ["python3.14", "python3.13", "python3.12", "python3.11"]
    assert f"3.{version[1]}" in capsys.readouterr().out


def test_a_python_in_range_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr("subprocess.call", lambda command: calls.append(command) or 7)
    assert bootstrap.main(["test", "-k", "x"]) == 7
    assert calls == [["/bin/python3.14", str(INSTALLERS / "bootstrap.py"), "test", "-k", "x"]]


def test_installers_use_the_standard_library_only() -> None:
    for file in INSTALLERS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.partition(".")[0] for name in names} <= {*sys.stdlib_module_names, "installers"}, file
