"""EngineSettings: what the environment may change about the engine, and its only reader.

Every variable is declared once, in FLAGS; help texts and checks derive from that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Read once when a process starts, then passed down.

    threads, device: what a load takes when it wishes nothing else; see plan.Wishes.
    cuda_visible_devices, cuda_device_order: NVIDIA's own variables, None when unset; see plan.visible.
    """

    threads: int | None = None
    device: str = "auto"
    cuda_visible_devices: str | None = None
    cuda_device_order: str | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """One environment variable: which field it fills and how its text is read.

    parse raises ValueError whose text says what the value must be.
    """

    variable: str
    field: str
    parse: Callable[[str], object]
    help: str


def _count(text: str) -> int:
    if not (text.isdecimal() and int(text) >= 1):
        raise ValueError("must be a whole number of 1 or more")
    return int(text)


def _device(text: str) -> str:
    kind, _, number = text.partition(":")
    if text not in ("auto", "cpu") and not (kind == "cuda" and number.isdecimal()):
        raise ValueError('must be "auto", "cpu" or "cuda:N"')
    return text


FLAGS = (
    Flag("TONNELLE_THREADS", "threads", _count, "threads of the processor; unset: one less than its cores"),
    Flag("TONNELLE_DEVICE", "device", _device, "where models go: auto, cpu or cuda:N; unset: auto"),
    Flag("CUDA_VISIBLE_DEVICES", "cuda_visible_devices", str, "NVIDIA's: which cards programs may see, in which order"),
    Flag("CUDA_DEVICE_ORDER", "cuda_device_order", str, "NVIDIA's: PCI_BUS_ID or FASTEST_FIRST"),
)


def read(environ: Mapping[str, str] | None = None) -> EngineSettings:
    """The settings of this process. InvalidRequest names a variable whose value cannot be used.

    A variable of ours that is set but empty counts as unset; an empty CUDA_VISIBLE_DEVICES hides every card.
    """
    source = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for flag in FLAGS:
        text = source.get(flag.variable)
        if text is None or (not text.strip() and flag.parse is not str):
            continue
        try:
            values[flag.field] = flag.parse(text.strip())
        except ValueError as error:
            raise InvalidRequest(flag.variable, f"{error}, not {text!r}") from None
    return EngineSettings(**values)
