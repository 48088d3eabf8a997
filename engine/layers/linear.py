"""Linear layer over 16- or 32-bit weights."""

from __future__ import annotations

from torch import Tensor

import kernels


class Linear:
    """y = x Wᵀ + bias. weight: [out, in]; bias: float32 [out] or None."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        self.weight = weight
        self.bias = bias

    def __call__(self, x: Tensor) -> Tensor:
        """x: [T, in] → [T, out] in x's dtype."""
        return kernels.linear(x, self.weight, self.bias)
