"""What the engine is doing right now, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.errors import Problem
from engine.messages import ModelCard

Phase = Literal["starting", "empty", "loading", "ready", "reading", "answering", "dead"]


@dataclass(frozen=True, slots=True)
class EngineState:
    """One consistent picture; a new one is made at each change.

    phase: "starting" (process comes up), "empty" (no model), "loading", "ready", "reading" (prompt),
    "answering", "dead" (process gone; `problem` says why; reload offers itself).
    source: path of the model that is loaded, loading, or was loaded when the engine died.
    step, done, total: progress of loading (bytes) or reading (tokens); total 0 is unknown.
    tokens_per_s: of the running or last answer. context_used: tokens of the open chat, as far as known.
    """

    phase: Phase
    source: str = ""
    model: ModelCard | None = None
    step: str = ""
    done: int = 0
    total: int = 0
    tokens_per_s: float = 0.0
    context_used: int = 0
    problem: Problem | None = None

    @property
    def busy(self) -> bool:
        return self.phase in ("loading", "reading", "answering")
