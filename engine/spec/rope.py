"""Rotary settings of a config.json, in the old form (`rope_scaling` beside `rope_theta`) and the new one
(`rope_parameters`).

Rules:
- Both forms at once must say the same; else the file is refused. So it is if it names a scaling without its method,
  two methods at once, or one that we do not know.
- The base inside a block wins over the one beside it, with a warning where they differ.
- The trained length of llama3, yarn and longrope is `original_max_position_embeddings`, beside the block or, failing
  that, inside it; where neither stands it is `max_position_embeddings`. Of linear and dynamic it is always the latter.
- The context is `max_position_embeddings`. Only for yarn, whose files have it scaled already or not yet, it is at
  least the trained length times the factor, where the trained length is given.
- A field that the method does not know is ignored with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from engine.spec.config import MISSING, Config, Missing
from engine.spec.model import RopeMethod, RopeSpec

D = TypeVar("D")

ALIASES: dict[str, RopeMethod] = {
    "default": "default",
    "linear": "linear",
    "dynamic": "dynamic",
    "llama3": "llama3",
    "yarn": "yarn",
    "longrope": "longrope",
    "su": "longrope",  # what the first Phi-3 checkpoints call it
}
LARGEST_FACTOR = 1e6
NAMES = {"rope_type", "type"}
SHARED = {"rope_theta", "partial_rotary_factor"}  # may stand inside a block or beside it
TRAINED = "original_max_position_embeddings"
FIELDS: dict[RopeMethod, set[str]] = {
    "default": set(),
    "linear": {"factor"},
    "dynamic": {"factor"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", TRAINED},
    "yarn": {
        *("factor", TRAINED, "attention_factor", "beta_fast", "beta_slow"),
        *("mscale", "mscale_all_dim", "truncate"),
    },
    "longrope": {"factor", TRAINED, "attention_factor", "short_factor", "long_factor"},
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
    method = _method(block)
    plain = RopeSpec(_base(block, config), _channels(block, config, head_dim), original=declared)
    stated = config.integer(TRAINED, block.integer(TRAINED, None)) if TRAINED in FIELDS[method] else None
    rope = _scaled(block, method, replace(plain, original=stated or declared), declared)
    context = max(declared, round(stated * rope.factor)) if method == "yarn" and stated else declared
    return Rotary(rope, context, tuple(_warnings(block, config, method)))


def _block(config: Config) -> Config:
    """The one block of rotary settings; an empty one if there is none."""
    new, old = config.within("rope_parameters"), config.within("rope_scaling")
    for block in filter(None, (new, old)):
        nested = next((key for key, value in block.values.items() if isinstance(value, dict)), None)
        if nested:
            raise block.error(nested, "settings for each kind of layer are not known to this architecture")
    if new and old:
        if not _agree(new, old):
            raise config.error("rope_parameters", "says something else than rope_scaling beside it")
        return Config({**old.values, **new.values}, new.file, new.section)
    return new or old or Config({}, config.file, config.section)


def _agree(new: Config, old: Config) -> bool:
    """Whether two blocks mean the same; what both may leave to their surroundings need only stand in one."""
    keys = (set(new.values) | set(old.values)) - NAMES
    compared = {key for key in keys if key not in SHARED or (key in new and key in old)}
    same = all(new.values.get(key) == old.values.get(key) for key in compared)
    return same and _method(new) == _method(old)


def _method(block: Config) -> RopeMethod:
    given = {ALIASES.get(name, name) for name in (block.text("rope_type", ""), block.text("type", "")) if name}
    if len(given) > 1:
        raise block.error("rope_type", f"names another method than type beside it: {', '.join(sorted(given))}")
    if not given:
        if set(block.values) - SHARED:
            raise block.error("rope_type", f"is missing beside {', '.join(sorted(block.values))}")
        return "default"
    name = given.pop()
    if name not in ALIASES:
        raise block.error("rope_type", f"{name!r} is not known; known are {', '.join(ALIASES)}")
    return ALIASES[name]


def _base(block: Config, config: Config) -> float:
    place = block if "rope_theta" in block else config
    theta = place.number("rope_theta", 10000.0)
    if theta <= 1:
        raise place.error("rope_theta", f"must be above 1, not {theta}")
    return theta


def _channels(block: Config, config: Config, head_dim: int) -> int:
    place = block if "partial_rotary_factor" in block else config
    share = place.number("partial_rotary_factor", 1.0)
    channels = int(head_dim * share)
    if not 0 < channels <= head_dim or channels % 2:
        raise place.error("partial_rotary_factor", f"{channels} of a head's {head_dim} channels cannot rotate in pairs")
    return channels


def _warnings(block: Config, config: Config, method: RopeMethod) -> list[str]:
    unknown = sorted(set(block.values) - NAMES - SHARED - FIELDS[method])
    beside = [key for key in sorted(SHARED) if key in block and key in config]
    return [
        *(f"{config.file.name}: {block.section}{key} means nothing to {method}; it is ignored." for key in unknown),
        *(
            f"{config.file.name}: {block.section}{key} ({block.values[key]}) is used, not the {key} beside it "
            f"({config.values[key]})."
            for key in beside
            if block.values[key] != config.values[key]
        ),
    ]


def _scaled(block: Config, method: RopeMethod, plain: RopeSpec, declared: int) -> RopeSpec:
    match method:
        case "default":
            return RopeSpec(plain.theta, plain.dim)
        case "linear" | "dynamic":
            if method == "dynamic" and plain.dim == 2:
                raise block.error("rope_type", "dynamic scaling needs heads of more than 2 channels")
            return replace(plain, method=method, factor=_factor(block))
        case "llama3":
            factor = _factor(block)
            low, high = _positive(block, "low_freq_factor"), _positive(block, "high_freq_factor")
            if low >= high:
                raise block.error("high_freq_factor", f"must be above low_freq_factor {low}, not {high}")
            return replace(plain, method=method, factor=factor, low_freq=low, high_freq=high)
        case "yarn":
            return replace(
                plain,
                method=method,
                factor=_factor(block),
                beta_fast=_positive(block, "beta_fast", 32.0),
                beta_slow=_positive(block, "beta_slow", 1.0),
                mscale=_positive(block, "mscale", None),
                mscale_all_dim=_positive(block, "mscale_all_dim", None),
                truncate=block.flag("truncate", True),
                attention_factor=_positive(block, "attention_factor", None),
            )
        case "longrope":
            if plain.original < 2:
                raise block.error(TRAINED, f"must be 2 or more, not {plain.original}")
            return replace(
                plain,
                method=method,
                factor=block.number("factor", declared / plain.original),
                attention_factor=_positive(block, "attention_factor", None),
                short=_divisors(block, "short_factor", plain.dim // 2),
                long=_divisors(block, "long_factor", plain.dim // 2),
            )


def _factor(block: Config) -> float:
    factor = block.number("factor")
    if not 1 <= factor <= LARGEST_FACTOR:
        raise block.error("factor", f"must be between 1 and {LARGEST_FACTOR:.0f}, not {factor}")
    return factor


def _positive(block: Config, key: str, default: D | Missing = MISSING) -> float | D:
    """A number above 0; 0 counts as absent where there is a default."""
    value = block.number(key, default)
    if value == 0 and not isinstance(default, Missing):
        return default
    if isinstance(value, float) and value <= 0:
        raise block.error(key, f"must be above 0, not {value}")
    return value


def _divisors(block: Config, key: str, count: int) -> tuple[float, ...]:
    divisors = block.numbers(key)
    if len(divisors) != count or min(divisors) < 1 / LARGEST_FACTOR:
        raise block.error(key, f"must hold {count} factors above 0, one a frequency")
    return divisors
