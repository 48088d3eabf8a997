"""Token embedding, over a plain table or a packed one."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

import kernels


class Embedding:
    """weight: [vocab, hidden]."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight

    @property
    def vocab(self) -> int:
        return self.weight.shape[0]

    @property
    def device(self) -> torch.device:
        return self.weight.device

    def __call__(self, tokens: Tensor) -> Tensor:
        """tokens: int64 [T] → float32 [T, hidden], the start of the residual stream."""
        return functional.embedding(tokens, self.weight).float()


@dataclass(frozen=True, slots=True)
class PackedEmbedding:
    """A table as `kernels.exl3_rows` takes it: decoded row by row as tokens need it."""

    trellis: Tensor
    signs: Tensor
    hidden: int

    @property
    def vocab(self) -> int:
        return self.trellis.shape[0]

    @property
    def device(self) -> torch.device:
        return self.trellis.device

    @property
    def nbytes(self) -> int:
        return self.trellis.nbytes + self.signs.nbytes

    def __call__(self, tokens: Tensor) -> Tensor:
        """tokens: int64 [T] → float32 [T, hidden], the start of the residual stream."""
        return kernels.exl3_rows(self.trellis, self.signs, tokens, self.hidden)
