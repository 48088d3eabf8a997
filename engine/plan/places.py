"""Where on a machine a model could go."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidRequest, NoSuchDevice
from engine.plan.machine import Gpu, Machine

# Left free for the CUDA runtime and its libraries; for the program itself and what others take meanwhile.
GPU_RESERVE = 512 * 2**20
RAM_RESERVE = 2**30
GPU_CHUNK = 2048
CPU_CHUNK = 256


@dataclass(frozen=True, slots=True)
class Place:
    """A device. room: bytes that a model may take, the reserve left out. chunk: tokens that one step should have."""

    device: str
    label: str
    room: int
    chunk: int


def processor(machine: Machine) -> Place:
    return Place("cpu", "the processor", max(0, machine.ram_free - RAM_RESERVE), CPU_CHUNK)


def cards(machine: Machine) -> list[Place]:
    """The cards that can be used, most free memory first."""
    return [_card(gpu) for gpu in sorted(machine.usable_gpus, key=lambda gpu: -gpu.free)]


def named(machine: Machine, device: str) -> Place:
    """The device of that name. NoSuchDevice if there is none, InvalidRequest if it is there but cannot be used."""
    if device == "cpu":
        return processor(machine)
    gpu = next((gpu for gpu in machine.gpus if gpu.device == device), None)
    if gpu is None:
        raise NoSuchDevice(device, ("cpu", *(f"{gpu.device} ({gpu.name})" for gpu in machine.gpus)))
    if not gpu.usable:
        raise InvalidRequest("device", f"{device} ({gpu.name}) cannot be used: {gpu.reason}")
    return _card(gpu)


def why_no_card(machine: Machine) -> str:
    """A clause: why nothing but the processor is left."""
    if not machine.gpus:
        return "there is no card that can be used"
    return "; ".join(f"{gpu.device} ({gpu.name}) cannot be used: {gpu.reason}" for gpu in machine.gpus)


def _card(gpu: Gpu) -> Place:
    return Place(gpu.device, f"{gpu.device} ({gpu.name})", max(0, gpu.free - GPU_RESERVE), GPU_CHUNK)
