"""Attention of one new token over its context, in every layer, so that no cache holds the keys and values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

import kernels
from kernels.aten import attention as aten
from kernels.bench import shapes
from kernels.bench.timing import Row, race
from kernels.reference import attention as reference

PAGE = 256


def rows() -> Iterator[Row]:
    for keys in (100, 1000, 8000):
        for dtype in (torch.float32, torch.bfloat16):
            yield _row(keys, dtype)


def _row(keys: int, dtype: torch.dtype) -> Row:
    pages = -(-keys // PAGE)
    shape = (pages, PAGE, shapes.KV_HEADS, shapes.DIM)
    caches = [(torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)) for _ in range(shapes.LAYERS)]
    q = torch.randn(1, shapes.HEADS, shapes.DIM)
    batch = kernels.AttentionBatch.make(
        page_tables=[range(pages)], query_lens=[1], kv_lens=[keys], device=torch.device("cpu")
    )

    def layers(run: Callable[..., Tensor]) -> Callable[[], object]:
        return lambda: [run(q, k, v, batch, scale=0.125) for k, v in caches]

    seconds = race(
        {
            "ours": layers(kernels.attention),
            "torch": layers(aten.attention),
            "reference": layers(reference.attention),
        }
    )
    size = 2 * keys * shapes.KV_HEADS * shapes.DIM * dtype.itemsize
    return Row(f"{str(dtype)[6:]}, {keys} keys", seconds, size * shapes.LAYERS)
