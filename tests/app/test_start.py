from __future__ import annotations

from pathlib import Path

import psutil
from pytestqt.qtbot import QtBot

from app.paths import paths
from app.start import start
from tests.app import fake_engine


def test_it_shows_a_window_and_loads_the_model_that_was_named(qtbot: QtBot, tmp_path: Path) -> None:
    started = start(paths(tmp_path), Path("/models/tiny.gguf"), fake_engine.command())
    assert started.window.isVisible()
    assert started.controller.conversation is not None
    assert started.controller.state.phase == "loading"  # the engine is not even up yet
    qtbot.waitUntil(lambda: started.controller.state.phase == "ready", timeout=10_000)
    pid = started.client.process_id
    started.close()
    assert not started.window.isVisible() and not psutil.pid_exists(pid)
