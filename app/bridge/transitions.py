"""How the picture of the engine changes with what it says: pure functions."""

from __future__ import annotations

from dataclasses import replace

from app.bridge.state import EngineState
from engine.errors import Problem
from engine.messages import Finished, Loaded, Loading, Prefilling, Stats, Token


def loading(source: str) -> EngineState:
    """A load was asked for."""
    return EngineState("loading", source)


def loading_at(state: EngineState, event: Loading) -> EngineState:
    return replace(state, step=event.step, done=event.done, total=event.total)


def loaded(event: Loaded) -> EngineState:
    return EngineState("ready", event.model.source, event.model)


def emptied(problem: Problem | None = None, source: str = "") -> EngineState:
    """No model is loaded; because of the problem, if there is one."""
    return EngineState("empty", source, problem=problem)


def asked(state: EngineState) -> EngineState:
    """A chat was sent."""
    return replace(state, phase="reading", step="", done=0, total=0, tokens_per_s=0.0, context_used=0, problem=None)


def reading_at(state: EngineState, event: Prefilling) -> EngineState:
    return replace(state, phase="reading", done=event.done, total=event.total, context_used=event.total)


def answering(state: EngineState, event: Token, prompt_tokens: int) -> EngineState:
    return replace(state, phase="answering", step="", done=0, total=0, context_used=prompt_tokens + event.tokens)


def measured(state: EngineState, event: Stats) -> EngineState:
    return replace(state, tokens_per_s=event.tokens_per_s) if state.phase == "answering" else state


def answered(state: EngineState, event: Finished) -> EngineState:
    used = event.usage.prompt_tokens + event.usage.completion_tokens
    return replace(at_rest(state), tokens_per_s=event.timings.tokens_per_s, context_used=used)


def at_rest(state: EngineState) -> EngineState:
    """Nothing runs any more; a model that was there still is."""
    return replace(state, phase="ready" if state.model else "empty", step="", done=0, total=0)


def dead(state: EngineState, problem: Problem) -> EngineState:
    return EngineState("dead", state.source, problem=problem)
