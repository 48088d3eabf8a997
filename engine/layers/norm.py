"""Root-mean-square normalization (Zhang and Sennrich 2019, arXiv 1910.07467)."""

from __future__ import annotations

from torch import Tensor

import kernels


class RmsNorm:
    """weight: float32 [size], over the last dimension."""

    def __init__(self, weight: Tensor, eps: float) -> None:
        self.weight = weight
        self.eps = eps

    def __call__(self, x: Tensor) -> Tensor:
        """x: [..., size] → the same shape and dtype, computed in float32."""
        return kernels.rms_norm(x, self.weight, self.eps)
