"""One block of a transformer, normalized before its parts."""

from __future__ import annotations

from torch import Tensor

from engine.layers.attention import Attention
from engine.layers.context import ForwardContext
from engine.layers.mlp import GatedMlp
from engine.layers.norm import RmsNorm


class Block:
    """x + attention(norm(x)), then + mlp(norm(x)). The residual stream stays float32: models trained in bf16
    reach values there that 16-bit floats of the other kind cannot hold."""

    def __init__(self, attention_norm: RmsNorm, attention: Attention, mlp_norm: RmsNorm, mlp: GatedMlp) -> None:
        self.attention_norm = attention_norm
        self.attention = attention
        self.mlp_norm = mlp_norm
        self.mlp = mlp

    def __call__(self, x: Tensor, context: ForwardContext) -> Tensor:
        """x: float32 [T, hidden] → the same."""
        x = x + self.attention(self.attention_norm(x), context)
        return x + self.mlp(self.mlp_norm(x))
