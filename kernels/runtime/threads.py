"""How many threads the processor's kernels use, ours and torch's alike."""

from __future__ import annotations

import torch

from kernels.runtime.cpu_library import library


def set_threads(count: int) -> None:
    """count: 1 or more, the calling thread included. Ours start with 1. Waits for an op in progress."""
    if count < 1:
        raise ValueError(f"set_threads: count must be 1 or more, not {count}")
    torch.set_num_threads(count)
    if library().isa is not None:
        import kernels._native as native

        native.set_threads(count)
