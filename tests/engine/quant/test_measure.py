"""Perplexity and distance, against the plain formulas."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from engine.errors import InvalidRequest
from engine.model.model import Model
from engine.quant.measure import logits_of, measure
from tests.engine.model.test_architectures import load, make


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Model]:
    """A reference, and itself in 16 bits."""
    folder: Path = tmp_path_factory.mktemp("model")
    make(folder, "LlamaForCausalLM", {})
    return load(folder), load(folder, dtype="bfloat16")


def rows(count: int, length: int) -> torch.Tensor:
    return torch.randint(0, 300, (count, length), generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("length", [2, 255, 256, 257, 300, 512])
def test_perplexity_is_that_of_the_formula(length: int, models: tuple[Model, Model]) -> None:
    text = rows(2, length)
    *_, quality = measure(models[0], text)
    nll = 0.0
    for row in text:
        logits = torch.cat(list(logits_of(models[0], row, chunk=1000)))
        nll += float(torch.nn.functional.cross_entropy(logits[:-1].double(), row[1:], reduction="sum"))
    assert quality.tokens == 2 * (length - 1)
    assert quality.perplexity == pytest.approx(math.exp(nll / quality.tokens), rel=1e-5)
    assert quality.kl is None and quality.agreement is None


def test_a_model_agrees_with_itself_and_nearly_with_its_rounding(models: tuple[Model, Model]) -> None:
    exact, rounded = models
    *_, same = measure(exact, rows(1, 300), exact)
    assert same.kl == pytest.approx(0, abs=1e-9) and same.agreement == 1
    *_, near = measure(rounded, rows(1, 300), exact)
    assert near.kl is not None and near.agreement is not None
    assert 0 < near.kl < 0.05 and 0.8 < near.agreement <= 1


def test_nonsense_is_refused(models: tuple[Model, Model]) -> None:
    with pytest.raises(InvalidRequest, match="999"):
        list(measure(models[0], torch.tensor([[1, 999]])))
    with pytest.raises(InvalidRequest, match="two tokens"):
        list(measure(models[0], torch.tensor([[1]])))
    with pytest.raises(InvalidRequest, match="does not fit"):
        list(measure(models[0], rows(1, 5000)))
