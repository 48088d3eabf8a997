"""Writing keys and values into the paged cache: the definition."""

from __future__ import annotations

from torch import Tensor


def write_kv(k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor) -> None:
    """See `kernels.ops.kv`."""
    for new, cache in ((k, k_cache), (v, v_cache)):
        cache.view(-1, *cache.shape[2:])[slots] = new.to(cache.dtype)
