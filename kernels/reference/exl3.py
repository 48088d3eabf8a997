"""The product with EXL3 weights: the definition."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from kernels.reference.codebook import codebook as values_of
from kernels.reference.hadamard import hadamard
from kernels.reference.trellis import TILE, tile_order, unpack

STRIP = 2**18  # weights decoded at a time: what it takes to do so, some 24 bytes each, stays in a cache


def exl3_linear(
    x: Tensor,
    trellis: Tensor,
    suh: Tensor,
    svh: Tensor,
    *,
    codebook: str,
    bias: Tensor | None = None,
    out_features: int | None = None,
    fast: bool = False,
) -> Tensor:
    """y = svh · P(P(x · suh) Ŵ) + bias, with P the blocks of the Hadamard transform and Ŵ the decoded tiles.

    See `kernels.ops.exl3`. Computed in float32, or in float64 where x is float64, fast or not.
    """
    compute = torch.promote_types(x.dtype, torch.float32)
    wide = functional.pad(x.to(compute), (0, len(suh) - x.shape[1]))
    y = hadamard(_product(hadamard(wide * suh.to(compute)), trellis, codebook)) * svh.to(compute)
    y = y[:, :out_features]
    if bias is not None:
        y = y + bias.to(compute)
    return y.to(x.dtype)


def _product(x: Tensor, trellis: Tensor, codebook: str) -> Tensor:
    """x Ŵ, a strip of Ŵ's rows at a time."""
    y = x.new_zeros(x.shape[0], trellis.shape[1] * TILE)
    tile_rows = max(1, STRIP // (TILE * y.shape[1]))
    for start in range(0, trellis.shape[0], tile_rows):
        strip = decode(trellis[start : start + tile_rows], codebook).to(x.dtype)
        y += x[:, start * TILE :][:, : strip.shape[0]] @ strip
    return y


def decode(trellis: Tensor, codebook: str) -> Tensor:
    """[in / 16, out / 16, 16 · K] int16 or uint16 → Ŵ, float16 [in, out]."""
    values = values_of(codebook, trellis.device)[unpack(trellis)]
    tiles = torch.empty_like(values)
    tiles[..., tile_order(trellis.device)] = values
    down, across = trellis.shape[:2]
    return tiles.view(down, across, TILE, TILE).transpose(1, 2).reshape(down * TILE, across * TILE)


def reconstruct(trellis: Tensor, suh: Tensor, svh: Tensor, codebook: str) -> Tensor:
    """The weight itself: diag(suh) P Ŵ P diag(svh), float32 [in, out]."""
    weight = hadamard(hadamard(decode(trellis, codebook).float()).T).T
    return suh.float()[:, None] * weight * svh.float()
