"""Gated activations (Shazeer 2020, arXiv 2002.05202; relu2: So et al. 2021, arXiv 2109.08668)."""

from __future__ import annotations

from torch import Tensor

from kernels.native import rows as native
from kernels.ops.checks import ACTIVATION_DTYPES, refuse
from kernels.reference.activation import ACTIVATIONS
from kernels.reference.activation import gated as reference
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (
    Implementation("compiled", native.refuses_gated, native.gated),
    Implementation("reference", never, reference),
)


def gated(gate: Tensor, up: Tensor, activation: str) -> Tensor:
    """activation(gate) * up, computed in float32.

    gate, up: one shape and dtype, float32, bfloat16 or float16; the result has them too.
    activation: silu, gelu, gelu_tanh, relu or relu2.
    """
    if activation not in ACTIVATIONS:
        refuse("gated", f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
    if gate.shape != up.shape or gate.dtype != up.dtype or gate.device != up.device:
        refuse("gated", "gate and up must be alike", gate=gate, up=up)
    if gate.dtype not in ACTIVATION_DTYPES:
        refuse("gated", "gate must be float32, bfloat16 or float16", gate=gate)
    return choose(IMPLEMENTATIONS, gate, up, activation).run(gate, up, activation)
