"""The ops between the matrices, for one token: bound by what it costs to call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch

import kernels
from kernels.bench import shapes
from kernels.bench.timing import Row, race, repeated
from kernels.reference import activation, kv, norm, rope

TIMES = 200


def rows() -> Iterator[Row]:
    x, weight = torch.randn(1, shapes.HIDDEN), torch.randn(shapes.HIDDEN)
    q = torch.randn(1, shapes.HEADS, shapes.DIM)
    cos, sin = torch.randn(1, shapes.DIM // 2), torch.randn(1, shapes.DIM // 2)
    gate = torch.randn(1, shapes.INTERMEDIATE)
    k = torch.randn(1, shapes.KV_HEADS, shapes.DIM)
    cache, slots = torch.zeros(2, 256, shapes.KV_HEADS, shapes.DIM), torch.tensor([300])
    yield _row("rms_norm", kernels.rms_norm, norm.rms_norm, x, weight, 1e-5)
    yield _row("rotate", kernels.rotate, rope.rotate, q, cos, sin)
    yield _row("gated silu", kernels.gated, activation.gated, gate, gate, "silu")
    yield _row("write_kv", kernels.write_kv, kv.write_kv, k, k, cache, cache, slots)


def _row(case: str, ours: Callable[..., object], reference: Callable[..., object], *args: object) -> Row:
    contenders = {"ours": partial(ours, *args), "reference": partial(reference, *args)}
    seconds = race({name: repeated(run, TIMES) for name, run in contenders.items()})
    return Row(case, {name: one / TIMES for name, one in seconds.items()})
