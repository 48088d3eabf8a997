"""The table of implementations: op → ordered list; it can explain itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kernels.ops import activation, attention, exl3, exl3_rows, kv, linear, norm, rope
from kernels.runtime.choose import Choice, Implementation
from kernels.runtime.choose import explain as explain_choice

TABLE: Mapping[str, tuple[Implementation[..., Any], ...]] = MappingProxyType(
    {
        "attention": attention.IMPLEMENTATIONS,
        "exl3_linear": exl3.IMPLEMENTATIONS,
        "exl3_rows": exl3_rows.IMPLEMENTATIONS,
        "gated": activation.IMPLEMENTATIONS,
        "linear": linear.IMPLEMENTATIONS,
        "rms_norm": norm.IMPLEMENTATIONS,
        "rotate": rope.IMPLEMENTATIONS,
        "write_kv": kv.IMPLEMENTATIONS,
    }
)


def explain(op: str, *args: Any, **kwargs: Any) -> Choice:
    """Which implementation the op would run for these arguments, and why not a better one."""
    if op not in TABLE:
        raise ValueError(f"explain: op must be one of {', '.join(TABLE)}, not {op!r}")
    return explain_choice(TABLE[op], *args, **kwargs)
