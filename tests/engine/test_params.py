"""SamplingParams refuses what makes no sense, naming the field."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.errors import InvalidRequest
from engine.params import SamplingParams, usual_params


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", -1.0),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("top_k", -2),
        ("top_p", 1.5),
        ("top_p", -0.1),
        ("min_p", 2.0),
        ("repetition_penalty", 0.0),
        ("repetition_penalty", math.inf),
        ("max_tokens", 0),
        ("seed", -1),
        ("seed", 2**63),
        ("stop", ("",)),
    ],
)
def test_c043_c046_nonsense_is_refused_by_name(field: str, value: Any) -> None:
    """C043, C046, C047: negative, NaN and infinite values."""
    with pytest.raises(InvalidRequest) as caught:
        SamplingParams(**{field: value})
    assert caught.value.field == field
    assert str(value) in str(caught.value)


def test_every_off_value_is_taken() -> None:
    SamplingParams(temperature=0, top_k=-1, top_p=0, min_p=0, repetition_penalty=1)
    SamplingParams(top_k=0, top_p=1, seed=2**63 - 1, max_tokens=1)


def test_small_models_are_sampled_closer_to_their_first_choice() -> None:
    assert usual_params(135_000_000).temperature < usual_params(8_000_000_000).temperature
    assert usual_params(8_000_000_000) == SamplingParams()
