"""Rotary settings of a config.json, in the old form (`rope_scaling` beside `rope_theta`) and the new one
(`rope_parameters`).

Rules:
- Both forms at once must say the same; else the file is refused.
- The trained length of a scaled embedding is `original_max_position_embeddings`, beside or inside the block;
  where neither stands it is `max_position_embeddings`.
- YaRN: where the declared maximum is still the trained length, the context is that times the factor.
- A field that the method does not know is told as a warning; a method that we do not know is refused by name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from engine.spec.config import Config
from engine.spec.model import RopeMethod, RopeSpec

ALIASES: dict[str, RopeMethod] = {
    "default": "default",
    "linear": "linear",
    "dynamic": "dynamic",
    "llama3": "llama3",
    "yarn": "yarn",
    "longrope": "longrope",
    "su": "longrope",  # what the first Phi-3 checkpoints call it
}
COMMON = {"rope_type", "type", "rope_theta", "partial_rotary_factor"}
FIELDS: dict[RopeMethod, set[str]] = {
    "default": set(),
    "linear": {"factor"},
    "dynamic": {"factor"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"},
    "yarn": {
        *("factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow"),
        *("mscale", "mscale_all_dim", "truncate"),
    },
    "longrope": {"factor", "original_max_position_embeddings", "attention_factor", "short_factor", "long_factor"},
}


@dataclass(frozen=True, slots=True)
class Rotary:
    """The embedding, the context that it gives the model, and what was odd."""

    rope: RopeSpec
    context: int
    warnings: tuple[str, ...]


def read_rotary(config: Config, head_dim: int) -> Rotary:
    """Raises ConfigError naming the key."""
    declared = config.integer("max_position_embeddings")
    block = _block(config)
    name = block.text("rope_type", block.text("type", "default"))
    method = ALIASES.get(name)
    if method is None:
        raise block.error("rope_type", f"{name!r} is not known; known are {', '.join(ALIASES)}")
    theta = block.number("rope_theta", config.number("rope_theta", 10000.0))
    share = block.number("partial_rotary_factor", config.number("partial_rotary_factor", 1.0))
    dim = int(head_dim * share)
    if theta <= 0 or not 0 < dim <= head_dim or dim % 2:
        raise block.error("rope_theta", f"base {theta} over {dim} of {head_dim} channels makes no rotary embedding")
    original = config.integer(
        "original_max_position_embeddings", block.integer("original_max_position_embeddings", declared)
    )
    rope = _scaled(block, method, RopeSpec(theta, dim, original=original), declared)
    extra = sorted(set(block.values) - COMMON - FIELDS[method])
    warnings = [
        f"{config.file.name}: {block.section}{key} is not known to the method {name}; it is ignored." for key in extra
    ]
    context = declared
    if method == "yarn" and original == declared and "original_max_position_embeddings" in block:
        context = round(original * rope.factor)
    return Rotary(rope, context, tuple(warnings))


def _block(config: Config) -> Config:
    """The one block of rotary settings; an empty one if there is none."""
    new, old = config.within("rope_parameters"), config.within("rope_scaling")
    for block in (new, old):
        nested = block and next((key for key, value in block.values.items() if isinstance(value, dict)), None)
        if block and nested:
            raise block.error(nested, "settings for each kind of layer are not known to this architecture")
    if new and old and _meaning(new) != _meaning(old):
        raise config.error("rope_parameters", "says something else than rope_scaling beside it")
    return new or old or Config({}, config.file)


def _meaning(block: Config) -> dict[str, object]:
    """What a block says of the scaling, however it spells the method."""
    name = block.text("rope_type", block.text("type", "default"))
    rest = {key: value for key, value in block.values.items() if key not in COMMON}
    return {**rest, "method": ALIASES.get(name, name)}


def _scaled(block: Config, method: RopeMethod, plain: RopeSpec, declared: int) -> RopeSpec:
    match method:
        case "default":
            return RopeSpec(plain.theta, plain.dim)
        case "linear" | "dynamic":
            return replace(plain, method=method, factor=_factor(block))
        case "llama3":
            return replace(
                plain,
                method=method,
                factor=_factor(block),
                low_freq=block.number("low_freq_factor"),
                high_freq=block.number("high_freq_factor"),
            )
        case "yarn":
            return replace(
                plain,
                method=method,
                factor=_factor(block),
                beta_fast=block.number("beta_fast", 32.0) or 32.0,
                beta_slow=block.number("beta_slow", 1.0) or 1.0,
                mscale=block.number("mscale", None),
                mscale_all_dim=block.number("mscale_all_dim", None),
                truncate=block.flag("truncate", True),
                attention_factor=block.number("attention_factor", None),
            )
        case "longrope":
            short, long = block.numbers("short_factor"), block.numbers("long_factor")
            for key, factors in (("short_factor", short), ("long_factor", long)):
                if len(factors) != plain.dim // 2:
                    raise block.error(key, f"must hold {plain.dim // 2} factors, one a frequency, not {len(factors)}")
            return replace(
                plain,
                method=method,
                factor=block.number("factor", declared / plain.original),
                attention_factor=block.number("attention_factor", None),
                short=short,
                long=long,
            )


def _factor(block: Config) -> float:
    factor = block.number("factor")
    if not (math.isfinite(factor) and factor >= 1):
        raise block.error("factor", f"must be 1 or more, not {factor}")
    return factor
