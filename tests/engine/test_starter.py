"""The starter model end to end: the same numbers as `transformers`, and Paris."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import transformers
from torch import Tensor

from engine.__main__ import main
from engine.layers.context import AttentionBatch
from engine.model.model import Model
from engine.quant.measure import logits_of
from tests.engine.model.test_architectures import error, load

TEXT = "The history of the garden begins with a wall. Behind it, in 1874, somebody planted two rows of limes; " * 3


@pytest.fixture(scope="module")
def reference(starter_folder: Path) -> transformers.PreTrainedModel:
    return transformers.AutoModelForCausalLM.from_pretrained(starter_folder, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def ours(starter_folder: Path) -> Model:
    return load(starter_folder, dtype="float32", context=1024)


@pytest.fixture(scope="module")
def tokens(starter_folder: Path) -> Tensor:
    ids = transformers.AutoTokenizer.from_pretrained(starter_folder).encode(TEXT)
    return torch.tensor(ids)


@pytest.mark.timeout(120)
def test_logits_in_prefill_and_64_steps_of_decode(
    reference: transformers.PreTrainedModel, ours: Model, tokens: Tensor
) -> None:
    with torch.no_grad():
        output = reference(tokens[None], use_cache=True)
    assert error(torch.cat(list(logits_of(ours, tokens))), output.logits[0]) < 1e-4
    token, length = output.logits[0, -1].argmax(), len(tokens)
    pages = list(range(3))
    for at in range(length, length + 64):
        with torch.no_grad():
            output = reference(token[None, None], past_key_values=output.past_key_values, use_cache=True)
        position = torch.tensor([at])
        batch = AttentionBatch.make(page_tables=[pages], query_lens=[1], kv_lens=[at + 1], device=torch.device("cpu"))
        logits = ours.forward(token[None], position, position, batch)
        assert error(logits, output.logits[0]) < 1e-4, f"step {at - length}"
        token = output.logits[0, -1].argmax()


def test_the_gguf_and_the_folder_agree(starter: Path, starter_folder: Path, tokens: Tensor) -> None:
    """Both in bf16, as they come: the folder was rounded from the same values."""
    theirs = torch.cat(list(logits_of(load(starter_folder, context=512), tokens)))
    assert error(torch.cat(list(logits_of(load(starter, context=512), tokens))), theirs) < 1e-3


def test_the_gguf_in_fp32_is_close_to_its_rounding(starter: Path, ours: Model, tokens: Tensor) -> None:
    theirs = torch.cat(list(logits_of(ours, tokens)))
    exact = torch.cat(list(logits_of(load(starter, dtype="float32", context=512), tokens)))
    assert error(exact, theirs) < 0.03


def test_asked_for_the_capital_it_names_paris(capsys: pytest.CaptureFixture[str]) -> None:
    question = "What is the capital of France? Answer in one sentence."
    code = main(["chat", "--prompt", question, "--temperature", "0", "--json", "--device", "cpu"])
    answer = json.loads(capsys.readouterr().out)
    assert code == 0 and "Paris" in answer["text"]
    assert set(answer) == {"text", "prompt_tokens", "completion_tokens", "ttft_s", "tokens_per_s", "finish_reason"}
    assert answer["finish_reason"] == "stop" and answer["prompt_tokens"] > 10
    assert 0 < answer["completion_tokens"] < 40 and answer["ttft_s"] > 0 and answer["tokens_per_s"] > 0


def test_the_same_seed_gives_the_same_text(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for seed in ("5", "5", "6"):
        main(["chat", "--prompt", "Tell me about rain.", "--max-tokens", "20", "--seed", seed, "--temperature", "1"])
        texts.append(capsys.readouterr().out.rsplit("\n[", 1)[0])
    assert texts[0] == texts[1] != texts[2]
