"""Finding the packed matrices of a checkpoint by what the headers of its files say.

Whether a layer is packed is decided by which tensors there are, never by what a configuration file claims.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.errors import BadQuantization, MissingTensors
from engine.spec.exl3 import (
    CUT,
    HALF_RATES,
    MARKERS,
    MULTIPLE,
    RATES,
    RING,
    SLICE,
    TILE,
    Codebook,
    Exl3Matrix,
    Exl3Part,
    Exl3Table,
)

PARTS = ("trellis", "suh", "svh", "su", "sv")
RECONVERT = "Choose another conversion of the model, or convert it again."


class Header(Protocol):
    """A tensor as its file's header tells."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> Path: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Packed:
    """What is packed, by key; and the names of the tensors that it consists of."""

    matrices: Mapping[str, Exl3Matrix]
    tables: Mapping[str, Exl3Table]
    names: frozenset[str]


def find_packed(headers: Mapping[str, Header]) -> Packed:
    """Raises MissingTensors or BadQuantization."""
    parts: dict[str, list[Exl3Part]] = defaultdict(list)
    tables: dict[str, Exl3Table] = {}
    names: set[str] = set()
    keys = {name.rpartition(".")[0] for name in headers if name.rpartition(".")[2] in PARTS}
    for key in sorted(keys, key=_in_order):
        layer = _Layer(key, headers)
        if "signs" in layer:
            tables[key] = layer.table()
        else:
            parts[key.partition(SLICE)[0]].append(layer.part())
        names.update(layer.names())
    return Packed({key: _join(key, tuple(found)) for key, found in parts.items()}, tables, frozenset(names))


def _in_order(key: str) -> tuple[str, int]:
    """Slices by number."""
    whole, _, number = key.partition(SLICE)
    return whole, int(number) if number.isdecimal() else 0


def _join(key: str, parts: tuple[Exl3Part, ...]) -> Exl3Matrix:
    if len(parts) == 1 and parts[0].key == key:
        return Exl3Matrix(key, parts)
    along = CUT.get(key.rpartition(".")[2])
    expected = tuple(f"{key}{SLICE}{number}" for number in range(len(parts)))
    if tuple(part.key for part in parts) != expected or along is None:
        raise BadQuantization(parts[0].file, parts[0].key, f"is no slice of {key} as the format cuts it", RECONVERT)
    shared = {part.inner if along == "out" else part.out for part in parts}
    if len(shared) > 1:
        raise BadQuantization(parts[0].file, parts[0].trellis, "differs from the other slices in the side they share")
    return Exl3Matrix(key, parts, along)


class _Layer:
    """The tensors of one key."""

    def __init__(self, key: str, headers: Mapping[str, Header]) -> None:
        self.key = key
        self._headers = headers

    def __contains__(self, suffix: str) -> bool:
        return f"{self.key}.{suffix}" in self._headers

    def names(self) -> Iterator[str]:
        yield from (f"{self.key}.{suffix}" for suffix in (*PARTS, *MARKERS, "signs") if suffix in self)

    def part(self) -> Exl3Part:
        trellis = self._trellis(3)
        if "scale" in self:
            raise self._bad("scale", "belongs to a pre-release of EXL3, whose weights have another size", RECONVERT)
        inner, out = trellis.shape[0] * TILE, trellis.shape[1] * TILE
        if inner % MULTIPLE or out % MULTIPLE or not trellis.shape[0] * trellis.shape[1]:
            raise self._bad("trellis", f"covers {out} × {inner} weights, which are no multiples of {MULTIPLE}")
        rate = self._rate(trellis.shape[2] / TILE)
        codebook = self._codebook()
        if rate != int(rate) and codebook != HALF_RATES:
            raise self._bad("trellis", f"has {rate:g} bits, which the codebook {codebook} does not know")
        return Exl3Part(
            self.key, trellis.file, rate, codebook, inner, out, self._signs("su", inner), self._signs("sv", out)
        )

    def table(self) -> Exl3Table:
        trellis, signs = self._trellis(2), self._get("signs", "F16")
        groups = signs.shape[0] if len(signs.shape) == 2 and signs.shape[1] == RING else 0
        if not groups or trellis.shape[1] % groups:
            raise self._bad("signs", f"has shape {list(signs.shape)}, rows of the table have {trellis.shape[1]} words")
        rate = self._rate((trellis.shape[1] // groups - 1) / TILE)
        if rate != int(rate):
            raise self._bad("trellis", f"has {rate:g} bits, which tables do not know")
        return Exl3Table(self.key, trellis.file, rate, trellis.shape[0], groups)

    def _trellis(self, dimensions: int) -> Header:
        trellis = self._get("trellis", "I16")
        if len(trellis.shape) != dimensions:
            raise self._bad("trellis", f"has shape {list(trellis.shape)}, where {dimensions} dimensions are expected")
        return trellis

    def _rate(self, rate: float) -> float:
        if rate not in RATES:
            raise self._bad("trellis", f"has {rate:g} bits a weight by its width; there are {_listed(RATES)}")
        return rate

    def _codebook(self) -> Codebook:
        found = [codebook for codebook in MARKERS if codebook in self]
        if len(found) > 1:
            raise self._bad(found[0], f"and {found[1]} are both there, but a layer has one codebook", RECONVERT)
        for codebook in found:
            if self._get(codebook, "I32").shape:
                raise self._bad(codebook, f"has shape {list(self._get(codebook, 'I32').shape)}, not that of one number")
            return codebook
        return "3inst"

    def _signs(self, suffix: str, size: int) -> bool:
        """Whether the scales of this side are signs alone."""
        scales = suffix + "h"
        packed = suffix in self and scales not in self
        header = self._get(suffix, "I16") if packed else self._get(scales, "F16")
        expected = size // TILE if packed else size
        if header.shape != (expected,):
            raise self._bad(
                header.name.rpartition(".")[2], f"has shape {list(header.shape)}, its trellis needs [{expected}]"
            )
        return packed

    def _get(self, suffix: str, dtype: str) -> Header:
        header = self._headers.get(f"{self.key}.{suffix}")
        if header is None:
            raise MissingTensors(self._file(), (f"{self.key}.{suffix}",))
        if header.dtype != dtype:
            raise self._bad(suffix, f"is stored as {header.dtype}, the format has {dtype}", RECONVERT)
        return header

    def _file(self) -> Path:
        return self._headers[next(self.names())].file

    def _bad(self, suffix: str, reason: str, cure: str | None = None) -> BadQuantization:
        name = f"{self.key}.{suffix}"
        file = self._headers[name].file
        return BadQuantization(file, name, reason) if cure is None else BadQuantization(file, name, reason, cure)


def _listed(rates: tuple[float, ...]) -> str:
    return ", ".join(f"{rate:g}" for rate in rates)
