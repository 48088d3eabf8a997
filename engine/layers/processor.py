"""The processor that a model computes with: how many threads, and which of our kernels it can use."""

from __future__ import annotations

import kernels


def set_threads(count: int) -> None:
    """For our own kernels and torch alike."""
    kernels.set_threads(count)


def native_status() -> str:
    """One sentence: whether the compiled kernels are here, and for which instruction set."""
    return kernels.native_status()


def native_isa() -> str | None:
    """The instruction set that our compiled kernels use; None if they are not here."""
    return kernels.native_isa()
