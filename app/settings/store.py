"""The window's small memory: where it stood, what was loaded, which chat was open."""

from __future__ import annotations

import base64
import binascii
import json
from copy import copy
from pathlib import Path
from typing import Generic, TypeVar, cast, overload

from PySide6.QtCore import QSettings

T = TypeVar("T", bound=int | str | list[str])

MOST_RECENT = 10


class Option(Generic[T]):
    """One remembered value, kept as JSON; whatever cannot be read counts as its default."""

    def __init__(self, key: str, default: T) -> None:
        self._key = key
        self._default = default

    @overload
    def __get__(self, settings: None, owner: type[Settings]) -> Option[T]: ...
    @overload
    def __get__(self, settings: Settings, owner: type[Settings]) -> T: ...
    def __get__(self, settings: Settings | None, owner: type[Settings]) -> Option[T] | T:
        if settings is None:
            return self
        try:
            value = json.loads(str(settings.file.value(self._key, "")))
        except ValueError:
            return copy(self._default)
        return cast(T, value) if _alike(value, self._default) else copy(self._default)

    def __set__(self, settings: Settings, value: T) -> None:
        settings.file.setValue(self._key, json.dumps(value, ensure_ascii=False))


def _alike(value: object, default: object) -> bool:
    if isinstance(value, list) and isinstance(default, list):
        return all(isinstance(item, str) for item in value)
    return type(value) is type(default)


class Settings:
    """Typed values over an .ini file; written by Qt soon after a change, or at once by `save`."""

    sidebar_width = Option[int]("window/sidebar_width", 0)  # pixels; 0: not yet chosen
    zoom = Option[int]("window/zoom", 100)  # per cent
    last_model = Option[str]("model/last", "")
    recent_models = Option[list[str]]("model/recent", [])  # newest first
    loading = Option[str]("model/loading", "")  # set while a model loads: still set at start, the load did not end well
    last_chat = Option[int]("chat/last", 0)  # id; 0: none

    def __init__(self, path: Path) -> None:
        self.file = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def geometry(self) -> bytes:
        """QWidget.saveGeometry() of the window; empty at first."""
        try:
            return base64.b64decode(str(self.file.value("window/geometry", "")), validate=True)
        except (binascii.Error, ValueError):
            return b""

    @geometry.setter
    def geometry(self, value: bytes) -> None:
        self.file.setValue("window/geometry", base64.b64encode(value).decode("ascii"))

    def add_recent_model(self, source: str) -> None:
        rest = [path for path in self.recent_models if path != source]
        self.recent_models = [source, *rest][:MOST_RECENT]

    def save(self) -> None:
        """Write to disk now."""
        self.file.sync()
