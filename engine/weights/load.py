"""Loading: every tensor of a checkpoint on its device, one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.errors import NonFiniteWeights
from engine.plan.memory import SIZES
from engine.plan.plan import DType
from engine.spec.names import Slot, slots
from engine.weights.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class LoadedTensor:
    """A slot filled. done, total: bytes in memory, this one included."""

    slot: Slot
    tensor: Tensor
    done: int
    total: int


def stream(checkpoint: Checkpoint, device: str, dtype: DType) -> Iterator[LoadedTensor]:
    """Matrices in `dtype`, the others in float32, in the order of computation.

    Peak memory beside what is yielded: one tensor as stored. A caller that stops iterating cancels; nothing stays
    open. Raises NonFiniteWeights, UnsupportedTensor or CorruptFile.
    """
    wanted = list(slots(checkpoint.spec))
    total = sum(_bytes(slot, dtype) for slot in wanted)
    done = 0
    for slot in wanted:
        stored = checkpoint.read(slot)
        if not bool(torch.isfinite(stored).all()):
            raise NonFiniteWeights(checkpoint.file_of(slot), slot.name)
        target = getattr(torch, dtype) if slot.matrix else torch.float32
        tensor = stored.to(device=device, dtype=target, copy=True).contiguous()
        if target == torch.float16 and not bool(torch.isfinite(tensor).all()):
            raise NonFiniteWeights(checkpoint.file_of(slot), f"{slot.name}, in float16,")
        done += _bytes(slot, dtype)
        yield LoadedTensor(slot, tensor, done, total)


def _bytes(slot: Slot, dtype: DType) -> int:
    return math.prod(slot.shape) * (SIZES[dtype] if slot.matrix else SIZES["float32"])
