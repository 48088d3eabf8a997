from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import app
from app import __main__ as program
from engine import __version__
from tests.app import fake_engine

ROOT = Path(app.__file__).parents[1]
STARTER = Path("/starter.gguf")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What is handed to the engine's command line, instead of running it."""
    handed: list[list[str]] = []

    def run(arguments: list[str]) -> int:
        handed.append(list(arguments))
        return 3

    monkeypatch.setattr(program, "run_engine_command", run)
    monkeypatch.setattr(program, "find_starter", lambda: STARTER)
    return handed


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path | None, Path | None]]:
    """Windows that would be opened: data folder and model."""
    opened: list[tuple[Path | None, Path | None]] = []

    def run(data: Path | None, model: Path | None) -> int:
        opened.append((data, model))
        return 0

    monkeypatch.setattr(program, "_run_window", run)
    return opened


@pytest.mark.parametrize("command", ["chat", "doctor", "evaluate"])
def test_commands_go_to_the_engine_as_they_are(command: str, commands: list[list[str]]) -> None:
    assert program.main([command, "--model", "x", "--json"]) == 3
    assert commands == [[command, "--model", "x", "--json"]]


def test_without_arguments_a_window_opens(
    windows: list[tuple[Path | None, Path | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "has_display", lambda: True)
    assert program.main([]) == 0
    assert program.main(["--model", "m.gguf", "--data", "d"]) == 0
    assert windows == [(None, None), (Path("d"), Path("m.gguf"))]


@pytest.mark.parametrize(
    ("tty", "arguments", "command"),
    [
        (True, [], ["chat", "--model", str(STARTER)]),
        (False, [], ["chat", "--model", str(STARTER), "--prompt", program.QUESTION, "--temperature", "0"]),
        (True, ["--model", "m.gguf"], ["chat", "--model", "m.gguf"]),
    ],
)
def test_without_a_display_the_chat_is_in_the_terminal(
    tty: bool,
    arguments: list[str],
    command: list[str],
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(program, "has_display", lambda: False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: tty)
    assert program.main(arguments) == 3
    assert commands == [command]
    assert "no display" in capsys.readouterr().err


def test_without_a_display_and_a_starter_the_engine_says_what_is_missing(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "has_display", lambda: False)
    monkeypatch.setattr(program, "find_starter", lambda: None)
    program.main([])
    assert "--model" not in commands[0]


def python(script: str, folder: Path) -> str:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_version_is_told_without_loading_qt(tmp_path: Path) -> None:
    told = python(
        "import sys\n"
        "from app.__main__ import main\n"
        "try:\n    main(['--version'])\n"
        "except SystemExit as end:\n"
        "    print(end.code, [name for name in sys.modules if name.startswith('PySide6')])\n",
        tmp_path,
    )
    assert told == f"Tonnelle {__version__}\n0 []\n"


def test_the_window_loads_no_torch(tmp_path: Path) -> None:
    """Neither when it is built, nor when an answer has been shown."""
    told = python(
        f"""
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
import app.__main__
from app.paths import paths
from app.start import start

application = QApplication([])
started = start(paths(Path(sys.argv[1])), Path("/models/tiny.gguf"), {fake_engine.command()!r})
started.controller.message_changed.connect(lambda message: application.quit())
started.controller.send("hello")
application.exec()
print(started.controller.messages[-1].content)
started.close()
print([name for name in ("torch", "kernels", "transformers", "tokenizers", "numpy") if name in sys.modules])
""",
        tmp_path,
    )
    assert told == "Hello, world.\n[]\n"
