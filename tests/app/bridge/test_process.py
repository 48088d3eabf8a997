from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bridge import process as process_module
from app.bridge.process import EngineProcess
from app.errors import EngineNotStarted
from engine.messages import Ready
from tests.app import fake_engine


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "data" / "engine.log"


@pytest.fixture
def process(log: Path) -> Iterator[EngineProcess]:
    made = EngineProcess(fake_engine.command(), log)
    yield made
    made.end()


def test_it_says_who_it_is(process: EngineProcess) -> None:
    ready = process.reader.receive()
    assert isinstance(ready, Ready) and ready.pid == process.pid


def test_asked_to_end_it_ends_with_code_zero(process: EngineProcess) -> None:
    process.reader.receive()
    assert process.end(patience=10) == 0
    assert process.end() == 0


def test_modules_of_the_folder_it_is_started_from_do_not_shadow_ours(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)
    process = EngineProcess((sys.executable, "-m", "app.bridge.playback", "10"), log)
    assert isinstance(process.reader.receive(), Ready)
    process.end()


def test_its_log_is_of_bounded_size(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_LOG_BYTES", 10_000)
    script = "import sys\nfor i in range(5000): sys.stderr.write(f'line {i}\\n')"
    process = EngineProcess((sys.executable, "-c", script), log)
    assert process.wait(20) == 0
    process.release()
    files = list(log.parent.iterdir())
    assert len(files) == 2 and sum(file.stat().st_size for file in files) < 21_000
    assert log.read_text().endswith("line 4999\n") and process.tail.endswith("line 4999")


def test_a_program_that_is_not_there(log: Path) -> None:
    with pytest.raises(EngineNotStarted, match="absent"):
        EngineProcess(("/absent/python",), log)
