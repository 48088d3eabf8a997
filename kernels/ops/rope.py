"""Rotary position embedding (Su et al. 2021, arXiv 2104.09864), half-rotated order."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.native import rows as native
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.rope import rotate as reference
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled", native.refuses_rotate, native.rotate),
    Implementation("reference", never, reference),
)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turns channel i with channel i + dim/2 by its angle; channels from `dim` on stay as they are.

    x: [T, heads, head_dim], float32, bfloat16 or float16. cos, sin: float32 [T, dim/2], dim ≤ head_dim.
    Returns x's shape and dtype; computed in float32.
    """
    if x.dim() != 3 or cos.dim() != 2 or x.shape[0] != cos.shape[0] or 2 * cos.shape[1] > x.shape[2]:
        refuse("rotate", "x must be [T, heads, head_dim] and cos [T, dim/2], dim ≤ head_dim", x=x, cos=cos)
    if cos.shape != sin.shape or cos.dtype != torch.float32 or sin.dtype != torch.float32:
        refuse("rotate", "cos and sin must be float32 and of one shape", cos=cos, sin=sin)
    if x.dtype not in ACTIVATION_DTYPES or not x.device == cos.device == sin.device:
        refuse("rotate", "x must be float32, bfloat16 or float16, beside cos and sin", x=x, cos=cos, sin=sin)
    return choose(IMPLEMENTATIONS, x, cos, sin).run(x, cos, sin)
