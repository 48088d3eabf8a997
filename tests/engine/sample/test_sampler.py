"""Sampler: seeds, greedy choice, and what the penalty spares."""

from __future__ import annotations

import torch

from engine.params import SamplingParams
from engine.sample.sampler import Sampler


def draws(params: SamplingParams, count: int = 200) -> list[int]:
    sampler = Sampler(params)
    logits = torch.linspace(0, 3, 50)
    return [sampler.sample(logits, ()) for _ in range(count)]


def test_the_same_seed_draws_the_same_tokens() -> None:
    params = SamplingParams(temperature=1.0, seed=7)
    assert draws(params) == draws(params) != draws(SamplingParams(temperature=1.0, seed=8))


def test_without_a_seed_two_answers_differ() -> None:
    assert draws(SamplingParams(temperature=1.0)) != draws(SamplingParams(temperature=1.0))


def test_c043_zero_and_tiny_temperatures_are_greedy() -> None:
    """C043: temperatures 0 and 1e-12 equal argmax."""
    for temperature in (0.0, 1e-12):
        params = SamplingParams(temperature=temperature)
        assert set(draws(params, 5)) == {49} and Sampler(params).takes_argmax


def test_frequencies_match_the_distribution() -> None:
    sampler = Sampler(SamplingParams(temperature=1.0, top_k=0, top_p=1.0, seed=3))
    logits = torch.tensor([0.0, 1.0, 2.0])
    counts = torch.zeros(3)
    for _ in range(6000):
        counts[sampler.sample(logits, ())] += 1
    torch.testing.assert_close(counts / 6000, torch.softmax(logits, 0), atol=0.02, rtol=0)


def test_c047_the_penalty_spares_the_prompt_and_end_tokens() -> None:
    """C047: only what the answer holds counts, and never the end of turn, or chats stop ending."""
    sampler = Sampler(SamplingParams(temperature=0, repetition_penalty=1.5), exempt=frozenset({2}))
    logits = torch.tensor([2.0, 1.9, 2.1])
    assert sampler.sample(logits, {2}) == 2
    assert sampler.sample(torch.tensor([2.0, 1.9, 0.0]), {0}) == 1
    assert sampler.sample(torch.tensor([2.0, 1.9, 0.0]), ()) == 0
