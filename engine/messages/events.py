"""Events: what the engine says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.errors import Problem
from engine.plan.plan import Plan

FinishReason = Literal["stop", "length", "cancelled"]


@dataclass(frozen=True, slots=True)
class Ready:
    """The engine's first event: it is up and can be commanded."""

    version: str
    pid: int


@dataclass(frozen=True, slots=True)
class Loading:
    """Progress of Load(id): `step` is a phrase for people, `done` of `total` in bytes (0 of 0: unknown)."""

    id: str
    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A loaded model as people know it. context: most tokens of one conversation; bytes in memory.

    bits: of a packed weight of the layers, on average; head_bits: of the head; codebooks: all that the packed ones use.
    """

    name: str
    source: str
    architecture: str
    format: str
    parameters: int
    weight_bytes: int
    cache_bytes: int
    context: int
    device: str
    dtype: str
    has_template: bool
    warnings: tuple[str, ...] = ()
    bits: float | None = None
    head_bits: float | None = None
    codebooks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Load(id) is done, by exactly this plan."""

    id: str
    model: ModelCard
    plan: Plan


@dataclass(frozen=True, slots=True)
class Unloaded:
    """No model is loaded any more."""


@dataclass(frozen=True, slots=True)
class Prefilling:
    """Chat(id) is reading its prompt: `done` of `total` tokens, `cached` of them from earlier turns."""

    id: str
    done: int
    total: int
    cached: int


@dataclass(frozen=True, slots=True)
class Token:
    """More of the answer to Chat(id). `text` may span several tokens or none of their bytes yet;
    `tokens` counts those generated so far in this answer."""

    id: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer. cached_tokens: part of the prompt that was not computed again."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds. ttft_s: from the command to the first token; tokens_per_s: of decoding, first token excluded."""

    ttft_s: float
    decode_s: float
    tokens_per_s: float


@dataclass(frozen=True, slots=True)
class Finished:
    """Chat(id) is over; all its text has been sent."""

    id: str
    reason: FinishReason
    usage: Usage
    timings: Timings


@dataclass(frozen=True, slots=True)
class Failed:
    """Load(id) or Chat(id) failed and nothing of it goes on; id None: no single command is to blame."""

    id: str | None
    problem: Problem


@dataclass(frozen=True, slots=True)
class Stats:
    """The engine's state, sent at most twice a second while it works and once when it falls idle."""

    running: int
    waiting: int
    pages_used: int
    pages_cached: int
    pages_total: int
    tokens_per_s: float
    memory_bytes: int
    predicted_bytes: int


Event = Ready | Loading | Loaded | Unloaded | Prefilling | Token | Finished | Failed | Stats
