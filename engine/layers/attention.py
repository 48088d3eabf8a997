"""Grouped-query attention over the paged cache (Ainslie et al. 2023, arXiv 2305.13245)."""

from __future__ import annotations

from torch import Tensor

import kernels
from engine.layers.context import ForwardContext
from engine.layers.linear import Linear
from engine.layers.norm import RmsNorm
from engine.spec.model import AttentionSpec


class Attention:
    """Projections, rotary embedding, cache write, attention. `layer` is its place in the cache."""

    def __init__(
        self,
        spec: AttentionSpec,
        layer: int,
        projections: tuple[Linear, Linear, Linear, Linear],
        norms: tuple[RmsNorm, RmsNorm] | None,
    ) -> None:
        """projections: q, k, v, o. norms: of each head's queries and keys."""
        self.spec = spec
        self.layer = layer
        self.q, self.k, self.v, self.o = projections
        self.norms = norms

    def __call__(self, x: Tensor, context: ForwardContext) -> Tensor:
        """x: [T, hidden] → [T, hidden]."""
        spec = self.spec
        q = self.q(x).view(-1, spec.heads, spec.head_dim)
        k = self.k(x).view(-1, spec.kv_heads, spec.head_dim)
        v = self.v(x).view(-1, spec.kv_heads, spec.head_dim)
        if self.norms:
            q, k = self.norms[0](q), self.norms[1](k)
        cos, sin = context.rope[spec.rope]
        q, k = kernels.rotate(q, cos, sin), kernels.rotate(k, cos, sin)
        keys, values = context.cache.layer(self.layer)
        kernels.write_kv(k, v, keys, values, context.slots)
        mixed = kernels.attention(q, keys, values, context.batch, scale=spec.scale, window=spec.window)
        return self.o(mixed.view(-1, spec.heads * spec.head_dim))
