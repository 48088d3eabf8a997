from __future__ import annotations

from app.bridge import transitions
from app.bridge.state import EngineState
from engine.errors import Problem
from engine.messages import Finished, Loaded, Loading, ModelCard, Prefilling, Stats, Timings, Token, Usage
from engine.plan.plan import Memory, Plan

CARD = ModelCard("tiny", "/m/tiny.gguf", "LlamaForCausalLM", "GGUF", 1, 1, 1, 512, "cpu", "float32", True)
PLAN = Plan("cpu", "float32", "float32", 512, 2, 64, 1, Memory(1, 1, 1))
READY = EngineState("ready", CARD.source, CARD)


def test_loading() -> None:
    state = transitions.loading_at(transitions.loading("/m/tiny.gguf"), Loading("l", "Loading weights", 3, 9))
    assert state == EngineState("loading", "/m/tiny.gguf", step="Loading weights", done=3, total=9)
    assert transitions.loaded(Loaded("l", CARD, PLAN)) == READY


def test_answering() -> None:
    state = transitions.reading_at(transitions.asked(READY), Prefilling("c", 64, 100, 0))
    assert (state.phase, state.done, state.total, state.busy) == ("reading", 64, 100, True)
    state = transitions.answering(state, Token("c", "x", 7), prompt_tokens=100)
    assert (state.phase, state.total, state.context_used) == ("answering", 0, 107)
    state = transitions.measured(state, Stats(1, 0, 1, 0, 2, 33.0, 1, 1))
    assert state.tokens_per_s == 33.0
    state = transitions.answered(state, Finished("c", "stop", Usage(100, 64, 8), Timings(0.1, 0.2, 40.0)))
    assert (state.phase, state.tokens_per_s, state.context_used, state.model) == ("ready", 40.0, 108, CARD)


def test_figures_of_an_idle_engine_do_not_replace_those_of_the_last_answer() -> None:
    state = EngineState("ready", CARD.source, CARD, tokens_per_s=40.0)
    assert transitions.measured(state, Stats(0, 0, 0, 1, 2, 0.0, 1, 1)).tokens_per_s == 40.0


def test_death_keeps_the_source_for_the_reload() -> None:
    problem = Problem("EngineDied", "gone")
    assert transitions.dead(READY, problem) == EngineState("dead", CARD.source, problem=problem)


def test_rest_without_a_model_is_empty() -> None:
    assert transitions.at_rest(EngineState("reading")).phase == "empty"
