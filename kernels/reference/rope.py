"""Rotary position embedding: the definition."""

from __future__ import annotations

import torch
from torch import Tensor


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """See `kernels.ops.rope`."""
    half = cos.shape[-1]
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    cos, sin = cos[:, None].to(wide.dtype), sin[:, None].to(wide.dtype)
    first, second, rest = wide[..., :half], wide[..., half : 2 * half], wide[..., 2 * half :]
    return torch.cat((first * cos - second * sin, second * cos + first * sin, rest), dim=-1).to(x.dtype)
