"""One token through all ops of the model, as the engine calls them: what is lost beside reading the weights."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

import kernels
from kernels.bench import shapes
from kernels.bench.timing import Row, race

KEYS = 200


def rows() -> Iterator[Row]:
    for dtype in (torch.bfloat16, torch.float32):
        step = _Step(dtype)
        with torch.inference_mode():
            yield Row(f"{str(dtype)[6:]}, {KEYS} keys", race({"step": step, "its matrices": step.matrices}), step.bytes)


class _Step:
    def __init__(self, dtype: torch.dtype) -> None:
        self.layers, self.head = shapes.model(dtype)
        cache = (1, 256, shapes.KV_HEADS, shapes.DIM)
        self.caches = [(torch.zeros(cache).to(dtype), torch.zeros(cache).to(dtype)) for _ in self.layers]
        self.norm = torch.ones(shapes.HIDDEN)
        self.angles = torch.randn(1, shapes.DIM // 2), torch.randn(1, shapes.DIM // 2)
        self.slots = torch.tensor([KEYS - 1])
        self.batch = kernels.AttentionBatch.make(
            page_tables=[[0]], query_lens=[1], kv_lens=[KEYS], device=torch.device("cpu")
        )
        self.bytes = sum(weight.nbytes for layer in self.layers for weight in layer) + self.head.nbytes

    def __call__(self) -> Tensor:
        x = torch.ones(1, shapes.HIDDEN)
        for weights, caches in zip(self.layers, self.caches, strict=True):
            x = self._layer(x, weights, *caches)
        return kernels.linear(kernels.rms_norm(x, self.norm, 1e-5), self.head)

    def _layer(self, x: Tensor, weights: list[Tensor], k_cache: Tensor, v_cache: Tensor) -> Tensor:
        q, k, v, o, gate, up, down = weights
        h = kernels.rms_norm(x, self.norm, 1e-5)
        queries = kernels.linear(h, q).view(-1, shapes.HEADS, shapes.DIM)
        keys = kernels.linear(h, k).view(-1, shapes.KV_HEADS, shapes.DIM)
        values = kernels.linear(h, v).view(-1, shapes.KV_HEADS, shapes.DIM)
        queries, keys = kernels.rotate(queries, *self.angles), kernels.rotate(keys, *self.angles)
        kernels.write_kv(keys, values, k_cache, v_cache, self.slots)
        mixed = kernels.attention(queries, k_cache, v_cache, self.batch, scale=0.125)
        x = x + kernels.linear(mixed.view(1, -1), o)
        h = kernels.rms_norm(x, self.norm, 1e-5)
        return x + kernels.linear(kernels.gated(kernels.linear(h, gate), kernels.linear(h, up), "silu"), down)

    def matrices(self) -> None:
        inputs = {size: torch.ones(1, size) for size in (shapes.HIDDEN, shapes.INTERMEDIATE)}
        for layer in self.layers:
            for weight in layer:
                kernels.linear(inputs[weight.shape[1]], weight)
        kernels.linear(inputs[shapes.HIDDEN], self.head)
