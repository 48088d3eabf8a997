from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import LoadCrashed, NoStarter
from app.settings.first_model import first_model
from app.settings.store import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "window.ini")


@pytest.fixture
def last(tmp_path: Path, settings: Settings) -> Path:
    file = tmp_path / "last.gguf"
    file.touch()
    settings.last_model = str(file)
    return file


STARTER = Path("/starter.gguf")


def test_the_one_named_comes_first(settings: Settings, last: Path) -> None:
    settings.loading = "/named.gguf"
    assert first_model(settings, Path("/named.gguf"), STARTER) == str(Path("/named.gguf").absolute())


def test_then_the_last_one(settings: Settings, last: Path) -> None:
    assert first_model(settings, None, STARTER) == str(last)


def test_then_the_starter(settings: Settings, last: Path) -> None:
    last.unlink()
    assert first_model(settings, None, STARTER) == str(STARTER)


def test_or_none(settings: Settings) -> None:
    with pytest.raises(NoStarter):
        first_model(settings, None, None)


def test_not_the_one_that_took_the_engine_down(settings: Settings, last: Path) -> None:
    settings.loading = str(last)
    with pytest.raises(LoadCrashed, match=str(last)):
        first_model(settings, None, STARTER)
    settings.loading = "/another.gguf"
    assert first_model(settings, None, STARTER) == str(last)
