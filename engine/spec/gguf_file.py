"""The head of a GGUF file: its metadata, and which tensor lies where (the GGUF specification of the ggml project,
versions 2 and 3, little-endian).

The `gguf` package reads the same, but makes an array of every token of the vocabulary: 1.7 s for a small model, where
this takes 0.05 s. Lists as long as a vocabulary are stepped over unless they are asked for.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CorruptFile, NotAModel

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = 32  # of tensors, in bytes, where the file names no other
LONGEST_LIST = 512
TEXT, LIST = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """shape: outermost first, as torch has it. kind: ggml's number of the data type. offset: bytes from the start of
    the file."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True, slots=True)
class GgufFile:
    """metadata: numbers, texts and short lists of them. size: bytes of the whole file."""

    path: Path
    size: int
    metadata: Mapping[str, object]
    tensors: Mapping[str, StoredTensor]

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))


def open_gguf(path: Path, lists: str | None = None) -> GgufFile:
    """lists: of fields whose keys begin so, long lists are read too.

    Raises NotAModel if it is another kind of file, CorruptFile if it is cut short.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC and path.suffix.lower() != ".gguf":
                raise NotAModel(path, "a single file must be a .gguf file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _read(path, _Cursor(data), lists)
    except FileNotFoundError as error:
        raise NotAModel(path, "there is no such file") from error
    except (OSError, ValueError, RecursionError, struct.error) as error:
        raise CorruptFile(path, f"it is not a whole GGUF file ({error})") from error


def _read(path: Path, cursor: _Cursor, lists: str | None) -> GgufFile:
    if cursor.take(4) != MAGIC:
        raise ValueError("it does not begin with GGUF")
    version, tensors, fields = cursor.numbers("IQQ")
    if version not in VERSIONS:
        raise ValueError(f"version {version:#x} is not known")
    metadata: dict[str, object] = {}
    for _ in range(fields):
        key, kind = cursor.text(), cursor.number("I")
        whole = lists is not None and key.startswith(lists)
        value = cursor.value(kind, most=cursor.size if whole else LONGEST_LIST)
        if value is not None:
            metadata[key] = value
    described = [_tensor(cursor) for _ in range(tensors)]
    alignment = metadata.get("general.alignment", ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise ValueError(f"tensors cannot be aligned to {alignment!r} bytes")
    start = -(-cursor.at // alignment) * alignment
    placed = (StoredTensor(one.name, one.shape, one.kind, start + one.offset) for one in described)
    return GgufFile(path, cursor.size, metadata, {one.name: one for one in placed})


def _tensor(cursor: _Cursor) -> StoredTensor:
    """With its offset from the first tensor."""
    name, dimensions = cursor.text(), cursor.number("I")
    shape = [cursor.number("Q") for _ in range(dimensions)]
    kind, offset = cursor.numbers("IQ")
    return StoredTensor(name, tuple(reversed(shape)), kind, offset)


class _Cursor:
    """A place in the file, which moves on with all that is read."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.size = len(data)
        self.at = 0

    def take(self, size: int) -> bytes:
        self.skip(size)
        return self._data[self.at - size : self.at]

    def skip(self, size: int) -> None:
        if size > self.size - self.at:
            raise ValueError("it is cut short")
        self.at += size

    def numbers(self, format: str) -> tuple[int, ...]:
        return struct.unpack(f"<{format}", self.take(struct.calcsize(f"<{format}")))

    def number(self, format: str) -> int:
        return self.numbers(format)[0]

    def text(self) -> str:
        return self.take(self.number("Q")).decode()

    def value(self, kind: int, most: int) -> object:
        """None for a list of more than `most` values, which is stepped over."""
        if kind == TEXT:
            return self.text()
        if kind != LIST:
            return self.number(_format(kind))
        inner, count = self.numbers("IQ")
        if count > most:
            self._skip_list(inner, count)
            return None
        if inner in (TEXT, LIST):
            return [self.value(inner, most) for _ in range(count)]
        return list(self.numbers(f"{count}{_format(inner)}"))

    def _skip_list(self, inner: int, count: int) -> None:
        if inner == TEXT:
            for _ in range(count):
                self.skip(self.number("Q"))
        elif inner == LIST:
            for _ in range(count):
                self._skip_list(*self.numbers("IQ"))
        else:
            self.skip(count * struct.calcsize(_format(inner)))


def _format(kind: int) -> str:
    if kind not in NUMBERS:
        raise ValueError(f"there is no type of value {kind}")
    return NUMBERS[kind]
