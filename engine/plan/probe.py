"""probe(): this computer as a Machine, without torch. Nothing here stops the program: what fails becomes a notice."""

from __future__ import annotations

import importlib
import math
from typing import Any

import psutil

from engine import settings as engine_settings
from engine.plan.cards import Ram, apparent, cards
from engine.plan.cgroup import ControlGroup
from engine.plan.machine import Gpu, Machine
from engine.plan.torch_build import TorchBuild, installed
from engine.settings import EngineSettings


def probe(
    settings: EngineSettings | None = None,
    *,
    nvml: Any = None,
    build: TorchBuild | None = None,
    group: ControlGroup | None = None,
) -> Machine:
    """What this process may use, read now (tens of milliseconds with a card, a few without).

    nvml, build, group: what to ask instead of `pynvml`, the installed torch and the process's control group.
    """
    group = group or ControlGroup()
    ram = _ram(group)
    gpus, notices = _gpus(nvml, build or installed(), ram, settings or engine_settings.read())
    return Machine(_cores(group), ram.total, ram.free, tuple(gpus), tuple(notices))


def _cores(group: ControlGroup) -> int:
    """Physical cores that this process may run on."""
    limits: list[float] = [psutil.cpu_count(logical=False) or psutil.cpu_count() or 1]
    process = psutil.Process()
    if hasattr(process, "cpu_affinity"):  # absent on macOS
        limits.append(len(process.cpu_affinity()))
    if (quota := group.cpus()) is not None:
        limits.append(quota)
    return max(1, math.floor(min(limits)))


def _ram(group: ControlGroup) -> Ram:
    memory = psutil.virtual_memory()
    limit, free = group.memory() or (memory.total, memory.available)
    return Ram(min(memory.total, limit), min(memory.available, free))


def _gpus(nvml: Any, build: TorchBuild | None, ram: Ram, settings: EngineSettings) -> tuple[list[Gpu], list[str]]:
    try:
        return cards(nvml or importlib.import_module("pynvml"), build, ram, settings)
    except Exception as error:  # whatever a broken library throws, the processor goes on
        if type(error).__name__ != "NVMLError_LibraryNotFound":
            return [], [
                f"No card is used: NVIDIA's library does not start ({error}). Reinstalling the driver may help."
            ]
        if apparent():
            return [], ["There is an NVIDIA card but no driver for it; install the driver to use the card."]
        return [], []
