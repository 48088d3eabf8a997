"""Gated activations: the definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu_tanh": partial(functional.gelu, approximate="tanh"),
    "relu": torch.relu,
    "relu2": lambda x: torch.relu(x).square(),
}


def gated(gate: Tensor, up: Tensor, activation: str) -> Tensor:
    """See `kernels.ops.activation`."""
    wide = gate.to(torch.promote_types(gate.dtype, torch.float32))
    return (ACTIVATIONS[activation](wide) * up.to(wide.dtype)).to(gate.dtype)
