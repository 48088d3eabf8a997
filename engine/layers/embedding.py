"""Token embedding."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


class Embedding:
    """weight: [vocab, hidden]."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight

    def __call__(self, tokens: Tensor) -> Tensor:
        """tokens: int64 [T] → float32 [T, hidden], the start of the residual stream."""
        return functional.embedding(tokens, self.weight).float()
