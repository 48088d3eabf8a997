"""Rotary tables: cos and sin of every position of the loaded context, for the six scaling methods.

One table serves all positions of all sequences, so that keys in the cache always agree with the queries that
meet them, whoever shares the batch and however a sequence grows. Hence two rules where a method depends on length:
- longrope uses its long factors if the loaded context exceeds the trained length, else its short ones;
- dynamic NTK scales its base for the loaded context where that exceeds the trained length (at exactly that
  length it is what `transformers` computes).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from engine.spec.model import RopeMethod, RopeSpec


class RopeTable:
    """cos and sin: float32 [context, dim/2], already multiplied by the method's attention factor."""

    def __init__(self, spec: RopeSpec, context: int, device: torch.device) -> None:
        frequencies, factor = _METHODS[spec.method](spec, context)
        angles = torch.outer(torch.arange(context, dtype=torch.float32), frequencies)
        self.cos = (angles.cos() * factor).to(device)
        self.sin = (angles.sin() * factor).to(device)

    def rows(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """positions: int64 [T] → cos, sin, float32 [T, dim/2]."""
        return self.cos[positions], self.sin[positions]


def inverse_frequencies(theta: float, dim: int) -> Tensor:
    """float32 [dim/2] (Su et al. 2021, arXiv 2104.09864, equation 15)."""
    return 1.0 / theta ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)


def _default(spec: RopeSpec, context: int) -> tuple[Tensor, float]:
    return inverse_frequencies(spec.theta, spec.dim), 1.0


def _linear(spec: RopeSpec, context: int) -> tuple[Tensor, float]:
    """Position interpolation (Chen et al. 2023, arXiv 2306.15595)."""
    return inverse_frequencies(spec.theta, spec.dim) / spec.factor, 1.0


def _dynamic(spec: RopeSpec, context: int) -> tuple[Tensor, float]:
    """A base that grows with the length (the "dynamic NTK" of arXiv 2309.00071, section 3.3)."""
    length = max(context, spec.original)
    growth = spec.factor * length / spec.original - (spec.factor - 1)
    return inverse_frequencies(spec.theta * growth ** (spec.dim / (spec.dim - 2)), spec.dim), 1.0


def _llama3(spec: RopeSpec, context: int) -> tuple[Tensor, float]:
    """Slow frequencies are divided by the factor, fast ones kept, those between blended (Llama 3.1 model card)."""
    plain = inverse_frequencies(spec.theta, spec.dim)
    turns = spec.original * plain / (2 * math.pi)  # of each frequency within the trained length
    kept = ((turns - spec.low_freq) / (spec.high_freq - spec.low_freq)).clamp(0, 1)
    return plain * (kept + (1 - kept) / spec.factor), 1.0


def _yarn(spec: RopeSpec, context: int) -> tuple[Tensor, float]:
    """Interpolation by parts (Peng et al. 2023, arXiv 2309.00071, sections 3.2 and 3.4)."""
    plain = inverse_frequencies(spec.theta, spec.dim)

    def channel(turns: float) -> float:
        """The channel, as a fraction, that turns so many times within the trained length."""
        return spec.dim * math.log(spec.original / (turns * 2 * math.pi)) / (2 * math.log(spec.theta))

    first, last = channel(spec.beta_fast), channel(spec.beta_slow)
    if spec.truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, spec.dim - 1)
    ramp = (torch.arange(spec.dim // 2, dtype=torch.float32) - first) / max(last - first, 0.001)
    interpolated = ramp.clamp(0, 1)
    return plain * (1 - interpolated) + plain / spec.factor * interpolated, _yarn_attention(spec)


def _yarn_attention(spec: RopeSpec) -> float:
    if spec.attention_factor is not None:
        return spec.attention_factor

    def scale(weight: float) -> float:
        return 0.1 * weight * math.log(spec.factor) + 1.0 if spec.factor > 1 else 1.0

    if spec.mscale and spec.mscale_all_dim:
        return scale(spec.mscale) / scale(spec.mscale_all_dim)
    return scale(1.0)


def _longrope(spec: RopeSpec, context: int) -> tuple[Tensor, float]:
    """A factor for each frequency, one set for short contexts and one for long (arXiv 2402.13753)."""
    factors = torch.tensor(spec.long if context > spec.original else spec.short)
    attention = spec.attention_factor
    if attention is None:
        attention = math.sqrt(1 + math.log(spec.factor) / math.log(spec.original)) if spec.factor > 1 else 1.0
    return inverse_frequencies(spec.theta, spec.dim) / factors, attention


_METHODS: dict[RopeMethod, Callable[[RopeSpec, int], tuple[Tensor, float]]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "llama3": _llama3,
    "yarn": _yarn,
    "longrope": _longrope,
}
