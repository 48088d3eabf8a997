"""What a computer is, as data. Filled by `plan.probe`, or by hand in tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
    """One NVIDIA card. Bytes of its own memory; `free` is read at the moment of the probe.

    index: its number in the CUDA runtime's order. usable: False for a card we cannot run on, with the reason.
    """

    index: int
    uuid: str
    name: str
    total: int
    free: int
    compute_capability: tuple[int, int]
    usable: bool = True
    reason: str = ""

    @property
    def device(self) -> str:
        return f"cuda:{self.index}"


@dataclass(frozen=True, slots=True)
class Machine:
    """Processor, memory (bytes) and cards. notices: sentences for the person, e.g. why no card is used."""

    cores: int
    ram_total: int
    ram_free: int
    gpus: tuple[Gpu, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def usable_gpus(self) -> tuple[Gpu, ...]:
        return tuple(gpu for gpu in self.gpus if gpu.usable)
