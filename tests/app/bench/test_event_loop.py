"""That it measures something; not how much."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bench import event_loop
from app.bench.event_loop import EventLoopBench
from app.paths import paths
from app.start import start
from tests.app import fake_engine


@pytest.fixture
def quitting(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Becomes true instead of the test's application being quit."""
    calls: list[bool] = []
    monkeypatch.setattr(event_loop, "QCoreApplication", type("Application", (), {"quit": lambda: calls.append(True)}))
    return calls


def test_it_counts_tokens_and_measures_delays(qtbot: QtBot, tmp_path: Path, quitting: list[bool]) -> None:
    script = fake_engine.command(answers=[["word "] * 20], token_s=0.005)
    started = start(paths(tmp_path), Path("/m.gguf"), script)
    bench = EventLoopBench(started, seconds=0.5)
    qtbot.waitUntil(lambda: bool(quitting), timeout=10_000)
    started.close()
    delays = bench.result()
    assert bench.problem is None
    assert delays.answers >= 2 and delays.tokens >= 20 and delays.samples > 10
    assert 0 <= delays.p50_ms <= delays.p99_ms <= delays.max_ms


def test_it_gives_up_when_there_is_no_model(qtbot: QtBot, tmp_path: Path, quitting: list[bool]) -> None:
    started = start(paths(tmp_path), Path("/m.gguf"), fake_engine.command(fail_load=True))
    bench = EventLoopBench(started, seconds=0.5)
    qtbot.waitUntil(lambda: bool(quitting), timeout=10_000)
    started.close()
    assert bench.problem == fake_engine.OUT_OF_MEMORY
