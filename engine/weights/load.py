"""Loading: every tensor of a checkpoint on its device, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.errors import NonFiniteWeights, WeightsTooLarge
from engine.layers.weight import Stored
from engine.plan.memory import weight_bytes
from engine.plan.plan import DType
from engine.spec.names import Slot, slots
from engine.weights.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class LoadedTensor:
    """A slot filled: with a tensor, or as it is packed. done, total: bytes in memory, this one included."""

    slot: Slot
    tensor: Stored
    done: int
    total: int


def stream(checkpoint: Checkpoint, device: str, dtype: DType) -> Iterator[LoadedTensor]:
    """Matrices in `dtype` or as they are packed, the others in float32, in the order of computation.

    Peak memory beside what is yielded: one tensor as it is read. A caller that stops iterating cancels; nothing stays
    open. Raises NonFiniteWeights, WeightsTooLarge, UnsupportedTensor, BadQuantization or CorruptFile.
    """
    total = weight_bytes(checkpoint.spec, dtype)
    done = 0
    for slot in slots(checkpoint.spec):
        packed = checkpoint.packed(slot, device)
        tensor = _place(checkpoint, slot, device, dtype if slot.matrix else "float32") if packed is None else packed
        done += tensor.nbytes
        yield LoadedTensor(slot, tensor, done, total)


def _place(checkpoint: Checkpoint, slot: Slot, device: str, dtype: DType) -> Tensor:
    stored = checkpoint.read(slot)
    entry = checkpoint.entry(slot)
    if not _is_finite(stored):
        raise NonFiniteWeights(entry.file, entry.name)
    target: torch.dtype = getattr(torch, dtype)
    tensor = stored.to(device=device, dtype=target, copy=True).contiguous()
    narrower = torch.finfo(target).max < torch.finfo(stored.dtype).max
    if narrower and not _is_finite(tensor):
        raise WeightsTooLarge(entry.file, entry.name, dtype)
    return tensor


def _is_finite(tensor: Tensor) -> bool:
    """By the extremes, which pass on NaN: 15 times as fast as looking at each element, and without their mask."""
    return bool(torch.isfinite(torch.stack(torch.aminmax(tensor))).all())
