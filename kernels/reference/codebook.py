"""The codebooks of EXL3: what weight a 16-bit state stands for. Each is computed, none is stored."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import torch
from torch import Tensor

STATES = 2**16
MULTIPLIERS: Mapping[str, int] = MappingProxyType({"3inst": 89226354, "mcg": 0xCBAC1FED, "mul1": 0x83DCD12D})
INCREMENT = 64248484  # of 3inst
KEPT, FLIPPED = 0x8FFF, 0x3B60  # in both halves of the product: sign, two bits of the exponent, mantissa; and the rest
SCALE, OFFSET = 0.006767272949219, -10.3828125  # of mul1: the float16 values with the bits 0x1EEE and 0xC931


@cache
def codebook(name: str, device: torch.device) -> Tensor:
    """float16 [65536], every state's value, rounded once. Not to be written to. ValueError for an unknown name."""
    if name not in MULTIPLIERS:
        raise ValueError(f"there is no codebook {name!r}, only {', '.join(MULTIPLIERS)}")
    product = torch.arange(STATES, device=device) * MULTIPLIERS[name]
    if name == "3inst":
        product += INCREMENT
    if name == "mul1":
        total = sum((product >> shift & 0xFF for shift in (0, 8, 16, 24)), torch.zeros_like(product))
        value = (1024 + total).float() * torch.tensor(SCALE).half().float() + OFFSET  # exact so far: at most 22 bits
        return value.half()
    low, high = (_half_of((product >> shift & KEPT) ^ FLIPPED) for shift in (0, 16))
    return (low + high).half()


def _half_of(bits: Tensor) -> Tensor:
    """The float16 values with these bits, as float32, in which the sum of two of these is exact."""
    return bits.to(torch.int16).view(torch.float16).float()
