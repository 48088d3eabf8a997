"""Where the window keeps its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True, slots=True)
class Paths:
    """Every file of the window, all in one folder."""

    data: Path

    @property
    def chats(self) -> Path:
        return self.data / "chats.db"

    @property
    def settings(self) -> Path:
        return self.data / "window.ini"

    @property
    def engine_log(self) -> Path:
        return self.data / "engine.log"

    @property
    def window_log(self) -> Path:
        return self.data / "window.log"


def paths(data: Path | None = None) -> Paths:
    """The files in `data`, or in the folder that this system gives to applications."""
    return Paths(data.expanduser().absolute() if data else platformdirs.user_data_path("tonnelle", appauthor=False))
