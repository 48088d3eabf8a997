"""y = x Wᵀ + b for a few rows, straight from the weights as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from kernels.runtime.cpu_library import DTYPES, library

if TYPE_CHECKING:
    from kernels._native import Isa

# Above, torch's blocked matmul is faster although it widens the weights first; see bench/NOTES.md.
MOST_ROWS: Mapping[str, int] = {"generic": 1, "avx2": 16, "avx512": 16, "avx512vnni": 16}


def refuses(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> str:
    isa = library().isa
    if isa is None:
        return library().absent
    if not x.is_cpu or x.dtype != torch.float32:
        return "x is not float32 on the processor"
    if x.shape[0] > MOST_ROWS[isa.name]:
        return f"x has more than {MOST_ROWS[isa.name]} rows"
    if not (x.is_contiguous() and weight.is_contiguous() and (bias is None or bias.is_contiguous())):
        return "an argument is not contiguous"
    return ""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """See `kernels.ops.linear`."""
    isa = library().isa
    assert isa is not None
    return linear_rows(isa, x, weight, bias)


def linear_rows(isa: Isa, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Arguments that `refuses` does not. A row's result is the same bits whatever the other rows and the threads."""
    rows, inner = x.shape
    out = weight.shape[0]
    y = torch.empty(rows, out)
    isa.linear(
        x.data_ptr(),
        weight.data_ptr(),
        0 if bias is None else bias.data_ptr(),
        y.data_ptr(),
        rows,
        inner,
        out,
        DTYPES[weight.dtype],
    )
    return y
