"""Sequence: one answer being generated (no torch)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.cache.manager import Lease


@dataclass(slots=True, eq=False)
class Sequence:
    """tokens: prompt, then answer. limit: most tokens of both together.

    computed: tokens whose keys and values are in the cache. cached: those that were found there when the
    sequence was first admitted. lease: its pages; None while it waits.
    """

    id: str
    tokens: list[int]
    prompt_length: int
    limit: int
    computed: int = 0
    cached: int = 0
    lease: Lease | None = None
    admitted: bool = field(default=False)

    @property
    def remaining(self) -> int:
        """Tokens still to be computed before the next one can be sampled."""
        return len(self.tokens) - self.computed

    @property
    def generated(self) -> int:
        return len(self.tokens) - self.prompt_length

    @property
    def answer(self) -> list[int]:
        return self.tokens[self.prompt_length :]

    @property
    def full(self) -> bool:
        return len(self.tokens) >= self.limit
