from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType
from pytestqt.qtbot import QtBot

import app
from app.bridge.problems import Problems, log_qt_message, problem_in_window
from engine.errors import NothingLoaded, Problem

ROOT = Path(app.__file__).parents[1]


def raised() -> ValueError:
    try:
        raise ValueError("a slip")
    except ValueError as error:
        return error


def test_an_unforeseen_error_tells_itself_and_keeps_its_traceback() -> None:
    problem = problem_in_window(raised())
    assert problem.kind == "ValueError" and "a slip" in problem.sentence and problem.remedy
    assert "in raised" in dict(problem.details)["traceback"]


def test_an_error_of_the_tree_tells_itself() -> None:
    assert problem_in_window(NothingLoaded()) == NothingLoaded().problem()


def test_what_nobody_caught_is_told_and_logged(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    problems = Problems()
    error = raised()
    with qtbot.waitSignal(problems.raised) as told:
        problems.hear(type(error), error, error.__traceback__)
    assert told.args[0].kind == "ValueError"
    assert "a slip" in caplog.text


def test_telling_that_fails_itself_ends(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    problems = Problems()
    heard: list[Problem] = []

    def show(problem: Problem) -> None:
        heard.append(problem)
        error = raised()
        problems.hear(type(error), error, error.__traceback__)  # as Qt does when a slot raises

    problems.raised.connect(show)
    error = raised()
    problems.hear(type(error), error, error.__traceback__)
    assert len(heard) == 1 and caplog.text.count("not caught") == 2


def test_qt_messages_are_logged_by_their_weight(caplog: pytest.LogCaptureFixture) -> None:
    log_qt_message(QtMsgType.QtWarningMsg, QMessageLogContext(), "odd size")
    assert ("qt", logging.WARNING, "odd size") in caplog.record_tuples


def test_installed_in_a_program(tmp_path: Path) -> None:
    """Errors of slots, of threads, and Qt's own messages, in a process of their own."""
    script = f"""
import sys, threading
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer, qWarning
from app.bridge.problems import Problems

app = QCoreApplication([])
problems = Problems()
problems.install(Path({str(tmp_path)!r}) / "logs" / "window.log")
told = []
problems.raised.connect(lambda problem: told.append(problem.kind))

def slot():
    qWarning("from Qt")
    threading.Thread(target=lambda: [].pop()).start()
    QTimer.singleShot(100, app.quit)
    {{}}["key"]

QTimer.singleShot(0, slot)
app.exec()
problems.remove()
print(sorted(told), sys.excepthook is sys.__excepthook__)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.stdout == "['IndexError', 'KeyError'] True\n", done.stderr
    log = (tmp_path / "logs" / "window.log").read_text()
    assert "WARNING qt: from Qt" in log and "KeyError" in log and "IndexError" in log
