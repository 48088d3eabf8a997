"""A person at the real window: with an engine that plays a script, and with the real one and the starter model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

import app
from app.bridge.process import ENGINE_COMMAND
from app.chat.records import Message
from app.paths import paths
from app.start import Started, start
from engine.spec.starter import find_starter
from tests.app import fake_engine

ROOT = Path(app.__file__).parents[1]
STARTER = find_starter()
PATIENCE_MS = 90_000  # the real engine imports torch and loads a model, perhaps beside other tests

with_starter = [
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
SCRIPTED = fake_engine.command(answers=[["word "] * 2000], token_s=0.01)


class Person:
    """Sees and touches widgets only; what is stored is looked at through the controller."""

    def __init__(self, qtbot: QtBot, folder: Path, model: Path | None, engine: Sequence[str]) -> None:
        self.qtbot = qtbot
        self.started: Started = start(paths(folder), model, engine)

    def find(self, name: str) -> QWidget:
        found = self.started.window.findChildren(QWidget, name)
        seen = [widget for widget in found if widget.isVisible()]
        assert seen, f"{name} is not to be seen"
        return seen[-1]

    def sees(self, name: str) -> bool:
        return any(widget.isVisible() for widget in self.started.window.findChildren(QWidget, name))

    def click(self, name: str) -> None:
        button = self.find(name)
        assert isinstance(button, QAbstractButton) and button.isEnabled()
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def ask(self, text: str) -> None:
        field = self.find("composerInput")
        self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)

    def shown(self) -> str:
        """The text of the newest answer on the screen."""
        row = self.started.window.chat_page.panel.view.rows[-1]
        return "\n".join(part.toPlainText() for part in row.findChildren(QTextBrowser) if part.isVisible())

    @property
    def last(self) -> Message:
        return self.started.controller.messages[-1]

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=PATIENCE_MS)

    def ask_for_much(self) -> None:
        """Ask, and return while the answer streams into the screen; a small model may be brief, so ask again."""
        for _ in range(6):
            self.ask("List one hundred animals, and write a long sentence about each of them.")
            assert self.last.role == "assistant" and self.last.state == "streaming"
            if self._streams():
                return
        pytest.fail("no answer was long enough to be stopped")

    def _streams(self) -> bool:
        """Until text is there and has grown on the screen twice; False if the answer ends before."""
        lengths = {len(self.shown())}

        def seen() -> bool:
            lengths.add(len(self.shown()))
            return len(lengths) > 3 or self.last.state != "streaming"

        self.wait(seen)
        return self.last.state == "streaming"


@pytest.fixture
def people(qtbot: QtBot) -> Iterator[Callable[..., Person]]:
    made: list[Person] = []

    def come(folder: Path, model: Path | None, engine: Sequence[str]) -> Person:
        made.append(Person(qtbot, folder, model, engine))
        return made[-1]

    yield come
    for person in made:
        person.started.close()


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
@pytest.mark.parametrize(
    ("model", "engine"),
    [
        pytest.param(Path("/models/tiny.gguf"), SCRIPTED, id="scripted"),
        pytest.param(STARTER, ENGINE_COMMAND, id="starter", marks=with_starter),
    ],
)
def test_a_chat_with_stop_kill_reload_continue_and_restart(
    people: Callable[..., Person], tmp_path: Path, model: Path, engine: Sequence[str]
) -> None:
    assert model, "the starter model is not installed: run installers/bootstrap.py test"
    person = people(tmp_path, model, engine)

    # A question typed while the model still loads is answered once it is there, and the text streams.
    person.ask_for_much()
    person.click("stopButton")
    stopped = person.last
    assert stopped.state == "stopped" and stopped.content.strip()
    person.wait(lambda: person.sees("sendButton"))

    # The engine is killed in mid-answer: the window lives, and the partial answer is kept.
    person.ask_for_much()
    pid = person.started.client.process_id
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    person.wait(lambda: person.sees("reloadButton"))
    broken = person.last
    assert broken.state == "failed" and "stopped unexpectedly" in broken.error
    assert broken.content.strip() and person.shown()

    # One click loads the model again and goes on from where the answer broke off.
    person.click("reloadButton")
    person.wait(lambda: len(person.last.content) > len(broken.content) + 10)
    assert person.last.id == broken.id and person.last.content.startswith(broken.content)
    assert not psutil.pid_exists(pid)
    if person.last.state == "streaming":
        person.click("stopButton")
    person.wait(lambda: person.started.controller.state.phase == "ready")
    before = person.started.controller.messages
    person.started.close()

    # The next start finds it all, and chatting goes on.
    again = people(tmp_path, model, engine)
    kept = again.started.controller.messages
    assert [(m.role, m.content, m.state) for m in kept] == [(m.role, m.content, m.state) for m in before]
    assert again.shown()
    again.wait(lambda: again.started.controller.state.phase == "ready")
    if kept[-1].state == "stopped":
        again.click("continueButton")
        again.wait(lambda: len(again.last.content) > len(before[-1].content))
    else:
        again.ask_for_much()


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
@pytest.mark.timeout(120)
def test_the_program_ends_in_order_and_leaves_no_process(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "app", "--data", str(tmp_path), "--model", str(tmp_path / "absent.gguf")]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE) as program:
        window = psutil.Process(program.pid)
        deadline = time.monotonic() + 60
        while not (tmp_path / "chats.db").exists() or not window.children():
            assert program.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        engines = window.children(recursive=True)
        time.sleep(0.5)
        program.send_signal(signal.SIGTERM)
        assert program.wait(30) == 0
        assert program.stderr and program.stderr.read() == b""
    assert [engine for engine in engines if engine.is_running()] == []


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a desktop")
def test_without_display_and_terminal_the_starter_answers_one_question(tmp_path: Path) -> None:
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in displays}
    done = subprocess.run(
        [sys.executable, "-m", "app", "--data", str(tmp_path)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert "no display" in done.stderr
    assert "Paris" in done.stdout and "tokens/s" in done.stdout
