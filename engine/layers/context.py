"""ForwardContext: everything about a step that is not an activation or a weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from engine.cache.kv import KvCache
from engine.spec.model import RopeSpec
from kernels import AttentionBatch

__all__ = ["AttentionBatch", "ForwardContext"]


@dataclass(frozen=True, slots=True)
class ForwardContext:
    """One step over T tokens of S sequences.

    slots: int64 [T], where in the cache each token's key and value go (page * PAGE_TOKENS + offset).
    batch: how the T tokens belong to sequences and which pages those have.
    rope: cos and sin, float32 [T, dim/2], for every rotary embedding of the model.
    """

    cache: KvCache
    slots: Tensor
    batch: AttentionBatch
    rope: Mapping[RopeSpec, tuple[Tensor, Tensor]]
