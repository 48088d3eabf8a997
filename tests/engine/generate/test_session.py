"""Loading a session: what it tells, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.errors import DoesNotFit, InvalidRequest, NoTemplate, OutOfMemory
from engine.generate.session import finish, load_model, load_session
from engine.messages import Chat, ChatMessage, Finished
from engine.params import SamplingParams
from engine.plan.plan import Wishes
from engine.settings import EngineSettings

CPU = Wishes(device="cpu", context=512)
HELLO = (ChatMessage("user", "hello"),)


def copy(folder: Path, target: Path) -> Path:
    shutil.copytree(folder, target)
    return target


def test_steps_tell_what_is_done_in_bytes(tiny_chat_model: Path) -> None:
    steps = list(load_session(tiny_chat_model, CPU, EngineSettings()))
    assert [step.step for step in steps][:2] == ["Reading the description", "Reading the tokenizer"]
    weights = [step for step in steps if step.step == "Loading weights"]
    assert weights[-1].done == weights[-1].total > 0


def test_memory_is_what_the_plan_says(tiny_chat_model: Path) -> None:
    session = finish(load_session(tiny_chat_model, CPU, EngineSettings()))
    assert session.card.cache_bytes == session.plan.memory.cache == session.model.cache.bytes
    weights = {id(layer): layer for block in session.model.blocks for layer in vars(block.mlp).values()}
    assert session.card.weight_bytes > sum(
        layer.weight.nbytes for layer in weights.values() if hasattr(layer, "weight")
    )


def test_the_environment_decides_what_is_not_wished(tiny_chat_model: Path) -> None:
    settings = EngineSettings(threads=1, device="cpu")
    _, plan = finish(load_model(tiny_chat_model, Wishes(context=256), settings))
    assert (plan.device, plan.threads) == ("cpu", 1)
    _, plan = finish(load_model(tiny_chat_model, Wishes(context=256, threads=2, device="cpu"), settings))
    assert plan.threads == 2


def test_c034_without_a_template_a_chat_is_refused_and_said_at_load(tiny_base_model: Path) -> None:
    """C034: no other model's format in silence."""
    session = finish(load_session(tiny_base_model, CPU, EngineSettings()))
    assert not session.card.has_template and any("template" in warning for warning in session.card.warnings)
    with pytest.raises(NoTemplate):
        session.chat(Chat("a", HELLO))
    assert session.generator.idle


def test_c019_a_tokenizer_larger_than_the_embedding_is_told_and_its_ids_refused(
    tiny_chat_model: Path, tmp_path: Path
) -> None:
    """C019: embedding of fewer rows than the tokenizer has ids; the engine goes on."""
    folder = copy(tiny_chat_model, tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 264}))
    weights = load_file(folder / "model.safetensors")
    cut = {name: tensor[:264].clone() if tensor.shape[0] == 300 else tensor for name, tensor in weights.items()}
    save_file(cut, folder / "model.safetensors")
    session = finish(load_session(folder, CPU, EngineSettings()))
    assert any("tokenizer knows" in warning for warning in session.card.warnings)
    with pytest.raises(InvalidRequest, match="vocabulary of 264"):
        session.chat(Chat("a", (ChatMessage("user", " the and hello"),)))
    session.chat(Chat("b", (ChatMessage("user", "xyz"),), SamplingParams(temperature=0, max_tokens=2)))
    events = [event for _ in range(5) for event in session.generator.step()]
    assert any(isinstance(event, Finished) for event in events)


def test_c100_no_memory_while_loading_is_told_with_the_need(
    tiny_chat_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C100: the allocator fails at load."""

    def fail(*_: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes.")

    monkeypatch.setattr("engine.generate.session.build", fail)
    with pytest.raises(OutOfMemory) as caught:
        finish(load_session(tiny_chat_model, CPU, EngineSettings()))
    assert caught.value.device == "cpu" and caught.value.needed > 0


def test_c124_what_cannot_fit_is_refused_before_weights_are_read(
    tiny_chat_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C124: the plan uses the memory that is free now."""
    monkeypatch.setattr("engine.generate.session.stream", lambda *_: pytest.fail("weights were read"))
    with pytest.raises(DoesNotFit):
        finish(load_session(tiny_chat_model, Wishes(device="cpu", cache_tokens=2**40, context=512), EngineSettings()))


def test_another_programming_error_is_not_taken_for_lack_of_memory(
    tiny_chat_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("size mismatch")

    monkeypatch.setattr("engine.generate.session.build", fail)
    with pytest.raises(RuntimeError, match="size mismatch"):
        finish(load_session(tiny_chat_model, CPU, EngineSettings()))


def test_two_models_at_once_do_not_meet(tiny_chat_model: Path) -> None:
    sessions = [finish(load_session(tiny_chat_model, CPU, EngineSettings())) for _ in range(2)]
    for session in sessions:
        session.chat(Chat("same id", HELLO, SamplingParams(temperature=0, max_tokens=4)))
    texts = [[event for _ in range(8) for event in session.generator.step()] for session in sessions]
    assert len(texts[0]) == len(texts[1]) > 0
    assert torch.equal(sessions[0].model.cache.keys[0], sessions[1].model.cache.keys[0])
