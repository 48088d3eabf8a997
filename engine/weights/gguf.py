"""Tensors of a GGUF file: names, shapes, dequantized values (through the `gguf` package)."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.errors import CorruptFile, UnsupportedTensor
from engine.spec.gguf import GgufFile
from engine.spec.model import ModelSpec
from engine.spec.names import Slot
from engine.weights.entry import Entry


def entries(file: GgufFile) -> dict[str, Entry]:
    """Every tensor; shapes are stored innermost first."""
    return {
        tensor.name: Entry(
            tensor.name, file.path, tuple(int(size) for size in reversed(tensor.shape)), tensor.tensor_type.name
        )
        for tensor in file.reader.tensors
    }


def read(file: GgufFile, spec: ModelSpec, slot: Slot, entry: Entry) -> Tensor:
    """float32, in our order. Raises UnsupportedTensor or CorruptFile."""
    from gguf.quants import dequantize

    stored = next(tensor for tensor in file.reader.tensors if tensor.name == entry.name)
    try:
        values = dequantize(stored.data, stored.tensor_type)
    except NotImplementedError as error:
        raise UnsupportedTensor(file.path, entry.name, entry.dtype) from error
    except (ValueError, TypeError) as error:
        raise CorruptFile(file.path, f"{entry.name} cannot be read ({error})") from error
    tensor = torch.tensor(values, dtype=torch.float32).reshape(entry.shape)  # a copy: stored values are mapped
    return _half_rotated(tensor, spec, slot) if file.architecture == "llama" else tensor


def _half_rotated(tensor: Tensor, spec: ModelSpec, slot: Slot) -> Tensor:
    """Files of the "llama" architecture keep the rows of q and k as interleaved rotary pairs; put them back."""
    if not slot.name.endswith(("attention.q.weight", "attention.k.weight", "attention.q.bias", "attention.k.bias")):
        return tensor
    attention = spec.layers[int(slot.name.split(".")[1])].attention
    heads = attention.heads if ".q." in slot.name else attention.kv_heads
    pairs = tensor.view(heads, attention.rope.dim // 2, 2, *tensor.shape[1:])
    return pairs.transpose(1, 2).reshape(tensor.shape)
