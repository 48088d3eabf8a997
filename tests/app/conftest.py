"""Fixtures of the window's tests: no screen is needed, engines are real processes, nothing outlives a test."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

if sys.platform not in ("win32", "darwin"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.bridge.client import EngineClient
from tests.app import fake_engine

MakeClient = Callable[..., EngineClient]


@pytest.fixture
def make_client(qapp: QApplication, tmp_path: Path) -> Iterator[MakeClient]:
    """Makes a started client of an engine that plays Script(**script)."""
    made: list[EngineClient] = []

    def make(**script: object) -> EngineClient:
        client = EngineClient(tmp_path / "engine.log", fake_engine.command(**script))
        made.append(client)
        client.start()
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def fake_client(make_client: MakeClient) -> EngineClient:
    """A started client of an engine that answers "Hello, world."."""
    return make_client()
