"""KvCache: keys and values of all layers on one device, in pages."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.plan.plan import PAGE_TOKENS
from engine.spec.model import AttentionSpec


class KvCache:
    """Two tensors a layer, [pages, PAGE_TOKENS, kv_heads, head_dim], in the cache's dtype.

    They start as zeros: an entry that was never written cannot bring NaN into a masked sum.
    """

    def __init__(self, layers: list[AttentionSpec], pages: int, dtype: torch.dtype, device: torch.device) -> None:
        shapes = [(pages, PAGE_TOKENS, layer.kv_heads, layer.head_dim) for layer in layers]
        self.keys = [torch.zeros(shape, dtype=dtype, device=device) for shape in shapes]
        self.values = [torch.zeros(shape, dtype=dtype, device=device) for shape in shapes]

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for tensor in (*self.keys, *self.values))

    def layer(self, index: int) -> tuple[Tensor, Tensor]:
        return self.keys[index], self.values[index]

    def copy_page(self, source: int, target: int) -> None:
        for tensor in (*self.keys, *self.values):
            tensor[target].copy_(tensor[source])
