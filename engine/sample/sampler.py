"""Sampler: the random state of one sequence and its way through the stages."""

from __future__ import annotations

import random
from collections.abc import Collection

from torch import Tensor

from engine.params import SamplingParams
from engine.sample import stages


class Sampler:
    """Draws the tokens of one answer. One uniform number a token from its own generator: the same seed gives the
    same text, whatever else is being generated beside it."""

    def __init__(self, params: SamplingParams, exempt: frozenset[int] = frozenset()) -> None:
        """exempt: ids the repetition penalty leaves alone (end-of-turn tokens)."""
        self._params = params
        self._exempt = exempt
        self._random = random.Random(params.seed)

    @property
    def takes_argmax(self) -> bool:
        """The likeliest token as the model has it: a whole batch of such rows is decided at once."""
        return self._params.greedy and self._params.repetition_penalty == 1.0

    def sample(self, logits: Tensor, answer: Collection[int]) -> int:
        """The next token after `answer`, the tokens generated so far. logits: [vocab] float32, all finite."""
        params = self._params
        if params.repetition_penalty != 1.0:
            logits = stages.penalize_repetition(logits, set(answer) - self._exempt, params.repetition_penalty)
        if params.greedy:
            return int(logits.argmax())
        probabilities, ids = stages.candidates(logits, params.temperature, params.top_k)
        probabilities = stages.keep_top_p(probabilities, params.top_p)
        probabilities = stages.keep_min_p(probabilities, params.min_p)
        return int(ids[stages.draw(probabilities, self._random.random())])
