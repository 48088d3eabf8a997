"""Model: ordered blocks between an embedding and a head."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.cache.kv import KvCache
from engine.layers.block import Block
from engine.layers.context import AttentionBatch, ForwardContext
from engine.layers.embedding import Embedding, PackedEmbedding
from engine.layers.linear import Linear
from engine.layers.norm import RmsNorm
from engine.layers.rope import RopeTable
from engine.spec.model import RopeSpec


class Model:
    """Weights, rotary tables and the KV cache of one device."""

    def __init__(
        self,
        embedding: Embedding | PackedEmbedding,
        blocks: list[Block],
        norm: RmsNorm,
        head: Linear,
        ropes: Mapping[RopeSpec, RopeTable],
        cache: KvCache,
    ) -> None:
        self.embedding = embedding
        self.blocks = blocks
        self.norm = norm
        self.head = head
        self.ropes = ropes
        self.cache = cache

    @property
    def device(self) -> torch.device:
        return self.embedding.device

    @torch.inference_mode()
    def forward(
        self, tokens: Tensor, positions: Tensor, slots: Tensor, batch: AttentionBatch, rows: Tensor | None = None
    ) -> Tensor:
        """Computes T tokens and writes their keys and values into the cache.

        tokens, positions, slots: int64 [T]. rows: int64 [R], which of the T positions to give logits for;
        None: all. Returns float32 [R, vocab].
        """
        rope = {spec: table.rows(positions) for spec, table in self.ropes.items()}
        context = ForwardContext(self.cache, slots, batch, rope)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, context)
        if rows is not None:
            x = x[rows]
        return self.head(self.norm(x)).float()
