"""On an NVIDIA card: the same logits and the same text as on the processor."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.client import Client, Refused
from engine.messages import ChatMessage, Finished, Loaded, Token
from engine.params import SamplingParams
from engine.plan.plan import Wishes
from engine.quant.measure import logits_of
from tests.engine.model.test_architectures import CASES, VARIANTS, error, load, make, text

pytestmark = pytest.mark.gpu
CARD = "cuda:0"


@pytest.mark.parametrize(("architecture", "case"), CASES, ids=[f"{name}-{case}" for name, case in CASES])
def test_tiny_models_in_fp32(architecture: str, case: str, tmp_path: Path) -> None:
    make(tmp_path, architecture, VARIANTS[architecture][case])
    expected = torch.cat(list(logits_of(load(tmp_path), text())))
    for chunk in (256, 50, 1):
        found = torch.cat(list(logits_of(load(tmp_path, device=CARD), text(), chunk=chunk)))
        assert error(found, expected) < 1e-4, f"chunks of {chunk}"


@pytest.mark.parametrize(("dtype", "bound"), [("float32", 1e-4), ("bfloat16", 0.05), ("float16", 0.01)])
def test_the_starter(dtype: str, bound: float, starter: Path) -> None:
    tokens = torch.arange(400) * 97 % 49000 + 20
    expected = torch.cat(list(logits_of(load(starter, dtype="float32", context=512), tokens)))
    found = torch.cat(list(logits_of(load(starter, device=CARD, dtype=dtype, context=512), tokens)))
    assert error(found, expected) < bound


def test_the_starter_gives_the_same_greedy_text(starter: Path) -> None:
    question = [ChatMessage("user", "What is the capital of France? Answer in one sentence.")]
    answers = []
    for device in ("cpu", CARD):
        with Client() as client:
            *_, loaded = client.load(str(starter), Wishes(device=device, dtype="float32", context=512))
            assert isinstance(loaded, Loaded) and loaded.model.device == device
            events = list(client.chat(question, SamplingParams(temperature=0, max_tokens=40)))
            assert isinstance(events[-1], Finished)
            answers.append("".join(event.text for event in events if isinstance(event, Token)))
    assert answers[0] == answers[1] and "Paris" in answers[0]


def test_memory_is_as_predicted_and_comes_back(starter: Path) -> None:
    """C121, C127: within 2 % and a fixed 32 MiB of the plan while loaded; all given back after."""
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    with Client() as client:
        for context in (512, 8192, 2048):
            *_, loaded = client.load(str(starter), Wishes(device=CARD, context=context))
            assert isinstance(loaded, Loaded)
            torch.cuda.reset_peak_memory_stats()
            list(client.chat([ChatMessage("user", "word " * 300)], SamplingParams(temperature=0, max_tokens=20)))
            peak = torch.cuda.max_memory_allocated() - before
            predicted = loaded.plan.memory.total
            assert peak <= 1.02 * predicted + 2**25, f"{peak} bytes taken, {predicted} predicted"
            assert peak >= loaded.plan.memory.weights + loaded.plan.memory.cache
    torch.cuda.empty_cache()
    assert torch.cuda.memory_allocated() - before < 2**20


def test_c100_a_full_card_is_told_and_the_next_load_works(starter: Path) -> None:
    """C100, C124: memory taken between plan and load, and a context no card holds."""
    with Client() as client:
        hog = torch.empty(int(torch.cuda.mem_get_info()[0] * 0.999), dtype=torch.uint8, device=CARD)
        with pytest.raises(Refused) as caught:
            list(client.load(str(starter), Wishes(device=CARD, context=8192)))
        assert caught.value.problem().kind in ("DoesNotFit", "OutOfMemory")
        assert caught.value.remedy()
        del hog
        torch.cuda.empty_cache()
        *_, loaded = client.load(str(starter), Wishes(device=CARD, context=512))
        assert isinstance(loaded, Loaded)
