from __future__ import annotations

from pathlib import Path

import pytest

from engine.plan.cards import Ram, apparent, cards
from engine.plan.machine import Gpu
from engine.plan.torch_build import CPU, CUDA_12, CUDA_13, TorchBuild
from engine.settings import EngineSettings
from tests.engine.plan.fake_nvml import FakeCard, FakeNvml
from tests.engine.plan.models import GIB

RAM = Ram(64 * GIB, 32 * GIB)
GOOD = FakeCard("GPU-good", bus="00000000:02:00.0")
ANCIENT = FakeCard("GPU-old", capability=(5, 0))


def gpus(nvml: FakeNvml, build: TorchBuild | None = CUDA_13, settings: EngineSettings | None = None) -> list[Gpu]:
    found, _ = cards(nvml, build, RAM, settings or EngineSettings())
    assert nvml.open == 0, "the library was not closed"
    return found


def test_a_good_card_is_usable_with_what_is_free_now() -> None:
    """C124: free memory, not total."""
    (card,) = gpus(FakeNvml(GOOD))
    assert card == Gpu(0, "GPU-good", "NVIDIA Test", 24 * GIB, 20 * GIB, (8, 9))


def test_c101_no_cards() -> None:
    """C101: a library reporting 0 devices."""
    assert gpus(FakeNvml()) == []


@pytest.mark.parametrize(
    ("card", "driver", "build", "words"),
    [
        (GOOD, "535.183.01", CUDA_13, "driver is 535.183.01"),
        (GOOD, "470.256.02", CUDA_12, "driver is 470.256.02"),
        (ANCIENT, "580.65.06", CUDA_13, "capability is 5.0"),
        (FakeCard("GPU-new", capability=(12, 0)), "570.10", CUDA_12, "capability 12.0 needs CUDA 13"),
        (GOOD, "580.65.06", CPU, "processor-only build"),
        (GOOD, "580.65.06", None, "torch is not installed"),
        (FakeCard("GPU-tiny", gib=0.5, used=0), "580.65.06", CUDA_13, "only 0.5 GiB"),
    ],
)
def test_c101_unusable_cards_are_listed_with_the_reason(
    card: FakeCard, driver: str, build: TorchBuild | None, words: str
) -> None:
    """C101: driver older than needed, unsupported compute level; C131: a tiny card is left out."""
    (found,) = gpus(FakeNvml(card, driver=driver), build)
    assert not found.usable
    assert words in found.reason


def test_an_older_driver_is_enough_for_the_older_build() -> None:
    (found,) = gpus(FakeNvml(GOOD, driver="535.183.01"), CUDA_12)
    assert found.usable


def test_c101_one_good_and_one_bad_card() -> None:
    found = gpus(FakeNvml(ANCIENT, GOOD), settings=EngineSettings(cuda_device_order="PCI_BUS_ID"))
    assert [(card.index, card.uuid, card.usable) for card in found] == [(0, "GPU-old", False), (1, "GPU-good", True)]


def test_c131_cards_are_numbered_as_the_runtime_does() -> None:
    """C131: management and runtime orders reversed, visibility given; matched by unique id."""
    nvml = FakeNvml(FakeCard("GPU-slow", cores=100), FakeCard("GPU-fast", bus="00000000:02:00.0", cores=900))
    assert [card.uuid for card in gpus(nvml)] == ["GPU-fast", "GPU-slow"]
    hidden = gpus(nvml, settings=EngineSettings(cuda_visible_devices="1"))
    assert [(card.device, card.uuid) for card in hidden] == [("cuda:0", "GPU-slow")]


def test_a_lost_card_is_a_notice_and_the_others_go_on() -> None:
    found, notices = cards(FakeNvml(FakeCard("GPU-lost", lost=True), GOOD), CUDA_13, RAM, EngineSettings())
    assert [card.uuid for card in found] == ["GPU-good"]
    assert "GPU is lost" in notices[0]


def test_c124_a_card_that_shares_the_machines_memory_has_the_machines() -> None:
    """C124: shared-memory machine."""
    (found,) = gpus(FakeNvml(FakeCard("GPU-shared", capability=(12, 1), shares_memory=True)))
    assert (found.total, found.free, found.usable) == (RAM.total, RAM.free, True)


@pytest.mark.parametrize(
    ("vendor", "kind", "expected"),
    [
        ("0x10de", "0x030000", True),
        ("0x10de", "0x030200", True),
        ("0x10de", "0x040300", False),
        ("0x8086", "0x030000", False),
    ],
)
def test_hardware_is_seen_on_the_bus(tmp_path: Path, vendor: str, kind: str, expected: bool) -> None:
    device = tmp_path / "0000:01:00.0"
    device.mkdir()
    (device / "vendor").write_text(vendor + "\n")
    (device / "class").write_text(kind + "\n")
    assert apparent(tmp_path) is expected


def test_no_bus_no_hardware(tmp_path: Path) -> None:
    assert not apparent(tmp_path / "absent")
