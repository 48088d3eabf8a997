from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.client import EngineClient
from engine.messages import ChatMessage


def test_it_answers_until_it_is_stopped(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    client = EngineClient(tmp_path / "log", (sys.executable, "-m", "app.bridge.playback", "1000"))
    heard: list[str] = []
    client.token.connect(lambda id, text, tokens: heard.append(text))
    client.start()
    client.load("nothing")
    qtbot.waitUntil(lambda: client.state.phase == "ready", timeout=10_000)
    id = client.chat([ChatMessage("user", "hello")])
    qtbot.waitUntil(lambda: len("".join(heard)) > 200)
    with qtbot.waitSignal(client.finished) as finished:
        client.cancel(id)
    assert finished.args[0].reason == "cancelled"
    assert "".join(heard).startswith("## A pergola")
    client.close()
