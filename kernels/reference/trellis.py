"""Packed tiles of trellis-coded weights: which bits of a tile make which weight (QTIP, Tseng et al. 2024, arXiv
2406.11235; the layout is that of EXL3 files).

A tile is 16 × 16 weights (inputs × outputs) and one ring of 256 · K bits. Position i of the ring appends `steps(K)[i]`
new bits; the 16 bits that end with them, first one highest, are the state of position i:

    stored words   1    0    3    2   …        16-bit words, the halves of little-endian 32-bit ones
    stream     ────┬────┬────┬────┬──…──┐
               └─ ends where it began ──┘
    states        [─16─]
                  ↳ K ↳[─16─]
"""

from __future__ import annotations

import torch
from torch import Tensor

TILE = 16
POSITIONS = TILE * TILE
STATE_BITS = 16
RATES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0)


def rate_of(words: int) -> float:
    """Bits a weight of tiles that have so many 16-bit words. ValueError if there is no such rate."""
    rate = words / TILE
    if rate not in RATES:
        raise ValueError(f"a tile of {words} words is of no rate of {', '.join(f'{rate:g}' for rate in RATES)} bits")
    return rate


def steps(rate: float, device: torch.device | None = None) -> Tensor:
    """int64 [256]: new bits of every position; of a half rate, odd positions take one more."""
    new = torch.full((POSITIONS,), int(rate), device=device)
    new[1::2] += int(rate != int(rate))
    return new


def unpack(trellis: Tensor) -> Tensor:
    """[..., 16 · K] int16 or uint16 → int32 [..., 256], the state of every position."""
    words = trellis.shape[-1]
    device = trellis.device
    ends = steps(rate_of(words), device).cumsum(0)
    starts = (ends - STATE_BITS) % (STATE_BITS * words)
    first, shift = starts // STATE_BITS, STATE_BITS - starts % STATE_BITS
    stored = trellis.view(torch.int16).to(torch.int32) & 0xFFFF
    high, low = (stored[..., (word % words) ^ 1] for word in (first, first + 1))
    return (high << STATE_BITS | low) >> shift.to(torch.int32) & 0xFFFF


def pack(states: Tensor, rate: float) -> Tensor:
    """The inverse of `unpack`: [..., 256] → int16 [..., 16 · K]. Only the new bits of every state are looked at."""
    new = steps(rate, states.device)
    position = torch.arange(POSITIONS, device=states.device).repeat_interleave(new)
    place = new.cumsum(0)[position] - 1 - torch.arange(len(position), device=states.device)  # from the lowest bit
    bits = states[..., position].to(torch.int32) >> place.to(torch.int32) & 1
    bits = bits.reshape(*states.shape[:-1], -1, STATE_BITS)
    weights = 1 << torch.arange(STATE_BITS - 1, -1, -1, device=states.device, dtype=torch.int32)
    words = (bits * weights).sum(-1, dtype=torch.int32).to(torch.int16)
    return words.reshape(*states.shape[:-1], -1, 2).flip(-1).flatten(-2)


def tile_order(device: torch.device | None = None) -> Tensor:
    """int64 [256]: which place of the row-major tile a position holds. The order in which the lanes of a warp keep the
    second operand of a 16 × 16 tensor-core product: lane by lane, eight values each."""
    position = torch.arange(POSITIONS, device=device)
    lane, value = position >> 3, position & 7
    row = 2 * (lane & 3) + (value & 1) + 8 * (value >> 1 & 1)
    column = (lane >> 2) + 8 * (value >> 2)
    return row * TILE + column
