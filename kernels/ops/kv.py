"""Writing keys and values into the paged cache."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.native import rows as native
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.kv import write_kv as reference
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled", native.refuses_write_kv, native.write_kv),
    Implementation("reference", never, reference),
)


def write_kv(k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor) -> None:
    """Stores a key and a value for each token, in the caches' dtype, in place.

    k, v: [T, kv_heads, head_dim], float32, bfloat16 or float16.
    k_cache, v_cache: contiguous [pages, page_tokens, kv_heads, head_dim], float32, bfloat16 or float16.
    slots: int64 [T], page * page_tokens + offset, each at most once, within the cache: they come from the
    cache's one owner, and only the definition looks at their values.
    """
    if k.dim() != 3 or k.shape != v.shape or k.dtype != v.dtype or k.dtype not in ACTIVATION_DTYPES:
        refuse("write_kv", "k and v must both be [T, kv_heads, head_dim] in one floating dtype", k=k, v=v)
    if k_cache.dim() != 4 or k_cache.shape != v_cache.shape or k_cache.shape[2:] != k.shape[1:]:
        refuse(
            "write_kv",
            "the caches must be [pages, page_tokens, kv_heads, head_dim] with the heads of k",
            k=k,
            k_cache=k_cache,
            v_cache=v_cache,
        )
    if k_cache.dtype != v_cache.dtype or k_cache.dtype not in ACTIVATION_DTYPES:
        refuse("write_kv", "the caches must be in one floating dtype", k_cache=k_cache, v_cache=v_cache)
    if not (k_cache.is_contiguous() and v_cache.is_contiguous()):
        refuse("write_kv", "the caches must be contiguous", k_cache=k_cache, v_cache=v_cache)
    if slots.dtype != torch.int64 or slots.shape != k.shape[:1]:
        refuse("write_kv", "slots must be int64 [T]", k=k, slots=slots)
    if not k.device == v.device == k_cache.device == v_cache.device == slots.device:
        refuse("write_kv", "all must be on one device", k=k, k_cache=k_cache, v_cache=v_cache, slots=slots)
    choose(IMPLEMENTATIONS, k, v, k_cache, v_cache, slots).run(k, v, k_cache, v_cache, slots)
