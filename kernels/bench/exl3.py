"""All matrices of a model in EXL3 once, at the shapes of the starter widened to 768: bound by decoding weights.

"torch" is the same model in float32. The rate of a row is of the packed bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

import kernels
from kernels.bench.timing import Row, race
from kernels.reference import exl3 as reference

HIDDEN, KEYS, INTERMEDIATE, VOCAB, LAYERS = 768, 256, 1536, 49152, 30
MATRICES = (
    (HIDDEN, HIDDEN),
    (HIDDEN, KEYS),
    (HIDDEN, KEYS),
    (HIDDEN, HIDDEN),
    (HIDDEN, INTERMEDIATE),
    (HIDDEN, INTERMEDIATE),
    (INTERMEDIATE, HIDDEN),
)
HEAD_RATE = 6
LARGE = (4096, 14336)  # gate of a layer of an 8B model
Weight = tuple[Tensor, Tensor, Tensor]


def rows() -> Iterator[Row]:
    inputs = {size: torch.randn(1, size) for size in (HIDDEN, INTERMEDIATE, LARGE[0])}
    wide = [torch.randn(outer, inner) for inner, outer in (*MATRICES * LAYERS, (HIDDEN, VOCAB))]
    for codebook, rate in (("mul1", 3), ("mul1", 4), ("mcg", 3), ("3inst", 3)):
        weights = [_weight(shape, rate) for shape in MATRICES * LAYERS] + [_weight((HIDDEN, VOCAB), HEAD_RATE)]
        contenders: dict[str, Callable[[], object]] = {
            name: partial(_all, weights, inputs, codebook, fast)
            for name, fast in (("fast", True), ("exact", False))
            if codebook == "mul1" or not fast
        }
        contenders["torch"] = partial(_wide, wide, inputs)
        size = sum(weight[0].nbytes for weight in weights)
        yield Row(f"model, {codebook} {rate} bits", race(contenders), size)
    for count in (1, 8, 64, 512):
        yield _large(count)


def _large(count: int) -> Row:
    weight, wide, x = _weight(LARGE, 3), torch.randn(LARGE[::-1]), torch.randn(count, LARGE[0])
    contenders: dict[str, Callable[[], object]] = {
        "fast": lambda: kernels.exl3_linear(x, *weight, codebook="mul1", fast=True),
        "exact": lambda: kernels.exl3_linear(x, *weight, codebook="mul1"),
        "torch": lambda: x @ wide.T,
    }
    if count == 1:
        contenders["reference"] = lambda: reference.exl3_linear(x, *weight, codebook="mul1")
    return Row(f"4096 x 14336, {count} rows", race(contenders, rounds=3), weight[0].nbytes)


def _weight(shape: tuple[int, int], rate: int) -> Weight:
    inner, outer = shape
    trellis = torch.randint(-(2**15), 2**15, (inner // 16, outer // 16, 16 * rate), dtype=torch.int16)
    return trellis, torch.randn(inner).half(), torch.randn(outer).half()


def _all(weights: Sequence[Weight], inputs: dict[int, Tensor], codebook: str, fast: bool) -> None:
    for weight in weights:
        kernels.exl3_linear(inputs[len(weight[1])], *weight, codebook=codebook, fast=fast)


def _wide(weights: Sequence[Tensor], inputs: dict[int, Tensor]) -> None:
    for weight in weights:
        torch.mm(inputs[weight.shape[1]], weight.T)
