"""Ops on tensors: the public ones, listed. Knows tensors and integers, never models.

Each op is defined by `kernels.reference`; `explain` tells which implementation runs and why.
"""

from __future__ import annotations

from kernels.ops.activation import gated
from kernels.ops.attention import attention
from kernels.ops.batch import AttentionBatch
from kernels.ops.exl3 import exl3_linear
from kernels.ops.exl3_rows import exl3_rows
from kernels.ops.kv import write_kv
from kernels.ops.linear import linear
from kernels.ops.norm import rms_norm
from kernels.ops.rope import rotate
from kernels.ops.table import explain
from kernels.runtime.cpu_library import native_isa, native_status
from kernels.runtime.threads import set_threads

__all__ = [
    "AttentionBatch",
    "attention",
    "exl3_linear",
    "exl3_rows",
    "explain",
    "gated",
    "linear",
    "native_isa",
    "native_status",
    "rms_norm",
    "rotate",
    "set_threads",
    "write_kv",
]
