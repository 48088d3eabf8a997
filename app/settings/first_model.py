"""Which model is loaded at start."""

from __future__ import annotations

import os.path
from pathlib import Path

from app.errors import LoadCrashed, NoStarter
from app.settings.store import Settings


def first_model(settings: Settings, named: Path | None, starter: Path | None) -> str:
    """The one named at start, else the one used last if it still exists, else the starter.

    Raises NoStarter, or LoadCrashed when the engine ended while it loaded that model and nobody has asked again.
    """
    if named:
        return os.path.abspath(named)
    last = settings.last_model
    source = last if last and Path(last).exists() else str(starter or "")
    if not source:
        raise NoStarter
    if settings.loading == source:
        raise LoadCrashed(source)
    return source
