"""Checks that the ops share. Each raises ValueError naming the op, the argument and what it is."""

from __future__ import annotations

from typing import NoReturn

import torch
from torch import Tensor

ACTIVATION_DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def refuse(op: str, what: str, **tensors: Tensor | None) -> NoReturn:
    """what: the rule that was broken. tensors: by argument name, told with shape, dtype and device."""
    told = ", ".join(f"{name}: {describe(tensor)}" for name, tensor in tensors.items() if tensor is not None)
    raise ValueError(f"{op}: {what} ({told})" if told else f"{op}: {what}")


def describe(tensor: Tensor) -> str:
    return f"{list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} on {tensor.device}"
