"""Rows of an EXL3 table: the definition."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.reference.codebook import codebook
from kernels.reference.hadamard import hadamard
from kernels.reference.trellis import STATE_BITS, TILE

RING = 256
CODEBOOK = "mul1"


def exl3_rows(trellis: Tensor, signs: Tensor, rows: Tensor, width: int) -> Tensor:
    """See `kernels.ops.exl3_rows`."""
    groups = signs.shape[0]
    rings = trellis.view(torch.int16)[rows].view(len(rows), groups, -1)
    scales = rings[..., :1].contiguous().view(torch.float16).float()
    values = codebook(CODEBOOK, trellis.device)[ring_states(rings[..., 1:])].float()
    return (hadamard(values * scales, RING) * signs.float()).flatten(1)[:, :width]


def ring_states(words: Tensor) -> Tensor:
    """int16 [..., 16 · K] → int32 [..., 256]. Unlike in a tile the bits run from the lowest of the first word on, and
    those of a position's own symbol are the lowest of its state: above them lie those of the positions before it."""
    rate = words.shape[-1] // TILE
    place = torch.arange(16, device=words.device, dtype=torch.int32)
    bits = (words[..., None].to(torch.int32) >> place & 1).flatten(-2)
    weights = 1 << torch.arange(rate, device=words.device, dtype=torch.int32)
    symbols = (bits.view(*words.shape[:-1], RING, rate) * weights).sum(-1, dtype=torch.int32)
    states = torch.zeros_like(symbols)
    for back in range(-(-STATE_BITS // rate)):
        states |= symbols.roll(back, -1) << back * rate
    return states & 0xFFFF
