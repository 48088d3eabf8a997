"""Reading one tensor of a safetensors file."""

from __future__ import annotations

from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.errors import CorruptFile, UnsupportedTensor
from engine.weights.entry import Entry

FLOATING = ("F64", "F32", "F16", "BF16")


def read_safetensor(entry: Entry) -> Tensor:
    """On the processor, in the stored dtype. Raises UnsupportedTensor or CorruptFile."""
    if entry.dtype not in FLOATING:
        raise UnsupportedTensor(entry.file, entry.name, entry.dtype)
    try:
        with safe_open(entry.file, framework="pt") as file:
            tensor: Tensor = file.get_tensor(entry.name)
    except (SafetensorError, OSError) as error:
        raise CorruptFile(entry.file, f"{entry.name} cannot be read ({error})") from error
    return tensor
