"""The window with everything behind it, put together in one place for the program, the benchmark and the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bridge.client import EngineClient
from app.bridge.process import ENGINE_COMMAND
from app.chat.controller import ChatController
from app.chat.store import ChatStore
from app.paths import Paths
from app.settings.store import Settings
from app.window import MainWindow
from engine.spec.starter import find_starter


@dataclass(frozen=True, slots=True)
class Started:
    """A window that is shown, its chat, and its engine, which is coming up or loading."""

    window: MainWindow
    controller: ChatController
    client: EngineClient

    def close(self) -> None:
        """Keep everything and end the engine. Takes two seconds at the very most."""
        self.window.close()
        self.controller.close()


def start(paths: Paths, model: Path | None = None, engine: Sequence[str] = ENGINE_COMMAND) -> Started:
    """Needs a QApplication. model: to load first, in place of the one used last."""
    settings = Settings(paths.settings)
    client = EngineClient(paths.engine_log, engine)
    client.start()
    controller = ChatController(client, ChatStore(paths.chats), settings)
    window = MainWindow(controller, settings)
    window.show()
    controller.start()
    controller.load_first(model, find_starter())
    return Started(window, controller, client)
