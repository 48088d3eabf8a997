"""Memory of a torch device: how much is free, and whether an error means that it ran out."""

from __future__ import annotations

import gc

import psutil
import torch


def free_bytes(device: torch.device) -> int:
    """Bytes that can still be allocated on the device."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return int(psutil.virtual_memory().available)


def used_bytes(device: torch.device) -> int:
    """Bytes that this process occupies: allocated tensors on a card, resident memory on the processor."""
    if device.type == "cuda":
        return int(torch.cuda.memory_allocated(device))
    return int(psutil.Process().memory_info().rss)


def is_out_of_memory(error: BaseException) -> bool:
    """torch has a class for cards only; the processor's allocator says it in words."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def release_unused() -> None:
    """Gives memory that nothing refers to any more back to the machine."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
