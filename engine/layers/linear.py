"""Linear layer."""

from __future__ import annotations

from torch import Tensor

from engine.layers.weight import Weight


class Linear:
    """y = x Wᵀ + bias. weight: a matrix [out, in] in any format; bias: float32 [out] or None."""

    def __init__(self, weight: Weight, bias: Tensor | None = None) -> None:
        self.weight = weight
        self.bias = bias

    def __call__(self, x: Tensor) -> Tensor:
        """x: [T, in] → [T, out] in x's dtype."""
        return self.weight.product(x, self.bias)
