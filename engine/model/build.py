"""ModelSpec, Plan and a stream of tensors become a Model: the only place that wires the rooms together."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from engine.cache.kv import KvCache
from engine.layers.attention import Attention
from engine.layers.block import Block
from engine.layers.embedding import Embedding, PackedEmbedding
from engine.layers.linear import Linear
from engine.layers.mlp import GatedMlp
from engine.layers.norm import RmsNorm
from engine.layers.rope import RopeTable
from engine.layers.weight import DenseWeight, Stored
from engine.model.model import Model
from engine.plan.plan import DType, Plan
from engine.spec.model import LayerSpec, ModelSpec

DTYPES: Mapping[DType, torch.dtype] = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def build(spec: ModelSpec, plan: Plan, tensors: Mapping[str, Stored]) -> Model:
    """tensors: what fills each of `spec.names.slots(spec)`, on the plan's device."""
    device = torch.device(plan.device)
    weights = _Weights(tensors, spec.norm_eps)
    embedding = weights.embedding("embedding")
    head = weights.linear("embedding" if spec.tied else "head")
    attentions = [layer.attention for layer in spec.layers]
    ropes = {attention.rope: RopeTable(attention.rope, plan.context, device) for attention in attentions}
    cache = KvCache(attentions, plan.pages, DTYPES[plan.cache_dtype], device)
    blocks = [_block(weights, index, layer) for index, layer in enumerate(spec.layers)]
    return Model(embedding, blocks, weights.norm("norm"), head, ropes, cache)


class _Weights:
    """Makes layers from what is stored below a name."""

    def __init__(self, stored: Mapping[str, Stored], norm_eps: float) -> None:
        self._stored = stored
        self._norm_eps = norm_eps

    def tensor(self, name: str) -> Tensor:
        tensor = self._stored[name]
        assert isinstance(tensor, Tensor), f"{name} is plain"
        return tensor

    def embedding(self, name: str) -> Embedding | PackedEmbedding:
        table = self._stored[f"{name}.weight"]
        return table if isinstance(table, PackedEmbedding) else Embedding(self.tensor(f"{name}.weight"))

    def linear(self, name: str) -> Linear:
        weight = self._stored[f"{name}.weight"]
        assert not isinstance(weight, PackedEmbedding), f"{name} is a matrix"
        bias = self.tensor(f"{name}.bias") if f"{name}.bias" in self._stored else None
        return Linear(DenseWeight(weight) if isinstance(weight, Tensor) else weight, bias)

    def norm(self, name: str) -> RmsNorm:
        return RmsNorm(self.tensor(f"{name}.weight"), self._norm_eps)


def _block(weights: _Weights, index: int, layer: LayerSpec) -> Block:
    name = f"layers.{index}"
    q, k, v, o = (weights.linear(f"{name}.attention.{part}") for part in "qkvo")
    norms = None
    if layer.attention.qk_norm:
        norms = weights.norm(f"{name}.attention.q_norm"), weights.norm(f"{name}.attention.k_norm")
    gate, up, down = (weights.linear(f"{name}.mlp.{part}") for part in ("gate", "up", "down"))
    return Block(
        weights.norm(f"{name}.attention_norm"),
        Attention(layer.attention, index, (q, k, v, o), norms),
        weights.norm(f"{name}.mlp_norm"),
        GatedMlp(gate, up, down, layer.mlp.activation),
    )
