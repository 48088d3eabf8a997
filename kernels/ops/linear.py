"""Linear layer over 16- or 32-bit weights."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.aten import linear as aten
from kernels.native import linear as native
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.linear import linear as reference
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled rows", native.refuses, native.linear),
    Implementation("torch's matmul", aten.refuses, aten.linear),
    Implementation("reference", never, reference),
)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y = x Wᵀ + bias, accumulated in float32.

    x: [T, in], float32 (on CUDA also bfloat16, float16). weight: [out, in], float32, bfloat16 or float16.
    bias: float32 [out] or None. Returns [T, out] in x's dtype.

    On the processor the product is float32 arithmetic over the widened weights; x is never rounded. A card
    multiplies in the weights' dtype.
    """
    _check(x, weight, bias)
    return choose(IMPLEMENTATIONS, x, weight, bias).run(x, weight, bias)


def _check(x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if x.dim() != 2 or weight.dim() != 2 or x.shape[1] != weight.shape[1]:
        refuse("linear", "x must be [T, in] and weight [out, in]", x=x, weight=weight)
    if x.dtype not in ACTIVATION_DTYPES or weight.dtype not in ACTIVATION_DTYPES:
        refuse("linear", "x and weight must be float32, bfloat16 or float16", x=x, weight=weight)
    if x.device != weight.device:
        refuse("linear", "x and weight must be on one device", x=x, weight=weight)
    if bias is not None and (
        bias.shape != weight.shape[:1] or bias.dtype != torch.float32 or bias.device != weight.device
    ):
        refuse("linear", "bias must be float32 [out] beside weight", weight=weight, bias=bias)
