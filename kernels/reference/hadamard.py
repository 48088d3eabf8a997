"""The block Hadamard transform: the definition."""

from __future__ import annotations

import math

import torch
from torch import Tensor

BLOCK = 128


def hadamard(x: Tensor, block: int = BLOCK) -> Tensor:
    """Multiplies every run of `block` values of the last dimension by the orthonormal Walsh-Hadamard matrix in natural
    (Sylvester) order, which is symmetric and its own inverse. x: [..., n · block], floating; returns the same."""
    matrix = hadamard_matrix(block, x.device).to(x.dtype)
    return (x.reshape(*x.shape[:-1], -1, block) @ matrix).reshape(x.shape) / math.sqrt(block)


def hadamard_matrix(size: int, device: torch.device | None = None) -> Tensor:
    """float32 [size, size] of ±1, size a power of two: the Kronecker power of [[1, 1], [1, -1]]."""
    if size < 1 or size & (size - 1):
        raise ValueError(f"a Hadamard matrix of this order has a power of two of rows, not {size}")
    matrix = torch.ones(1, 1, device=device)
    while len(matrix) < size:
        matrix = torch.cat((torch.cat((matrix, matrix), 1), torch.cat((matrix, -matrix), 1)))
    return matrix
