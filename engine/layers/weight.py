"""The weight of a linear layer, however it is stored: what `Linear` is composed with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor

import kernels
from engine.layers.embedding import PackedEmbedding


class Weight(Protocol):
    """A matrix that can be multiplied with."""

    @property
    def nbytes(self) -> int:
        """That it occupies."""

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """x: [T, in] → x Wᵀ + bias, [T, out] in x's dtype. bias: float32 [out] or None."""


@dataclass(frozen=True, slots=True)
class DenseWeight:
    """matrix: [out, in], 16- or 32-bit."""

    matrix: Tensor

    @property
    def nbytes(self) -> int:
        return self.matrix.nbytes

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        return kernels.linear(x, self.matrix, bias)


@dataclass(frozen=True, slots=True)
class Exl3Weight:
    """Packed tiles and their scales, as `kernels.exl3_linear` takes them. out_features: without the padding."""

    trellis: Tensor
    suh: Tensor
    svh: Tensor
    codebook: str
    out_features: int

    @property
    def nbytes(self) -> int:
        return self.trellis.nbytes + self.suh.nbytes + self.svh.nbytes

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        return kernels.exl3_linear(
            x, self.trellis, self.suh, self.svh, codebook=self.codebook, bias=bias, out_features=self.out_features
        )


@dataclass(frozen=True, slots=True)
class SlicedWeight:
    """A matrix in several parts. along: the side that they divide. sizes: of that side, part by part, unpadded."""

    parts: tuple[Weight, ...]
    along: Literal["in", "out"]
    sizes: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)

    def product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        if self.along == "out":
            y = torch.cat([part.product(x, None) for part in self.parts], dim=1)
        else:
            pieces = torch.split(x, list(self.sizes), dim=1)
            y = torch.stack([part.product(piece, None) for part, piece in zip(self.parts, pieces, strict=True)]).sum(0)
        return y if bias is None else y + bias.to(y.dtype)


PackedWeight = Exl3Weight | SlicedWeight | PackedEmbedding
Stored = Tensor | PackedWeight  # what a slot of a model is filled with
