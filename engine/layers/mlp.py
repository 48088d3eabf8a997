"""Gated feed-forward part (Shazeer 2020, arXiv 2002.05202)."""

from __future__ import annotations

from torch import Tensor

import kernels
from engine.layers.linear import Linear
from engine.spec.model import Activation


class GatedMlp:
    """down(activation(gate(x)) * up(x))."""

    def __init__(self, gate: Linear, up: Linear, down: Linear, activation: Activation) -> None:
        self.gate = gate
        self.up = up
        self.down = down
        self.activation = activation

    def __call__(self, x: Tensor) -> Tensor:
        """x: [T, hidden] → [T, hidden]."""
        return self.down(kernels.gated(self.gate(x), self.up(x), self.activation))
