"""The product with EXL3 weights, from the packed tiles."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.native import exl3 as native
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.codebook import MULTIPLIERS
from kernels.reference.exl3 import exl3_linear as reference
from kernels.reference.hadamard import BLOCK
from kernels.reference.trellis import TILE, rate_of
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled integers", native.refuses_fast, native.exl3_fast),
    Implementation("compiled", native.refuses, native.exl3_linear),
    Implementation("reference", never, reference),
)


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
    """y = svh · P(P(x · suh) Ŵ) + bias: P the orthonormal Hadamard transform of each 128 values, Ŵ the decoded tiles.

    x: [T, in], float32 (on CUDA also bfloat16, float16); where `in` is less than that of the tiles, the rest is zero.
    trellis: int16 or uint16 [in / 16, out / 16, 16 · K], as files have it; its width gives the rate K.
    suh: float16 [in of the tiles]. svh: float16 [out of the tiles]. codebook: "3inst", "mcg" or "mul1".
    bias: float32 [out_features] or None. out_features: leading outputs that are wanted; None: all.
    fast: a result that is off by up to 0.1 % (root mean square) may be had for more speed, if there is a way; else the
    processor's is exact but for the rounding of float32 sums.
    Returns [T, out_features] in x's dtype. Raises ValueError for arguments that do not fit together.
    """
    _check(x, trellis, suh, svh, codebook, bias, out_features)
    chosen = choose(
        IMPLEMENTATIONS, x, trellis, suh, svh, codebook=codebook, bias=bias, out_features=out_features, fast=fast
    )
    return chosen.run(x, trellis, suh, svh, codebook=codebook, bias=bias, out_features=out_features, fast=fast)


def _check(
    x: Tensor,
    trellis: Tensor,
    suh: Tensor,
    svh: Tensor,
    codebook: str,
    bias: Tensor | None,
    out_features: int | None,
) -> None:
    if trellis.dim() != 3 or trellis.dtype not in (torch.int16, torch.uint16):
        refuse("exl3_linear", "trellis must be int16 or uint16 [in / 16, out / 16, 16 · K]", trellis=trellis)
    rate_of(trellis.shape[-1])
    if codebook not in MULTIPLIERS:
        refuse("exl3_linear", f"codebook must be one of {', '.join(MULTIPLIERS)}, not {codebook!r}")
    inner, out = trellis.shape[0] * TILE, trellis.shape[1] * TILE
    if inner % BLOCK or out % BLOCK:
        refuse("exl3_linear", f"both sides must be multiples of {BLOCK}", trellis=trellis)
    if suh.shape != (inner,) or svh.shape != (out,) or {suh.dtype, svh.dtype} != {torch.float16}:
        refuse("exl3_linear", "suh and svh must be float16, as long as the tiles' sides", suh=suh, svh=svh)
    if x.dim() != 2 or x.shape[1] > inner or x.dtype not in ACTIVATION_DTYPES:
        refuse("exl3_linear", f"x must be [T, at most {inner}] of float32, bfloat16 or float16", x=x)
    wanted = out if out_features is None else out_features
    if not 0 < wanted <= out:
        refuse("exl3_linear", f"out_features must be 1 to {out}, not {wanted}")
    if bias is not None and (bias.shape != (wanted,) or bias.dtype != torch.float32):
        refuse("exl3_linear", f"bias must be float32 [{wanted}]", bias=bias)
    if {tensor.device for tensor in (trellis, suh, svh, bias) if tensor is not None} != {x.device}:
        refuse("exl3_linear", "all must be on one device", x=x, trellis=trellis, suh=suh, svh=svh, bias=bias)
