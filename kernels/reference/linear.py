"""y = x Wᵀ + b: the definition."""

from __future__ import annotations

import torch
from torch import Tensor


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """See `kernels.ops.linear`."""
    compute = torch.promote_types(x.dtype, torch.float32)
    y = x.to(compute) @ weight.to(compute).T
    if bias is not None:
        y = y + bias.to(compute)
    return y.to(x.dtype)
