"""`tonnelle`: the window, or with `chat`, `doctor`, `evaluate` the engine's command line.

How the window starts:
1. The arguments are read and a display is looked for; nothing heavy is imported for that. Without a display the chat
   runs in the terminal instead.
2. Qt is imported, the application made, and whatever goes wrong from now on is logged and shown.
3. The engine's process is started; it imports torch by itself, on another core, while the window is built.
4. Settings and chats are read, the window is built and shown, and the last chat opened.
5. The engine is told to load the model: the one named, else the one used last, else the starter. The command waits
   in the pipe until the engine is up.
6. Qt's loop runs. When it ends, what is said is kept and the engine ended.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.bridge.command_line import run_engine_command
from app.paths import paths
from app.settings.environment import has_display
from engine import __version__
from engine.spec.starter import find_starter

COMMANDS = ("chat", "doctor", "evaluate")
QUESTION = "What is the capital of France? Answer in one sentence."


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments and arguments[0] in COMMANDS:
        return run_engine_command(arguments)
    options = _parser().parse_args(arguments)
    if not has_display():
        return run_engine_command(_terminal_command(options.model, interactive=sys.stdin.isatty()))
    return _run_window(options.data, options.model)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "tonnelle",
        description="Run large language models on this machine, in a window.",
        epilog=f"Without a window: tonnelle {{{','.join(COMMANDS)}}} --help",
    )
    parser.add_argument("--model", type=Path, help="load this model folder or .gguf file")
    parser.add_argument("--data", type=Path, help="keep chats, settings and logs in this folder")
    parser.add_argument("--version", action="version", version=f"Tonnelle {__version__}")
    return parser


def _terminal_command(model: Path | None, interactive: bool) -> list[str]:
    """The same chat without a window; where nobody can type, one question."""
    sys.stderr.write("There is no display to open a window on, so the chat runs in this terminal.\n")
    source = model or find_starter()
    named = ["--model", str(source)] if source else []
    return ["chat", *named, *([] if interactive else ["--prompt", QUESTION, "--temperature", "0"])]


def _run_window(data: Path | None, model: Path | None) -> int:
    # Imports inside: the command line must not pay for Qt, nor load it.
    from PySide6.QtWidgets import QApplication

    from app.bridge.problems import Problems
    from app.quit_signals import QuitSignals
    from app.start import start

    app = QApplication(sys.argv[:1])
    app.setApplicationName("tonnelle")
    app.setApplicationDisplayName("Tonnelle")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("tonnelle")
    files = paths(data)
    problems, signals = Problems(), QuitSignals()
    problems.install(files.window_log)
    started = start(files, model)
    problems.raised.connect(started.controller.problem)
    try:
        return app.exec()
    finally:
        started.close()
        signals.remove()
        problems.remove()


if __name__ == "__main__":
    sys.exit(main())
