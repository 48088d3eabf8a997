"""Causal grouped-query attention over the paged cache (Ainslie et al. 2023, arXiv 2305.13245)."""

from __future__ import annotations

from torch import Tensor

from kernels.aten import attention as aten
from kernels.native import attention as native
from kernels.ops.batch import AttentionBatch
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.attention import attention as reference
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled rows", native.refuses, native.attention),
    Implementation("torch's attention", aten.refuses, aten.attention),
    Implementation("reference", never, reference),
)


def attention(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, *, scale: float, window: int | None = None
) -> Tensor:
    """softmax(scale * q kᵀ) v of every query over what it may see: its own position and those before it.

    q: [T, heads, head_dim], float32, bfloat16 or float16, the queries of the batch's sequences one after the other.
    k_cache, v_cache: contiguous [pages, page_tokens, kv_heads, head_dim], float32, bfloat16 or float16; heads is a
    multiple of kv_heads, and query head h reads head h // (heads / kv_heads) of them.
    window: a query sees that many latest positions, its own included; None: all.
    Returns [T, heads, head_dim] in q's dtype. The processor computes in float32; a card in the caches' dtype
    with float32 sums.
    """
    _check(q, k_cache, v_cache, batch, window)
    chosen = choose(IMPLEMENTATIONS, q, k_cache, v_cache, batch, scale=scale, window=window)
    return chosen.run(q, k_cache, v_cache, batch, scale=scale, window=window)


def _check(q: Tensor, k_cache: Tensor, v_cache: Tensor, batch: AttentionBatch, window: int | None) -> None:
    caches = {"k_cache": k_cache, "v_cache": v_cache}
    if q.dim() != 3 or q.shape[0] != batch.tokens:
        refuse("attention", f"q must be [{batch.tokens}, heads, head_dim], as the batch says", q=q)
    if k_cache.dim() != 4 or k_cache.shape != v_cache.shape or k_cache.shape[3] != q.shape[2]:
        refuse("attention", "the caches must be [pages, page_tokens, kv_heads, head_dim of q]", q=q, **caches)
    if k_cache.shape[2] == 0 or q.shape[1] % k_cache.shape[2]:
        refuse("attention", "the heads of q must be a multiple of the caches' heads", q=q, **caches)
    if q.dtype not in ACTIVATION_DTYPES or k_cache.dtype not in ACTIVATION_DTYPES or k_cache.dtype != v_cache.dtype:
        refuse("attention", "q and the caches must be float32, bfloat16 or float16, the caches alike", q=q, **caches)
    if not (k_cache.is_contiguous() and v_cache.is_contiguous()):
        refuse("attention", "the caches must be contiguous", **caches)
    if not q.device == k_cache.device == v_cache.device == batch.page_table.device:
        refuse("attention", "all must be on one device", q=q, page_table=batch.page_table, **caches)
    if batch.longest > batch.page_table.shape[1] * k_cache.shape[1]:
        refuse("attention", f"{batch.longest} keys do not fit the page table", page_table=batch.page_table, **caches)
    if window is not None and window < 1:
        refuse("attention", f"window must be 1 or more, not {window}")
