"""Every kind of bad input, through the engine's messages: one clear error, and the next request is served."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.client import Client, Refused
from engine.errors import Problem
from engine.messages import ChatMessage, Finished
from engine.params import SamplingParams
from engine.plan.plan import Wishes

CPU = Wishes(device="cpu", context=512)
BRIEF = SamplingParams(temperature=0, max_tokens=3)
HELLO = [ChatMessage("user", "hello")]


def change_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@contextmanager
def weights_of(folder: Path) -> Iterator[dict[str, torch.Tensor]]:
    """Its tensors; written back at the end as they then are."""
    weights = load_file(folder / "model.safetensors")
    yield weights
    save_file(weights, folder / "model.safetensors")


def without_config(folder: Path) -> None:
    (folder / "config.json").unlink()


def unknown_architecture(folder: Path) -> None:
    change_config(folder, architectures=["LlamaForCausalLN"])


def missing_shard(folder: Path) -> None:
    with weights_of(folder) as weights:
        table = dict.fromkeys(weights, "model.safetensors")
        table["model.norm.weight"] = "model-00002-of-00002.safetensors"
        del weights["model.norm.weight"]
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}))


def missing_tensor(folder: Path) -> None:
    with weights_of(folder) as weights:
        del weights["model.norm.weight"]


def extra_tensor(folder: Path) -> None:
    with weights_of(folder) as weights:
        weights["model.layers.0.extra.weight"] = torch.ones(2)


def wrong_shape(folder: Path) -> None:
    with weights_of(folder) as weights:
        weights["model.norm.weight"] = torch.ones(2)


def truncated(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def nan(folder: Path) -> None:
    with weights_of(folder) as weights:
        weights["model.norm.weight"][3] = torch.nan


def broken_template(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{% for message in messages %}\n{{ oops")


def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


LOADS = {
    without_config: ("NotAModel", "config.json"),
    unknown_architecture: ("UnknownArchitecture", "LlamaForCausalLM"),  # the nearest known one
    missing_shard: ("MissingShards", "model-00002-of-00002"),
    missing_tensor: ("MissingTensors", "model.norm.weight"),
    extra_tensor: ("UnexpectedTensors", "extra"),
    wrong_shape: ("WrongShape", "[2]"),
    truncated: ("CorruptFile", "model.safetensors"),
    nan: ("NonFiniteWeights", "norm"),
    broken_template: ("BrokenTemplate", "line 2"),
    no_tokenizer: ("TokenizerError", "tokenizer.json"),
}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client() as opened:
        yield opened


def refusal(action: Callable[[], object]) -> Problem:
    with pytest.raises(Refused) as caught:
        action()
    return caught.value.problem()


def serve(client: Client, model: Path) -> None:
    """The next load and the next request work."""
    list(client.load(str(model), CPU))
    assert isinstance(list(client.chat(HELLO, BRIEF))[-1], Finished)


@pytest.mark.parametrize("damage", LOADS, ids=lambda damage: damage.__name__)
def test_a_model_that_cannot_be_loaded(
    damage: Callable[[Path], None], client: Client, tiny_chat_model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_chat_model, folder)
    damage(folder)
    problem = refusal(lambda: list(client.load(str(folder), CPU)))
    kind, words = LOADS[damage]
    assert problem.kind == kind and words in f"{problem.sentence} {problem.remedy}"
    assert problem.sentence and problem.remedy and "Traceback" not in problem.sentence
    serve(client, tiny_chat_model)


def test_a_template_that_refuses_the_conversation(client: Client, tiny_chat_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_chat_model, folder)
    (folder / "chat_template.jinja").write_text(
        "{% if messages|length > 1 %}{{ raise_exception('One turn only, please.') }}{% endif %}"
        "{{ messages[0].content }}"
    )
    list(client.load(str(folder), CPU))
    turns = [*HELLO, ChatMessage("assistant", "Hi."), ChatMessage("user", "more")]
    problem = refusal(lambda: list(client.chat(turns, BRIEF)))
    assert problem.kind == "TemplateError" and "One turn only, please." in problem.sentence
    assert isinstance(list(client.chat(HELLO, BRIEF))[-1], Finished)


def test_a_prompt_longer_than_the_context(client: Client, tiny_chat_model: Path) -> None:
    serve(client, tiny_chat_model)
    problem = refusal(lambda: list(client.chat([ChatMessage("user", "x" * 5000)], BRIEF)))
    assert problem.kind == "PromptTooLong" and "512" in problem.sentence
    assert isinstance(list(client.chat(HELLO, BRIEF))[-1], Finished)


def test_no_free_memory(client: Client, tiny_chat_model: Path) -> None:
    """More than any machine has: refused by the plan, with what would cure it."""
    problem = refusal(lambda: list(client.load(str(tiny_chat_model), Wishes(device="cpu", cache_tokens=2**40))))
    assert problem.kind == "DoesNotFit" and "GiB" in problem.sentence and problem.remedy
    serve(client, tiny_chat_model)


def test_an_empty_conversation(client: Client, tiny_chat_model: Path) -> None:
    serve(client, tiny_chat_model)
    problem = refusal(lambda: list(client.chat([], BRIEF)))
    assert problem.kind == "InvalidRequest" and "message" in problem.sentence
    serve(client, tiny_chat_model)
