"""Root-mean-square normalization (Zhang and Sennrich 2019, arXiv 1910.07467)."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.native import rows as native
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.norm import rms_norm as reference
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled", native.refuses_rms_norm, native.rms_norm),
    Implementation("reference", never, reference),
)


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """x / sqrt(mean(x²) + eps) * weight over the last dimension, computed in float32.

    x: [..., size], float32, bfloat16 or float16. weight: float32 [size]. Returns x's shape and dtype.
    """
    if x.shape[-1:] != weight.shape or weight.dtype != torch.float32 or x.device != weight.device:
        refuse("rms_norm", "weight must be float32 [size] beside x [..., size]", x=x, weight=weight)
    if x.dtype not in ACTIVATION_DTYPES:
        refuse("rms_norm", "x must be float32, bfloat16 or float16", x=x)
    return choose(IMPLEMENTATIONS, x, weight, eps).run(x, weight, eps)
