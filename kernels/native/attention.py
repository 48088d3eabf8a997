"""Attention of a few queries a sequence, over paged keys and values where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from kernels.aten.attention import attend_sequence
from kernels.ops.batch import AttentionBatch
from kernels.runtime.cpu_library import DTYPES, library

if TYPE_CHECKING:
    from kernels._native import Isa

MOST_QUERIES = 8  # of a sequence; with more, gathering its pages once for torch's matmul pays
KEY_BLOCK = 64  # kKeyBlock of kernels.h


def refuses(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, *, scale: float, window: int | None = None
) -> str:
    if library().isa is None:
        return library().absent
    if not q.is_cpu or q.dtype != torch.float32:
        return "q is not float32 on the processor"
    if not q.is_contiguous():
        return "q is not contiguous"
    if k_cache.shape[1] % KEY_BLOCK:
        return f"the pages are not whole blocks of {KEY_BLOCK} keys"
    if min(batch.query_lens, default=0) > MOST_QUERIES:
        return f"every sequence has more than {MOST_QUERIES} queries"
    return ""


def attention(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, *, scale: float, window: int | None = None
) -> Tensor:
    """See `kernels.ops.attention`. Sequences with many queries go to torch, one by one."""
    isa = library().isa
    assert isa is not None
    out = attention_rows(isa, q, k_cache, v_cache, batch, scale=scale, window=window)
    start = 0
    for sequence, length in enumerate(batch.query_lens):
        rows = slice(start, start + length)
        if length > MOST_QUERIES:
            attend_sequence(q[rows], k_cache, v_cache, batch, sequence, out[rows], scale=scale, window=window)
        start += length
    return out


def attention_rows(
    isa: Isa,
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    batch: AttentionBatch,
    *,
    scale: float,
    window: int | None = None,
) -> Tensor:
    """Computes sequences of up to MOST_QUERIES queries; the rows of others are left as they come.

    A row's result is the same bits whatever the other queries and sequences of the batch and the threads.
    """
    out = torch.empty_like(q)
    pages, page_tokens, kv_heads, head_dim = k_cache.shape
    sequences, table_pages = batch.page_table.shape
    sizes = [
        q.shape[1],
        kv_heads,
        head_dim,
        page_tokens,
        window or 0,
        sequences,
        table_pages,
        batch.tokens,
        pages,
        MOST_QUERIES,
    ]
    isa.attention(
        q.data_ptr(),
        k_cache.data_ptr(),
        v_cache.data_ptr(),
        out.data_ptr(),
        batch.page_table.data_ptr(),
        batch.query_start.data_ptr(),
        batch.kv_len.data_ptr(),
        sizes,
        scale,
        DTYPES[k_cache.dtype],
    )
    return out
