from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from app.settings.store import MOST_RECENT, Settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "window.ini"


def test_defaults(path: Path) -> None:
    settings = Settings(path)
    assert (settings.geometry, settings.sidebar_width, settings.zoom, settings.last_chat) == (b"", 0, 100, 0)
    assert (settings.last_model, settings.loading, settings.recent_models) == ("", "", [])


def test_values_come_back(path: Path) -> None:
    settings = Settings(path)
    settings.geometry = b"\x01\x00\xff,; \n"
    settings.sidebar_width = 260
    settings.last_model = 'a path, with "quotes"; 模型/é.gguf'
    settings.recent_models = ["/one,two.gguf", "C:\\three.gguf"]
    settings.save()
    again = Settings(path)
    assert again.geometry == b"\x01\x00\xff,; \n"
    assert again.sidebar_width == 260
    assert again.last_model == settings.last_model
    assert again.recent_models == ["/one,two.gguf", "C:\\three.gguf"]


@pytest.mark.parametrize("value", ["nonsense", "[1, 2]", '"text"', "true", "{", "1.5", ["a", "list"]])
def test_what_cannot_be_read_counts_as_default(path: Path, value: object) -> None:
    file = QSettings(str(path), QSettings.Format.IniFormat)
    for key in ("window/sidebar_width", "model/recent"):
        file.setValue(key, value)
    file.setValue("window/geometry", "no base64!")
    file.sync()
    settings = Settings(path)
    assert (settings.sidebar_width, settings.geometry, settings.recent_models) == (0, b"", [])


def test_a_default_list_is_not_shared(path: Path) -> None:
    Settings(path).recent_models.append("oops")
    assert Settings(path).recent_models == []


def test_recent_models_are_newest_first_once_each_and_few(path: Path) -> None:
    settings = Settings(path)
    for number in range(15):
        settings.add_recent_model(f"/{number}")
    settings.add_recent_model("/10")
    assert settings.recent_models[:3] == ["/10", "/14", "/13"]
    assert len(settings.recent_models) == MOST_RECENT == len(set(settings.recent_models))
