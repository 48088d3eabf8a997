"""The tensors of `tests/golden`, by what they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from safetensors import safe_open
from torch import Tensor

FILE = Path(__file__).parent / "golden" / "exl3.safetensors"
INTEGERS = range(1, 9)
NAMES = (
    *(f"{codebook}.{rate}" for codebook in ("3inst", "mcg", "mul1") for rate in INTEGERS),
    *(f"mul1.{rate}" for rate in (1.5, 2.5, 3.5)),
)
RECONSTRUCTED = ("3inst.4", "mcg.3", "mul1.2.5")


@dataclass(frozen=True, slots=True)
class Golden:
    """One weight of 256 inputs × 128 outputs as another engine packed it. inner: SHA-256 of its decoded tiles."""

    codebook: str
    rate: float
    trellis: Tensor
    suh: Tensor
    svh: Tensor
    x: Tensor
    y: Tensor
    weight: Tensor | None
    inner: str


@cache
def golden(name: str) -> Golden:
    """name: such as "mul1.2.5". Not to be written to."""
    codebook, _, rate = name.partition(".")
    with safe_open(FILE, framework="pt") as file:
        parts = {part: file.get_tensor(f"{name}.{part}") for part in ("trellis", "suh", "svh", "x", "y")}
        weight = file.get_tensor(f"{name}.weight") if name in RECONSTRUCTED else None
        return Golden(codebook, float(rate), **parts, weight=weight, inner=file.metadata()[f"{name}.inner.sha256"])
