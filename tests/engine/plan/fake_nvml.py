"""FakeNvml: what the management library would say about cards that are not here."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tests.engine.plan.models import GIB


class NVMLError(Exception):
    pass


class NVMLError_NotSupported(NVMLError):  # noqa: N801  (the library's own name)
    pass


class NVMLError_LibraryNotFound(NVMLError):  # noqa: N801
    pass


@dataclass(frozen=True)
class FakeCard:
    uuid: str
    name: str = "NVIDIA Test"
    bus: str = "00000000:01:00.0"
    gib: float = 24
    used: float = 4
    capability: tuple[int, int] = (8, 9)
    cores: int = 1000
    shares_memory: bool = False
    lost: bool = False


class FakeNvml:
    """Speaks like `pynvml`. fails: what nvmlInit raises."""

    NVML_CLOCK_SM = 1
    NVMLError = NVMLError
    NVMLError_NotSupported = NVMLError_NotSupported

    def __init__(self, *cards: FakeCard, driver: str = "580.65.06", fails: Exception | None = None) -> None:
        self.cards, self.driver, self.fails = cards, driver, fails
        self.open = 0

    def nvmlInit(self) -> None:
        if self.fails:
            raise self.fails
        self.open += 1

    def nvmlShutdown(self) -> None:
        self.open -= 1

    def nvmlSystemGetDriverVersion(self) -> str:
        return self.driver

    def nvmlDeviceGetCount(self) -> int:
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> FakeCard:
        if self.cards[index].lost:
            raise NVMLError("GPU is lost")
        return self.cards[index]

    def nvmlDeviceGetUUID(self, card: FakeCard) -> bytes:
        return card.uuid.encode()

    def nvmlDeviceGetPciInfo(self, card: FakeCard) -> Any:
        return SimpleNamespace(busId=card.bus)

    def nvmlDeviceGetName(self, card: FakeCard) -> str:
        return card.name

    def nvmlDeviceGetNumGpuCores(self, card: FakeCard) -> int:
        return card.cores

    def nvmlDeviceGetMaxClockInfo(self, card: FakeCard, clock: int) -> int:
        return 1500

    def nvmlDeviceGetCudaComputeCapability(self, card: FakeCard) -> tuple[int, int]:
        return card.capability

    def nvmlDeviceGetMemoryInfo(self, card: FakeCard) -> Any:
        if card.shares_memory:
            raise NVMLError_NotSupported("Not Supported")
        return SimpleNamespace(total=int(card.gib * GIB), free=int((card.gib - card.used) * GIB))
