"""The shapes of SmolLM2-135M, the starter model: small matrices, many of them."""

from __future__ import annotations

import torch
from torch import Tensor

LAYERS, HIDDEN, HEADS, KV_HEADS, DIM, INTERMEDIATE, VOCAB = 30, 576, 9, 3, 64, 1536, 49152
MATRICES = (
    (HEADS * DIM, HIDDEN),
    (KV_HEADS * DIM, HIDDEN),
    (KV_HEADS * DIM, HIDDEN),
    (HIDDEN, HEADS * DIM),
    (INTERMEDIATE, HIDDEN),
    (INTERMEDIATE, HIDDEN),
    (HIDDEN, INTERMEDIATE),
)


def layer(dtype: torch.dtype) -> list[Tensor]:
    """q, k, v, o, gate, up, down."""
    return [torch.randn(shape).mul_(0.02).to(dtype) for shape in MATRICES]


def model(dtype: torch.dtype) -> tuple[list[list[Tensor]], Tensor]:
    """The layers, and the head."""
    return [layer(dtype) for _ in range(LAYERS)], torch.randn(VOCAB, HIDDEN).mul_(0.02).to(dtype)
