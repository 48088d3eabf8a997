"""The stages of sampling against plain definitions."""

from __future__ import annotations

import pytest
import torch

from engine.sample import stages


@pytest.mark.parametrize("vocab", [3, 31, 33, 501, 40001])
@pytest.mark.parametrize("which", ["one", "most", "all", "more", "off"])
def test_c050_top_k_for_every_vocabulary_size(vocab: int, which: str) -> None:
    """C050: sizes that are no multiple of anything; k of 1, size - 1, size, more."""
    top_k = {"one": 1, "most": vocab - 1, "all": vocab, "more": vocab + 5, "off": 0}[which]
    logits = torch.randn(vocab, generator=torch.Generator().manual_seed(vocab))
    probabilities, ids = stages.candidates(logits, 1.0, top_k)
    kept = vocab if top_k == 0 else min(top_k, vocab)
    order = sorted(range(vocab), key=lambda index: (-float(logits[index]), index))[:kept]
    assert ids.tolist() == order
    expected = torch.softmax(logits.double()[order], dim=0)
    torch.testing.assert_close(probabilities, expected, rtol=1e-12, atol=0)


def test_c050_ties_are_resolved_by_id() -> None:
    """C050: a tie between all logits."""
    _, ids = stages.candidates(torch.zeros(40), 1.0, 7)
    assert ids.tolist() == list(range(7))


@pytest.mark.parametrize("temperature", [1e-4, 0.7, 2.0, 1e6])
def test_c043_no_temperature_overflows(temperature: float) -> None:
    """C043: tiny and huge temperatures over logits up to 1e4."""
    probabilities, ids = stages.candidates(torch.tensor([1e4, -1e4, 9e3]), temperature, 0)
    assert bool(torch.isfinite(probabilities).all()) and ids[0] == 0
    torch.testing.assert_close(float(probabilities.sum()), 1.0)


def test_top_p_keeps_the_smallest_set_that_reaches_p() -> None:
    probabilities = torch.tensor([0.5, 0.3, 0.15, 0.05], dtype=torch.float64)
    assert len(stages.keep_top_p(probabilities, 0.5)) == 1
    assert len(stages.keep_top_p(probabilities, 0.51)) == 2
    assert len(stages.keep_top_p(probabilities, 0.8)) == 2
    assert len(stages.keep_top_p(probabilities, 1e-9)) == 1


@pytest.mark.parametrize("off", [0.0, 1.0])
def test_c046_both_off_values_of_top_p_keep_all(off: float) -> None:
    """C046: clients send 0 or 1 for "off"."""
    probabilities = torch.tensor([0.7, 0.3], dtype=torch.float64)
    assert len(stages.keep_top_p(probabilities, off)) == 2


def test_min_p_is_relative_to_the_likeliest() -> None:
    probabilities = torch.tensor([0.5, 0.26, 0.24], dtype=torch.float64)
    assert len(stages.keep_min_p(probabilities, 0.5)) == 2
    assert len(stages.keep_min_p(probabilities, 1.0)) == 1
    assert len(stages.keep_min_p(probabilities, 0.0)) == 3


def test_repetition_penalty_lowers_positive_and_negative_logits() -> None:
    logits = torch.tensor([2.0, -2.0, 1.0])
    assert stages.penalize_repetition(logits, {0, 1}, 2.0).tolist() == [1.0, -4.0, 1.0]
    assert stages.penalize_repetition(logits, set(), 2.0) is logits


def test_drawing_follows_the_probabilities_to_the_border() -> None:
    probabilities = torch.tensor([0.5, 0.25, 0.25], dtype=torch.float64)
    assert [stages.draw(probabilities, uniform) for uniform in (0.0, 0.49, 0.5, 0.74, 0.75, 0.999999)] == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]
    assert stages.draw(probabilities[:1], 0.999999) == 0
