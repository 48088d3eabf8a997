"""The small ops between the matrices, where torch's dispatch would cost more than the arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from kernels.runtime.cpu_library import DTYPES, library

if TYPE_CHECKING:
    from kernels._native import Isa

ACTIVATIONS: Mapping[str, int] = {"silu": 0, "gelu_tanh": 1, "relu": 2, "relu2": 3}  # as kernels.h numbers them


def _refuses(*tensors: Tensor) -> str:
    """The first tensor stands for the device of all, as the op has checked; the activations are float32."""
    if library().isa is None:
        return library().absent
    if not tensors[0].is_cpu or tensors[0].dtype != torch.float32:
        return "the activations are not float32 on the processor"
    if not all(tensor.is_contiguous() for tensor in tensors):
        return "an argument is not contiguous"
    return ""


def refuses_rms_norm(x: Tensor, weight: Tensor, eps: float) -> str:
    return _refuses(x, weight)


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """See `kernels.ops.norm`."""
    return rms_norm_by(_isa(), x, weight, eps)


def rms_norm_by(isa: Isa, x: Tensor, weight: Tensor, eps: float) -> Tensor:
    y = torch.empty_like(x)
    size = weight.numel()
    isa.rms_norm(x.data_ptr(), weight.data_ptr(), y.data_ptr(), x.numel() // size if size else 0, size, eps)
    return y


def refuses_rotate(x: Tensor, cos: Tensor, sin: Tensor) -> str:
    return _refuses(x, cos, sin)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """See `kernels.ops.rope`."""
    return rotate_by(_isa(), x, cos, sin)


def rotate_by(isa: Isa, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    y = torch.empty_like(x)
    tokens, heads, dim = x.shape
    isa.rotate(x.data_ptr(), cos.data_ptr(), sin.data_ptr(), y.data_ptr(), tokens, heads, dim, cos.shape[1])
    return y


def refuses_gated(gate: Tensor, up: Tensor, activation: str) -> str:
    if activation not in ACTIVATIONS:
        return f"{activation} needs the error function, which torch has"
    return _refuses(gate, up)


def gated(gate: Tensor, up: Tensor, activation: str) -> Tensor:
    """See `kernels.ops.activation`."""
    return gated_by(_isa(), gate, up, activation)


def gated_by(isa: Isa, gate: Tensor, up: Tensor, activation: str) -> Tensor:
    y = torch.empty_like(gate)
    isa.gated(gate.data_ptr(), up.data_ptr(), y.data_ptr(), gate.numel(), ACTIVATIONS[activation])
    return y


def refuses_write_kv(k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor) -> str:
    return _refuses(k, v, slots)


def write_kv(k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor) -> None:
    """See `kernels.ops.kv`."""
    write_kv_by(_isa(), k, v, k_cache, v_cache, slots)


def write_kv_by(isa: Isa, k: Tensor, v: Tensor, k_cache: Tensor, v_cache: Tensor, slots: Tensor) -> None:
    pages, page_tokens, kv_heads, head_dim = k_cache.shape
    isa.write_kv(
        k.data_ptr(),
        v.data_ptr(),
        k_cache.data_ptr(),
        v_cache.data_ptr(),
        slots.data_ptr(),
        len(slots),
        kv_heads * head_dim,
        pages * page_tokens,
        DTYPES[k_cache.dtype],
    )


def _isa() -> Isa:
    isa = library().isa
    assert isa is not None
    return isa
