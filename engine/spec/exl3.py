"""The EXL3 format: what one packed matrix is called, how large it is, and what may be in it. One truth for reading,
writing, planning and describing.

A layer `<key>` of a file holds, instead of `<key>.weight`:

    <key>.trellis        I16 [in / 16, out / 16, 16 · K]   tiles of 16 × 16 weights at K bits
    <key>.suh, .svh      F16 [in], [out]                   signed scales of inputs and outputs
    <key>.mcg or .mul1   I32 []                            which codebook; without either it is 3inst
    <key>.su, .sv        I16 [in / 16], [out / 16]         in old files instead of suh and svh: signs alone, 1 bit each

`in` and `out` are the sizes of the model rounded up to multiples of 128; the rest meets zeros and is cut off. Matrices
wider than the format's limit are stored as `<key>.slice.<i>`, cut along the wide side. A table of embeddings has rows
of G rings, G = ⌈hidden / 256⌉, each a float16 scale and 16 · K words, and `<key>.signs` F16 [G, 256].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Codebook = Literal["3inst", "mcg", "mul1"]

RATES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0)
HALF_RATES: Codebook = "mul1"  # the only codebook that has them
MARKERS: Mapping[Codebook, int] = MappingProxyType({"mcg": 0xCBAC1FED, "mul1": 0x83DCD12D})  # and their one value
TILE = 16
MULTIPLE = 128  # both sides of a packed matrix, and those of others that pass through the same writer
RING = 256  # values of a table's row that are coded together
SLICE = ".slice."
CUT: Mapping[str, Literal["in", "out"]] = MappingProxyType({"gate_proj": "out", "up_proj": "out", "down_proj": "in"})


@dataclass(frozen=True, slots=True)
class Exl3Part:
    """One trellis with its scales. inner, out: sizes in the file. signs_in, signs_out: the scales are signs alone."""

    key: str
    file: Path
    rate: float
    codebook: Codebook
    inner: int
    out: int
    signs_in: bool = False
    signs_out: bool = False

    @property
    def trellis(self) -> str:
        return f"{self.key}.trellis"

    @property
    def input_scales(self) -> str:
        return f"{self.key}.{'su' if self.signs_in else 'suh'}"

    @property
    def output_scales(self) -> str:
        return f"{self.key}.{'sv' if self.signs_out else 'svh'}"

    @property
    def marker(self) -> str | None:
        return f"{self.key}.{self.codebook}" if self.codebook in MARKERS else None

    @property
    def weights(self) -> int:
        return self.inner * self.out

    @property
    def bytes(self) -> int:
        """In memory, where signs have become float16 scales."""
        return int(self.weights * self.rate) // 8 + 2 * (self.inner + self.out)


@dataclass(frozen=True, slots=True)
class Exl3Matrix:
    """The weight of one linear layer. along: the side that its parts divide, if there are several."""

    key: str
    parts: tuple[Exl3Part, ...]
    along: Literal["in", "out"] = "out"

    @property
    def file(self) -> Path:
        return self.parts[0].file

    @property
    def shape(self) -> tuple[int, int]:
        """(out, in) in the file."""
        first, outs, inners = self.parts[0], [part.out for part in self.parts], [part.inner for part in self.parts]
        return (sum(outs), first.inner) if self.along == "out" else (first.out, sum(inners))

    @property
    def rounding(self) -> tuple[int, int]:
        return MULTIPLE, MULTIPLE

    @property
    def rate(self) -> float:
        """Bits a weight, scales not counted."""
        return sum(part.rate * part.weights for part in self.parts) / sum(part.weights for part in self.parts)

    @property
    def codebooks(self) -> tuple[Codebook, ...]:
        return tuple(sorted({part.codebook for part in self.parts}))

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)


@dataclass(frozen=True, slots=True)
class Exl3Table:
    """A packed table of embeddings. groups: rings a row."""

    key: str
    file: Path
    rate: float
    rows: int
    groups: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.groups * RING

    @property
    def rounding(self) -> tuple[int, int]:
        return 1, RING

    @property
    def codebooks(self) -> tuple[Codebook, ...]:
        return (HALF_RATES,)

    @property
    def bytes(self) -> int:
        return self.rows * self.groups * (int(self.rate * RING) // 8 + 2) + 2 * self.groups * RING


def padded(shape: tuple[int, ...], rounding: tuple[int, ...]) -> tuple[int, ...]:
    """Every size rounded up to its multiple."""
    return tuple(-(-size // multiple) * multiple for size, multiple in zip(shape, rounding, strict=True))


def mean_rate(matrices: tuple[Exl3Matrix, ...]) -> float:
    """Bits a weight over all of them, each weighted by its size."""
    weights = [prod(matrix.shape) for matrix in matrices]
    return sum(matrix.rate * size for matrix, size in zip(matrices, weights, strict=True)) / sum(weights)
