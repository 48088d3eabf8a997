"""Entry: one tensor of a checkpoint, as its file's header tells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.spec.exl3 import padded


@dataclass(frozen=True, slots=True)
class Entry:
    """name: as the file has it. shape: in our order, (out, in). dtype: as the file calls it.

    rounding: to multiples of what its sizes may have been rounded up, where the format does that. Of a packed matrix
    the name is that of the weight it stands for, and dtype the format.
    """

    name: str
    file: Path
    shape: tuple[int, ...]
    dtype: str
    rounding: tuple[int, ...] = ()

    def holds(self, shape: tuple[int, ...]) -> bool:
        """Whether a tensor of this shape is what it stores, padding aside."""
        if self.shape == shape:
            return True
        return len(self.rounding) == len(shape) and self.shape == padded(shape, self.rounding)
