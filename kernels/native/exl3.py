"""The product with EXL3 weights straight from the packed tiles, or from strips of them decoded for torch's matmul."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from kernels.runtime.cpu_library import library

if TYPE_CHECKING:
    from kernels._native import Isa

CODEBOOKS: Mapping[str, int] = {"3inst": 0, "mcg": 1, "mul1": 2}  # as kernels.h numbers them
TILE, STRIP = 16, 32  # inputs of a tile; kExl3Strip of kernels.h
MOST_ROWS = 64  # kExl3MostRows; above, decoding a strip once for torch's matmul pays
MOST_FAST_ROWS = 16  # above, the exact product is as fast
DECODED = 2**20  # weights decoded at a time: 4 MiB of float32 are still in a cache when they are multiplied
ROW_ORDER = (0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15)  # kRowOrder of exl3.h: of every 16 inputs


def refuses_fast(
    x: Tensor,
    trellis: Tensor,
    suh: Tensor,
    svh: Tensor,
    *,
    codebook: str,
    bias: Tensor | None = None,
    out_features: int | None = None,
    fast: bool = False,
) -> str:
    if not fast:
        return "it was not asked for"
    if codebook != "mul1":
        return f"{codebook} has no weights in integers"
    if x.shape[0] > MOST_FAST_ROWS:
        return f"x has more than {MOST_FAST_ROWS} rows"
    return refuses(x, trellis, suh, svh, codebook=codebook, bias=bias)


def refuses(
    x: Tensor,
    trellis: Tensor,
    suh: Tensor,
    svh: Tensor,
    *,
    codebook: str,
    bias: Tensor | None = None,
    out_features: int | None = None,
    fast: bool = False,
) -> str:
    if library().isa is None:
        return library().absent
    if not x.is_cpu or x.dtype != torch.float32:
        return "x is not float32 on the processor"
    if not all(one.is_contiguous() for one in (x, trellis, suh, svh)) or not (bias is None or bias.is_contiguous()):
        return "an argument is not contiguous"
    if trellis.shape[2] % TILE and codebook != "mul1":
        return f"half rates of {codebook} are in no file"
    return ""


def exl3_fast(
    x: Tensor,
    trellis: Tensor,
    suh: Tensor,
    svh: Tensor,
    *,
    codebook: str,
    bias: Tensor | None = None,
    out_features: int | None = None,
    fast: bool = True,
) -> Tensor:
    """See `kernels.ops.exl3`; what `refuses_fast` takes."""
    return packed(_isa(), x, trellis, suh, svh, codebook=codebook, bias=bias, out_features=out_features, fast=True)


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
    """See `kernels.ops.exl3`; exact."""
    run = packed if x.shape[0] <= MOST_ROWS else decoded
    return run(_isa(), x, trellis, suh, svh, codebook=codebook, bias=bias, out_features=out_features)


def packed(
    isa: Isa,
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
    """Up to MOST_ROWS rows. A row's result is the same bits whatever the other rows and the threads.

    fast: inputs become 16-bit integers, weights of mul1 are not rounded to float16; off by about 0.03 %.
    """
    y = torch.empty(x.shape[0], len(svh) if out_features is None else out_features)
    isa.exl3_linear(
        x.data_ptr(),
        trellis.data_ptr(),
        suh.data_ptr(),
        svh.data_ptr(),
        0 if bias is None else bias.data_ptr(),
        y.data_ptr(),
        _sizes(x, trellis, y.shape[1], codebook),
        fast,
    )
    return y


def decoded(
    isa: Isa,
    x: Tensor,
    trellis: Tensor,
    suh: Tensor,
    svh: Tensor,
    *,
    codebook: str,
    bias: Tensor | None = None,
    out_features: int | None = None,
) -> Tensor:
    """Any number of rows: a few strips of columns at a time are decoded, and multiplied by torch."""
    rows, inner, outer = x.shape[0], len(suh), len(svh)
    y = torch.empty(rows, outer if out_features is None else out_features)
    sizes = _sizes(x, trellis, y.shape[1], codebook)
    turned, product = torch.empty(rows, inner), torch.empty(rows, outer)
    isa.exl3_turn(x.data_ptr(), suh.data_ptr(), turned.data_ptr(), sizes)
    columns = max(STRIP, DECODED // inner // STRIP * STRIP)
    for first in range(0, outer, columns):
        weight = _decode(isa, trellis, first, min(outer, first + columns), sizes)
        torch.mm(turned, weight, out=product[:, first : first + columns])
    bias_address = 0 if bias is None else bias.data_ptr()
    isa.exl3_finish(product.data_ptr(), svh.data_ptr(), bias_address, y.data_ptr(), sizes)
    return y


def decode(isa: Isa, trellis: Tensor, codebook: str) -> Tensor:
    """Ŵ, float32 [in, out]; exactly the values of `kernels.reference.exl3.decode`."""
    inner, outer = trellis.shape[0] * TILE, trellis.shape[1] * TILE
    ordered = _decode(isa, trellis, 0, outer, _sizes(torch.empty(0, inner), trellis, outer, codebook))
    weight = torch.empty(inner // TILE, TILE, outer)
    weight[:, ROW_ORDER] = ordered.view_as(weight)
    return weight.view(inner, outer)


def _decode(isa: Isa, trellis: Tensor, first: int, last: int, sizes: list[int]) -> Tensor:
    """Columns first to last, [in, last - first], every 16 rows in ROW_ORDER, as `exl3_turn` orders inputs."""
    weight = torch.empty(trellis.shape[0] * TILE, last - first)
    isa.exl3_decode(trellis.data_ptr(), weight.data_ptr(), first // STRIP, last // STRIP, sizes)
    return weight


def _sizes(x: Tensor, trellis: Tensor, out: int, codebook: str) -> list[int]:
    inner, outer, words = trellis.shape
    return [x.shape[0], x.shape[1], out, inner * TILE, outer * TILE, words // 8, CODEBOOKS[codebook]]


def _isa() -> Isa:
    isa = library().isa
    assert isa is not None
    return isa
