"""Safetensors folders: what the headers say (the format's README: eight bytes of length, a JSON header, the data).

The headers of the files are the truth about tensors; the index decides only which of several copies counts:
- files that the index names and that are there are read; one that is absent is missed only if a tensor is;
- a tensor that the index forgot is taken from a file that it names;
- if there is no index, or none of its files, model.safetensors is read; failing that, every file of the folder;
- other files are left out, with a warning where they lie beside indexed ones.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import CorruptFile, MissingShards, NotAModel, some
from engine.spec.config import Config
from engine.weights.entry import Entry

INDEX = "model.safetensors.index.json"
WHOLE = "model.safetensors"
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
LARGEST_HEADER = 2**27  # bytes; more is no header but damage


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every tensor of a folder by name; files that are named but absent; what was odd."""

    entries: dict[str, Entry]
    absent: tuple[str, ...]
    warnings: tuple[str, ...]


def take_inventory(folder: Path) -> Inventory:
    """Raises NotAModel, MissingShards or CorruptFile."""
    indexed = _indexed(folder)
    present = sorted(path.name for path in folder.glob("*.safetensors") if path.is_file())
    used = [name for name in present if name in indexed]
    if not present:
        raise MissingShards(folder, tuple(sorted(indexed))) if indexed else _no_weights(folder)
    if not used:
        read = [WHOLE] if WHOLE in present else present
        entries, warnings = _gather(folder, read)
        if indexed:
            warnings.append(
                f"{INDEX} names {len(indexed)} files that are not there; {', '.join(read)} is read instead."
            )
        return Inventory(entries, (), tuple(warnings))
    entries, warnings = _gather(folder, used)
    absent = tuple(sorted(set(indexed) - set(present)))
    if absent:
        warnings.append(f"{INDEX} names {some(absent)}, which is not there.")
    stray = [name for name in present if name not in indexed]
    if stray:
        warnings.append(f"{', '.join(stray)} is not named by {INDEX} and is left out.")
    forgotten = set(entries).difference(*indexed.values())
    if forgotten:
        warnings.append(f"{INDEX} does not list {len(forgotten)} tensors that the files hold; they are used.")
    return Inventory(entries, absent, tuple(warnings))


def _no_weights(folder: Path) -> NotAModel:
    pickled = sorted(path.name for path in (*folder.glob("*.bin"), *folder.glob("*.pt"), *folder.glob("*.pth")))
    if pickled:
        return NotAModel(
            folder,
            f"its weights are pickled ({pickled[0]}), which could run foreign code; it holds no *.safetensors file",
        )
    return NotAModel(folder, "it holds no *.safetensors file")


def _gather(folder: Path, files: list[str]) -> tuple[dict[str, Entry], list[str]]:
    """Tensors by name, and a warning for each that stands in two files."""
    entries: dict[str, Entry] = {}
    warnings = []
    for file in files:
        for entry in read_header(folder / file):
            known = entries.setdefault(entry.name, entry)
            if known is not entry:
                warnings.append(f"{entry.name} stands in {known.file.name} and in {file}; the first is used.")
    return entries, warnings


def read_header(file: Path) -> list[Entry]:
    """The tensors of one file. Raises CorruptFile if the header or the data is not whole."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            head = stream.read(8)
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
            if not 0 < length <= min(size - 8, LARGEST_HEADER):
                raise ValueError(f"its header cannot be {length} bytes long in a file of {size}")
            header: dict[str, object] = json.loads(stream.read(length))
        described = {name: fields for name, fields in header.items() if name != "__metadata__"}
        entries = [_entry(file, name, fields) for name, fields in described.items()]
        end = 8 + length + max((_extent(fields)[1] for fields in described.values()), default=0)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptFile(file, f"its header cannot be read ({error})") from error
    if end != size:
        raise CorruptFile(file, f"it has {size} bytes where its header says {end}")
    return entries


def _entry(file: Path, name: str, fields: Any) -> Entry:
    start, end = _extent(fields)
    shape, dtype = fields["shape"], fields["dtype"]
    if not isinstance(dtype, str) or not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise ValueError(f"{name} is not described as a tensor")
    size = SIZES.get(dtype, 0) * math.prod(shape)
    if dtype in SIZES and end - start != size:
        raise ValueError(f"{name} has {end - start} bytes, its shape {shape} in {dtype} needs {size}")
    return Entry(name, file, tuple(shape), dtype)


def _extent(fields: object) -> tuple[int, int]:
    """Where a tensor's bytes begin and end, counted from the end of the header."""
    offsets = fields.get("data_offsets") if isinstance(fields, dict) else None
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)) or offsets[0] > offsets[1]:
        raise ValueError(f"{offsets!r} is no extent of a tensor")
    return offsets[0], offsets[1]


def _is_size(value: object) -> bool:
    return isinstance(value, int) and value >= 0


def _indexed(folder: Path) -> Mapping[str, list[str]]:
    """The tensors that the index lists, by file; empty without an index."""
    path = folder / INDEX
    if not path.is_file():
        return {}
    table = Config.read(path).within("weight_map")
    files: dict[str, list[str]] = {}
    for tensor, file in (table.values if table else {}).items():
        files.setdefault(str(file), []).append(tensor)
    return files
