from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from engine.plan.cgroup import ControlGroup
from engine.plan.probe import probe
from engine.plan.torch_build import CUDA_13
from engine.settings import EngineSettings
from tests.engine.plan.fake_nvml import FakeCard, FakeNvml, NVMLError, NVMLError_LibraryNotFound


def test_this_machine() -> None:
    machine = probe(EngineSettings(), nvml=FakeNvml())
    assert 1 <= machine.cores <= (psutil.cpu_count() or 1)
    assert 0 < machine.ram_free <= machine.ram_total <= psutil.virtual_memory().total
    assert machine.gpus == ()


def test_a_card_is_in_it() -> None:
    machine = probe(EngineSettings(), nvml=FakeNvml(FakeCard("GPU-1")), build=CUDA_13)
    assert [gpu.uuid for gpu in machine.usable_gpus] == ["GPU-1"]


def test_limits_of_a_container_count(tmp_path: Path) -> None:
    (tmp_path / "membership").write_text("0::/\n")
    for name, text in {"cpu.max": "100000 100000", "memory.max": "1000000", "memory.current": "400000"}.items():
        (tmp_path / name).write_text(text)
    machine = probe(EngineSettings(), nvml=FakeNvml(), group=ControlGroup(tmp_path, tmp_path / "membership"))
    assert (machine.cores, machine.ram_total, machine.ram_free) == (1, 1000000, 600000)


@pytest.mark.parametrize("error", [NVMLError("Driver/library version mismatch"), OSError("bad image")])
def test_c101_a_library_that_throws_is_a_notice(error: Exception) -> None:
    """C101: broken GPU libraries; the processor goes on."""
    machine = probe(EngineSettings(), nvml=FakeNvml(fails=error))
    assert machine.gpus == ()
    assert str(error) in machine.notices[0]


@pytest.mark.parametrize(("hardware", "notices"), [(False, 0), (True, 1)])
def test_c101_no_driver_is_worth_a_word_only_beside_a_card(
    monkeypatch: pytest.MonkeyPatch, hardware: bool, notices: int
) -> None:
    """C101: no GPU libraries."""
    monkeypatch.setattr("engine.plan.probe.apparent", lambda: hardware)
    machine = probe(EngineSettings(), nvml=FakeNvml(fails=NVMLError_LibraryNotFound("no library")))
    assert len(machine.notices) == notices


def test_no_torch_is_imported() -> None:
    code = "import sys; from engine.plan.probe import probe; probe(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3]).returncode == 0
