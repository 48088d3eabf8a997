"""All matrices of the model once, for a few rows: bound by the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

import kernels
from kernels.aten import linear as aten
from kernels.bench import shapes
from kernels.bench.timing import Row, race
from kernels.reference import linear as reference


def rows() -> Iterator[Row]:
    for dtype in (torch.bfloat16, torch.float32):
        layers, head = shapes.model(dtype)
        weights = [weight for layer in layers for weight in layer] + [head]
        for count in (1, 2, 4, 8, 16):
            inputs = {size: torch.randn(count, size) for size in (shapes.HIDDEN, shapes.INTERMEDIATE)}
            pairs = [(inputs[weight.shape[1]], weight) for weight in weights]
            seconds = race(
                {
                    "ours": partial(_all, kernels.linear, pairs),
                    "torch": partial(_all, aten.linear, pairs),
                    "reference": partial(_all, reference.linear, pairs),
                },
                rounds=3 if count > 2 else 7,
            )
            yield Row(f"{str(dtype)[6:]}, {count} rows", seconds, sum(weight.nbytes for weight in weights))


def _all(linear: Callable[[Tensor, Tensor], Tensor], pairs: list[tuple[Tensor, Tensor]]) -> None:
    for x, weight in pairs:
        linear(x, weight)
