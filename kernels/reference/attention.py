"""Causal attention over the paged cache: the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from kernels.ops.batch import AttentionBatch


def attention(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, *, scale: float, window: int | None = None
) -> Tensor:
    """See `kernels.ops.attention`."""
    compute = torch.promote_types(q.dtype, torch.float32)
    pieces = []
    for sequence, queries in enumerate(torch.split(q.to(compute), list(batch.query_lens))):
        length = batch.kv_lens[sequence]
        pages = batch.page_table[sequence, : -(-length // k_cache.shape[1])].long()
        k, v = (cache[pages].flatten(0, 1)[:length].to(compute) for cache in (k_cache, v_cache))
        pieces.append(_attend(queries, k, v, scale, window))
    return torch.cat(pieces).to(q.dtype) if pieces else torch.empty_like(q)


def _attend(q: Tensor, k: Tensor, v: Tensor, scale: float, window: int | None) -> Tensor:
    """q: [L, heads, dim], the latest L positions; k, v: [K, kv_heads, dim] → [L, heads, dim]."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    key = torch.arange(len(k), device=q.device)
    position = key[len(k) - len(q) :, None]
    hidden = key > position
    if window is not None:
        hidden = hidden | (key <= position - window)
    scores = torch.einsum("lhd,khd->hlk", q, k) * scale
    probabilities = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    return torch.einsum("hlk,khd->lhd", probabilities, v)
