"""Packed matrices of an EXL3 folder: as entries beside the plain ones, and read onto a device as they are packed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import torch
from torch import Tensor

from engine.errors import BadQuantization, NonFiniteWeights
from engine.layers.embedding import PackedEmbedding
from engine.layers.weight import Exl3Weight, SlicedWeight
from engine.spec.exl3 import MARKERS, MULTIPLE, Exl3Matrix, Exl3Part, Exl3Table, mean_rate
from engine.spec.exl3_headers import Packed
from engine.spec.model import Quantization
from engine.spec.names import Slot
from engine.weights.entry import Entry

FORMAT = "EXL3"
EMBEDDING = "embedding.weight"
UNPADDED = ("embed", "norm")  # what keeps its own size: parts of names of modules

ReadTensor = Callable[[str], Tensor]  # by name, on the processor, as stored


def as_entries(packed: Packed, entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """All entries, with one `<key>.weight` for each packed matrix instead of its parts. What passed through the same
    writer unpacked may be padded like them."""
    if not packed.names:
        return dict(entries)
    plain = {name: _paddable(entry) for name, entry in entries.items() if name not in packed.names}
    everything: list[Exl3Matrix | Exl3Table] = [*packed.matrices.values(), *packed.tables.values()]
    for stored in everything:
        name = f"{stored.key}.weight"
        if name in plain:
            raise BadQuantization(plain[name].file, name, "is stored twice, packed and unpacked")
        plain[name] = Entry(name, stored.file, stored.shape, FORMAT, stored.rounding)
    return plain


def _paddable(entry: Entry) -> Entry:
    if any(part in entry.name for part in UNPADDED):
        return entry
    return replace(entry, rounding=(MULTIPLE,) * len(entry.shape))


def quantization(packed: Packed, chosen: Iterable[tuple[Slot, Entry]]) -> Quantization | None:
    """Of a model whose slots are filled by these entries; None if none of them is packed."""
    matrices, head, elements, size = [], None, 0, 0
    codebooks: set[str] = set()
    for slot, entry in chosen:
        if entry.dtype != FORMAT:
            continue
        key = entry.name.removesuffix(".weight")
        stored = packed.matrices.get(key) or packed.tables[key]
        elements += slot.shape[0] * slot.shape[1]
        size += stored.bytes
        codebooks.update(stored.codebooks)
        if isinstance(stored, Exl3Matrix):
            if slot.name.startswith("head."):
                head = stored.rate
            else:
                matrices.append(stored)
    if not size:
        return None
    bits = mean_rate(tuple(matrices)) if matrices else None
    return Quantization("exl3", bits, head, tuple(sorted(codebooks)), elements, size)


def check_places(packed: Packed, chosen: Mapping[str, Entry], *, tied: bool) -> None:
    """Tables embed and matrices multiply; neither does both. chosen: the entries by slot. Raises BadQuantization."""
    for slot, entry in chosen.items():
        key = entry.name.removesuffix(".weight")
        is_table = entry.dtype == FORMAT and key in packed.tables
        if entry.dtype == FORMAT and is_table != (slot == EMBEDDING):
            raise BadQuantization(entry.file, f"{key}.trellis", f"is packed as a {'table' if is_table else 'matrix'}")
        if is_table and tied:
            raise BadQuantization(
                entry.file, f"{key}.trellis", "would be the output head too, for which it is no matrix"
            )


def read_table(table: Exl3Table, slot: Slot, read: ReadTensor, device: str) -> PackedEmbedding:
    """The table of a slot, checked. Raises NonFiniteWeights, CorruptFile."""
    trellis, signs = read(f"{table.key}.trellis"), read(f"{table.key}.signs")
    scales = trellis.view(-1, table.groups, trellis.shape[1] // table.groups)[..., 0].contiguous().view(torch.float16)
    for name, values in (("trellis", scales), ("signs", signs)):
        if not bool(values.isfinite().all()):
            raise NonFiniteWeights(table.file, f"{table.key}.{name}")
    return PackedEmbedding(trellis.to(device, copy=True), signs.to(device, copy=True), slot.shape[1])


def read_matrix(matrix: Exl3Matrix, slot: Slot, read: ReadTensor, device: str) -> Exl3Weight | SlicedWeight:
    """The weight of a slot, checked. Raises BadQuantization, NonFiniteWeights, CorruptFile."""
    out, inner = slot.shape
    if len(matrix.parts) == 1:
        return _read_part(matrix.parts[0], out, read, device)
    sizes = _sizes(matrix, out if matrix.along == "out" else inner)
    outs = sizes if matrix.along == "out" else (out,) * len(sizes)
    parts = tuple(_read_part(part, size, read, device) for part, size in zip(matrix.parts, outs, strict=True))
    return SlicedWeight(parts, matrix.along, sizes)


def _sizes(matrix: Exl3Matrix, whole: int) -> tuple[int, ...]:
    """Of the side that is cut: only the last slice is padded."""
    stored = [part.out if matrix.along == "out" else part.inner for part in matrix.parts]
    return (*stored[:-1], whole - sum(stored[:-1]))


def _read_part(part: Exl3Part, out: int, read: ReadTensor, device: str) -> Exl3Weight:
    _check_marker(part, read)
    suh = _scales(part, part.input_scales, part.signs_in, read)
    svh = _scales(part, part.output_scales, part.signs_out, read)
    trellis = read(part.trellis).to(device, copy=True)
    return Exl3Weight(trellis, suh.to(device), svh.to(device), part.codebook, out)


def _check_marker(part: Exl3Part, read: ReadTensor) -> None:
    """The number that the codebook multiplies with is stored only so that others can be refused."""
    if part.marker is None:
        return
    value = int(read(part.marker)) & 0xFFFFFFFF
    if value != MARKERS[part.codebook]:
        expected = f"{MARKERS[part.codebook]:#010x}"
        raise BadQuantization(part.file, part.marker, f"is {value:#010x}; the codebook's number is {expected}")


def _scales(part: Exl3Part, name: str, signs: bool, read: ReadTensor) -> Tensor:
    """float16, in its own memory."""
    stored = read(name)
    if signs:
        bits = stored.to(torch.int32)[:, None] >> torch.arange(16, dtype=torch.int32) & 1
        return (1 - 2 * bits).flatten().half()
    if not bool(stored.isfinite().all()):
        raise NonFiniteWeights(part.file, name)
    return stored.clone()
