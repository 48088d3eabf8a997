"""What the tests of the processor's kernels share: the instruction sets of this machine, and error measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from kernels._native import Isa

FLOATS = (torch.float32, torch.bfloat16, torch.float16)
CPU = torch.device("cpu")


def isas() -> list[Isa]:
    """All that this processor can run; none if the compiled module is not built."""
    try:
        import kernels._native as native
    except ModuleNotFoundError:
        return []
    return native.usable()


def worst(found: Tensor, expected: Tensor) -> float:
    """Largest difference over the largest expected value; both finite."""
    assert found.shape == expected.shape and bool(found.isfinite().all())
    if not expected.numel():
        return 0.0
    expected = expected.double()
    return float((found.double() - expected).abs().max() / expected.abs().max().clamp_min(1e-30))
