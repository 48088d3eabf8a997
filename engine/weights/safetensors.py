"""Safetensors folders: what the headers say, and mapped reading (the format's README: eight bytes of length, a
JSON header, then the data).

The headers of the files are the truth. The index decides only which of several copies counts:
- files that the index names and that are there are read; one that is absent is missed only if a tensor is;
- a tensor that the index forgot is taken from a file that it names;
- files that the index does not name are used only if those it names are all absent.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CorruptFile, MissingShards, NotAModel
from engine.spec.config import Config
from engine.weights.entry import Entry

INDEX = "model.safetensors.index.json"
BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
LARGEST_HEADER = 2**27  # bytes; more is no header but damage


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every tensor of a folder by name; files that are named but absent; what was odd."""

    entries: dict[str, Entry]
    absent: tuple[str, ...]
    warnings: tuple[str, ...]


def take_inventory(folder: Path) -> Inventory:
    """Raises NotAModel, MissingShards or CorruptFile."""
    present = sorted(path.name for path in folder.glob("*.safetensors"))
    indexed = _indexed(folder)
    if not present and indexed:
        raise MissingShards(folder, tuple(sorted(indexed)))
    if not present:
        raise NotAModel(folder, "it holds no *.safetensors file")
    used = [name for name in present if name in indexed]
    absent = tuple(sorted(set(indexed) - set(present)))
    warnings = []
    if indexed and not used:
        warnings.append(f"{INDEX} names {len(indexed)} files that are not there; {', '.join(present)} is read instead.")
        absent = ()
    stray = [name for name in present if name not in indexed] if used else []
    if stray:
        warnings.append(f"{', '.join(stray)} is not named by {INDEX} and is left out.")
    entries: dict[str, Entry] = {}
    for name in used or present:
        for entry in read_header(folder / name):
            known = entries.setdefault(entry.name, entry)
            if known is not entry:
                warnings.append(f"{entry.name} stands in {known.file.name} and in {name}; the first is used.")
    listed = {tensor for tensors in indexed.values() for tensor in tensors}
    forgotten = [name for name in entries if name not in listed] if used else []
    if forgotten:
        warnings.append(f"{INDEX} does not list {len(forgotten)} tensors that the files hold; they are used.")
    return Inventory(entries, absent, tuple(warnings))


def read_header(file: Path) -> list[Entry]:
    """The tensors of one file. Raises CorruptFile if the header or the data is not whole."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not 0 < length <= min(size - 8, LARGEST_HEADER):
            raise CorruptFile(file, f"its header cannot be {length} bytes long in a file of {size}")
        raw = stream.read(length)
    try:
        header = json.loads(raw)
        entries = [_entry(file, name, fields) for name, fields in header.items() if name != "__metadata__"]
        ends = [fields["data_offsets"][1] for name, fields in header.items() if name != "__metadata__"]
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise CorruptFile(file, f"its header cannot be read ({error})") from error
    end = 8 + length + max(ends, default=0)
    if end != size:
        raise CorruptFile(file, f"it has {size} bytes where its header says {end}")
    return entries


def _entry(file: Path, name: str, fields: dict[str, object]) -> Entry:
    shape, dtype, offsets = fields["shape"], fields["dtype"], fields["data_offsets"]
    if not (isinstance(shape, list) and isinstance(dtype, str) and isinstance(offsets, list)):
        raise TypeError(f"{name} is not described as a tensor")
    start, end = offsets
    bits = BYTES.get(dtype)
    if bits is not None and end - start != bits * math.prod(shape):
        raise ValueError(
            f"{name} has {end - start} bytes, its shape {shape} in {dtype} needs {bits * math.prod(shape)}"
        )
    return Entry(name, file, tuple(shape), dtype)


def _indexed(folder: Path) -> dict[str, list[str]]:
    """The tensors that the index lists, by file; empty without an index."""
    path = folder / INDEX
    if not path.is_file():
        return {}
    table = Config.read(path).within("weight_map")
    files: dict[str, list[str]] = {}
    for tensor, file in (table.values if table else {}).items():
        files.setdefault(str(file), []).append(tensor)
    return files
