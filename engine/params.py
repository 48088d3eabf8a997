"""How one answer is to be sampled: typed, validated, without torch."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from engine.errors import InvalidRequest

SMALL = 1_000_000_000  # parameters


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """Parameters of one generation, checked when made.

    temperature: 0 is greedy; so is anything below 1e-4, where the softmax would overflow.
    top_k: keep the k likeliest tokens; 0 or -1 is off; above the vocabulary is off.
    top_p: keep the smallest set whose probability reaches p; 1 is off; 0 is off too, since
        clients use both (Holtzman et al. 2020, arXiv 1904.09751).
    min_p: drop tokens below min_p times the likeliest; 0 is off (Nguyen et al. 2024, arXiv 2407.01082).
    repetition_penalty: divides positive and multiplies negative logits of tokens that occurred in the
        answer; 1 is off. The prompt and end-of-turn tokens are exempt (Keskar et al. 2019,
        arXiv 1909.05858, which counts the prompt too: chats then stop ending).
    seed: same seed, same text; None draws one.
    max_tokens: most tokens of the answer; None is up to the end of the context.
    stop: texts that end the answer; they are not part of it.
    """

    temperature: float = 0.7
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not math.isfinite(value):
                raise InvalidRequest(field.name, f"must be a finite number, not {value}")
        _require(self.temperature >= 0, "temperature", "must be 0 or more", self.temperature)
        _require(self.top_k >= -1, "top_k", "must be 0 (off) or more", self.top_k)
        _require(0 <= self.top_p <= 1, "top_p", "must be between 0 and 1", self.top_p)
        _require(0 <= self.min_p <= 1, "min_p", "must be between 0 and 1", self.min_p)
        _require(
            self.repetition_penalty > 0, "repetition_penalty", "must be above 0 (1 is off)", self.repetition_penalty
        )
        _require(self.max_tokens is None or self.max_tokens >= 1, "max_tokens", "must be 1 or more", self.max_tokens)
        _require(self.seed is None or 0 <= self.seed < 2**63, "seed", "must be between 0 and 2^63 - 1", self.seed)
        _require(all(self.stop), "stop", "must not hold an empty text", self.stop)

    @property
    def greedy(self) -> bool:
        return self.temperature < 1e-4


def usual_params(parameters: int) -> SamplingParams:
    """What a model of so many parameters is sampled with where the person chooses nothing.

    Small models lose their thread, and end in loops, at temperatures that large ones like; 0.2 and 0.9 are what the
    authors of SmolLM2 advise.
    """
    return SamplingParams(temperature=0.2, top_p=0.9) if parameters < SMALL else SamplingParams()


def _require(condition: bool, field: str, rule: str, value: object) -> None:
    if not condition:
        raise InvalidRequest(field, f"{rule}, not {value!r}")
