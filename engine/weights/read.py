"""Reading from a safetensors file."""

from __future__ import annotations

from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.errors import CorruptFile, UnsupportedTensor
from engine.weights.entry import Entry

FLOATING = ("F64", "F32", "F16", "BF16")
ROWS = 4096  # compared at a time


def read_safetensor(entry: Entry) -> Tensor:
    """On the processor, in the stored floating dtype. Raises UnsupportedTensor or CorruptFile."""
    if entry.dtype not in FLOATING:
        raise UnsupportedTensor(entry.file, entry.name, entry.dtype)
    return read_any(entry)


def read_any(entry: Entry) -> Tensor:
    """The same in any dtype. Raises CorruptFile."""
    try:
        with safe_open(entry.file, framework="pt") as file:
            tensor: Tensor = file.get_tensor(entry.name)
    except (SafetensorError, OSError) as error:
        raise CorruptFile(entry.file, f"{entry.name} cannot be read ({error})") from error
    return tensor


def is_copy(one: Entry, other: Entry) -> bool:
    """Whether two matrices hold the same values; a packed one is no copy. Rows are compared a few at a time. Raises as
    reading does."""
    if one.shape != other.shape or one.dtype not in FLOATING:
        return False
    try:
        with _opened(one) as first, _opened(other) as second:
            a, b = first.get_slice(one.name), second.get_slice(other.name)
            starts = range(0, one.shape[0], ROWS)
            return all(torch.equal(_rows(a, start), _rows(b, start)) for start in starts)
    except (SafetensorError, OSError) as error:
        raise CorruptFile(one.file, f"{one.name} cannot be compared with {other.name} ({error})") from error


def _opened(entry: Entry) -> Any:
    if entry.dtype not in FLOATING:
        raise UnsupportedTensor(entry.file, entry.name, entry.dtype)
    return safe_open(entry.file, framework="pt")


def _rows(matrix: Any, start: int) -> Tensor:
    rows: Tensor = matrix[start : start + ROWS]
    return rows.float()
