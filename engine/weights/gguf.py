"""Tensors of a GGUF file: names, shapes, and values dequantized through the `gguf` package, which is imported when the
first file is opened."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from engine.errors import CorruptFile, UnsupportedTensor
from engine.spec.gguf_file import GgufFile, StoredTensor
from engine.spec.model import ModelSpec
from engine.spec.names import Slot
from engine.weights.entry import Entry

MOVED = tuple(f"attention.{part}.{kind}" for part in "qk" for kind in ("weight", "bias"))


def entries(file: GgufFile) -> dict[str, Entry]:
    """Every tensor. Raises CorruptFile if one of them lies beyond the end of the file."""
    from gguf import GGMLQuantizationType

    names = {kind.value: kind.name for kind in GGMLQuantizationType}
    found = {}
    for stored in file.tensors.values():
        known = stored.kind in names
        if stored.offset + (math.prod(_stored_shape(file, stored)) if known else 0) > file.size:
            raise CorruptFile(file.path, f"it ends before the data of {stored.name}")
        dtype = names[stored.kind] if known else f"type {stored.kind}"
        found[stored.name] = Entry(stored.name, file.path, stored.shape, dtype)
    return found


def read(file: GgufFile, spec: ModelSpec, slot: Slot, entry: Entry) -> Tensor:
    """float32, in our order. Raises UnsupportedTensor or CorruptFile."""
    import numpy as np
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    stored = file.tensors[entry.name]
    try:
        kind = GGMLQuantizationType(stored.kind)
        mapped = np.memmap(file.path, np.uint8, "r", stored.offset, _stored_shape(file, stored))
        values = dequantize(np.asarray(mapped), kind)
    except (NotImplementedError, ValueError) as error:
        raise UnsupportedTensor(file.path, entry.name, entry.dtype) from error
    except OSError as error:
        raise CorruptFile(file.path, f"{entry.name} cannot be read ({error})") from error
    # float32 values are still those of the mapped file, which cannot be written to.
    tensor = torch.from_numpy(np.require(values, np.float32, ("C", "W"))).reshape(entry.shape)
    return _half_rotated(tensor, spec, slot) if file.architecture == "llama" else tensor


def _stored_shape(file: GgufFile, stored: StoredTensor) -> tuple[int, ...]:
    """The shape in bytes: rows as they are, blocks within them."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

    block, size = GGML_QUANT_SIZES[GGMLQuantizationType(stored.kind)]
    if not stored.shape or stored.shape[-1] % block:
        raise CorruptFile(file.path, f"{stored.name} has rows of {stored.shape[-1:]}, not whole blocks of {block}")
    return (*stored.shape[:-1], stored.shape[-1] // block * size)


def _half_rotated(tensor: Tensor, spec: ModelSpec, slot: Slot) -> Tensor:
    """Files of the "llama" architecture keep the rows of q and k as interleaved rotary pairs; put them back."""
    if not slot.name.endswith(MOVED):
        return tensor
    attention = spec.layers[int(slot.name.split(".")[1])].attention
    heads = attention.heads if ".q." in slot.name else attention.kv_heads
    pairs = tensor.view(heads, attention.head_dim // 2, 2, *tensor.shape[1:])
    return pairs.transpose(1, 2).reshape(tensor.shape)
