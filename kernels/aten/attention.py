"""Attention by torch's scaled_dot_product_attention, over keys and values gathered from their pages.

One sequence at a time, a block of queries at a time: what exists beside the result is one sequence's keys and
values and one block's mask (and scores, where torch materializes them).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from kernels.ops.batch import AttentionBatch

QUERY_BLOCK = 128  # the planner counts the scores of this many queries


def refuses(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, *, scale: float, window: int | None = None
) -> str:
    """The processor's kernels round to 16 bit between their sums, so there q must be float32."""
    if not q.is_cuda and q.dtype != torch.float32:
        return f"q is {q.dtype} on a processor, where only float32 is exact"
    return ""


def attention(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, *, scale: float, window: int | None = None
) -> Tensor:
    """See `kernels.ops.attention`."""
    out = torch.empty_like(q)
    start = 0
    for sequence, length in enumerate(batch.query_lens):
        rows = slice(start, start + length)
        attend_sequence(q[rows], k_cache, v_cache, batch, sequence, out[rows], scale=scale, window=window)
        start += length
    return out


def attend_sequence(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    batch: AttentionBatch,
    sequence: int,
    out: Tensor,
    *,
    scale: float,
    window: int | None,
) -> None:
    """One sequence of the batch. q: its queries, [L, heads, head_dim]. Writes `out`, of q's shape."""
    page_tokens, kv_len = k_cache.shape[1], batch.kv_lens[sequence]
    first_position = kv_len - len(q)
    first_page = 0 if window is None else max(0, first_position - window + 1) // page_tokens
    pages = batch.page_table[sequence, first_page : -(-kv_len // page_tokens)].long()
    compute = k_cache.dtype if q.is_cuda else q.dtype
    k, v = (cache[pages].flatten(0, 1).to(compute) for cache in (k_cache, v_cache))
    offset = first_page * page_tokens  # position of the first gathered key
    for at in range(0, len(q), QUERY_BLOCK):
        block = q[at : at + QUERY_BLOCK].to(compute)
        position = first_position - offset + at
        lowest = 0 if window is None else max(0, position - window + 1)
        keys = slice(lowest, position + len(block))
        mixed = _attend(block, k[keys], v[keys], scale, window)
        out[at : at + QUERY_BLOCK] = mixed


def _attend(q: Tensor, k: Tensor, v: Tensor, scale: float, window: int | None) -> Tensor:
    """q: [L, heads, dim], the latest L positions; k, v: [K, kv_heads, dim] → [L, heads, dim].

    A key's head is the batch dimension and its queries' heads are the heads, so that keys are shared by a
    stride of zero and not by copies.
    """
    length, heads, dim = q.shape
    kv_heads, group = k.shape[1], heads // k.shape[1]
    queries = q.view(length, kv_heads, group, dim).permute(1, 2, 0, 3)
    keys, values = (one.transpose(0, 1)[:, None].expand(kv_heads, group, one.shape[0], dim) for one in (k, v))
    hides = window is not None and len(k) > window
    whole = length == len(k) and not hides
    mask = None if whole or (length == 1 and not hides) else _mask(length, len(k), window, q.device)
    mixed = functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask, is_causal=whole and length > 1, scale=scale
    )
    return mixed.permute(2, 0, 1, 3).reshape(length, heads, dim)


def _mask(length: int, keys: int, window: int | None, device: torch.device) -> Tensor:
    """bool [length, keys]: which keys the latest `length` positions see."""
    key = torch.arange(keys, device=device)
    position = key[keys - length :, None]
    seen = key <= position
    return seen if window is None else seen & (key > position - window)
