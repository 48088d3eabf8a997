"""y = x Wᵀ + b by torch's matmul."""

from __future__ import annotations

import torch
from torch import Tensor

# Weights widened at a time. Few rows are bound by reading them back, so they should still be in the second-level cache;
# many rows are bound by the matmul, which likes large ones.
SMALL_BLOCK, LARGE_BLOCK, MANY_ROWS = 2**18, 2**20, 32


def refuses(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> str:
    """The processor's matmul rounds to 16 bit between its sums, so there x must be float32."""
    if not x.is_cuda and x.dtype != torch.float32:
        return f"x is {x.dtype} on a processor, where only float32 is exact"
    return ""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """See `kernels.ops.linear`."""
    if x.is_cuda:
        y = _on_card(x, weight)
    elif weight.dtype == torch.float32:
        y = x @ weight.T
    else:
        y = _widened(x, weight)
    return y if bias is None else y.add_(bias)


def _on_card(x: Tensor, weight: Tensor) -> Tensor:
    """Sums are float32 and, where x is, stay so: 16 bits would round them, and float16 overflows."""
    if x.dtype == torch.float32 != weight.dtype:
        return torch.mm(x.to(weight.dtype), weight.T, out_dtype=torch.float32)
    return (x.to(weight.dtype) @ weight.T).to(x.dtype)


def _widened(x: Tensor, weight: Tensor) -> Tensor:
    """Widens a block of rows of the weight at a time, where its products are then made."""
    y = torch.empty(x.shape[0], weight.shape[0], dtype=x.dtype)
    size = LARGE_BLOCK if len(x) >= MANY_ROWS else SMALL_BLOCK
    rows = max(64, size // max(1, weight.shape[1]))
    for start in range(0, weight.shape[0], rows):
        block = weight[start : start + rows].float()
        torch.mm(x, block.T, out=y[:, start : start + rows])
    return y
