"""NVIDIA's cards through their management library (NVML), which needs no CUDA context and no torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.plan.machine import Gpu
from engine.plan.torch_build import TorchBuild
from engine.plan.visible import Placed, in_runtime_order, shown
from engine.settings import EngineSettings

SMALLEST = 2 * 2**30  # bytes; below this a card drives a screen and nothing else


@dataclass(frozen=True, slots=True)
class Ram:
    """Bytes of the machine's own memory: what a card has that shares it."""

    total: int
    free: int


@dataclass(frozen=True, slots=True)
class _Card:
    """A card as NVML tells it, before it has its number."""

    placed: Placed
    name: str
    total: int
    free: int
    capability: tuple[int, int]


def cards(nvml: Any, build: TorchBuild | None, ram: Ram, settings: EngineSettings) -> tuple[list[Gpu], list[str]]:
    """The visible cards, numbered as the CUDA runtime does, and notices. Cards that cannot be used are among them.

    nvml: the module `pynvml`, or what speaks like it. Raises what it raises if the library cannot start.
    """
    with _session(nvml):
        driver = _text(nvml.nvmlSystemGetDriverVersion())
        read = [_read(nvml, index, ram) for index in range(nvml.nvmlDeviceGetCount())]
    known = {card.placed.uuid: card for card in read if isinstance(card, _Card)}
    notices = [card for card in read if isinstance(card, str)]
    ordered, about_order = in_runtime_order([card.placed for card in known.values()], settings.cuda_device_order)
    visible, about_hiding = shown(ordered, settings.cuda_visible_devices)
    gpus = []
    for index, placed in enumerate(visible):
        card = known[placed.uuid]
        reason = _unusable(card, driver, build)
        gpus.append(
            Gpu(index, placed.uuid, card.name, card.total, card.free, card.capability, usable=not reason, reason=reason)
        )
    return gpus, notices + (about_order if len(visible) > 1 else []) + about_hiding


def apparent(devices: Path = Path("/sys/bus/pci/devices")) -> bool:
    """Whether the bus shows a display or 3D card of NVIDIA, driver or not (Linux; elsewhere never)."""
    nvidia, display = "0x10de", "0x03"
    return any(
        vendor.read_text().strip() == nvidia and (vendor.parent / "class").read_text().startswith(display)
        for vendor in devices.glob("*/vendor")
    )


@contextmanager
def _session(nvml: Any) -> Iterator[None]:
    nvml.nvmlInit()
    try:
        yield
    finally:
        nvml.nvmlShutdown()


def _read(nvml: Any, index: int, ram: Ram) -> _Card | str:
    """One card; or, of a card that does not answer, a notice."""
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        placed = Placed(
            uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
            bus=_text(nvml.nvmlDeviceGetPciInfo(handle).busId),
            speed=nvml.nvmlDeviceGetNumGpuCores(handle) * nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM),
        )
        total, free = _memory(nvml, handle, ram)
        major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
        return _Card(placed, _text(nvml.nvmlDeviceGetName(handle)), total, free, (major, minor))
    except nvml.NVMLError as error:
        return f"Card {index} of the driver's list does not answer ({error}) and is not used."


def _memory(nvml: Any, handle: Any, ram: Ram) -> tuple[int, int]:
    """(total, free) bytes. A card without memory of its own shares the machine's and reports none."""
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    except nvml.NVMLError_NotSupported:
        return ram.total, ram.free
    return memory.total, memory.free


def _unusable(card: _Card, driver: str, build: TorchBuild | None) -> str:
    """Why the card cannot be used, as a clause; empty: it can."""
    again = "run the installer again"
    if build is None:
        return f"torch is not installed; {again}"
    if not build.driver:
        return f"the installed torch is its processor-only build; {again} to get the one for cards"
    if int(driver.partition(".")[0]) < build.driver:
        return (
            f"its driver is {driver}, and torch's {build.name} build needs {build.driver} or newer; update the driver"
        )
    low, high = build.capabilities
    capability = ".".join(map(str, card.capability))
    if card.capability < low:
        return f"its compute capability is {capability}, and {low[0]}.{low[1]} is the oldest that works"
    if card.capability > high:
        return f"its compute capability {capability} needs CUDA 13; update the driver to 580 or newer and {again}"
    if card.total < SMALLEST:
        return f"it has only {card.total / 2**30:.1f} GiB of memory"
    return ""


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
