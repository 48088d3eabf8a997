"""Entry: one tensor of a checkpoint, as its file's header tells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Entry:
    """name: as the file has it. shape: in our order, (out, in). dtype: as the file calls it."""

    name: str
    file: Path
    shape: tuple[int, ...]
    dtype: str
