"""Every error tells itself in one sentence and travels as a Problem."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import pytest

from engine import errors
from engine.errors import TonnelleError, problem_of

SAMPLES = {"str": "name", "int": 3, "Path": Path("a/b"), "tuple[str, ...]": ("one", "two"), "tuple[int, ...]": (1, 2)}


def members() -> list[type[TonnelleError]]:
    return [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, TonnelleError)][
        1:
    ]


@pytest.mark.parametrize("member", members(), ids=lambda member: member.__name__)
def test_every_member_says_a_sentence_with_its_fields(member: type[TonnelleError]) -> None:
    values = [SAMPLES.get(str(field.type), 1) for field in dataclasses.fields(member)]
    error = member(*values)
    problem = error.problem()
    assert problem.sentence.endswith((".", "name")) and "<" not in problem.sentence
    assert problem.kind == member.__name__
    assert len(problem.details) == len(values)
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_an_unforeseen_error_keeps_its_traceback() -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        problem = problem_of(error)
    assert problem.kind == "KeyError" and "test_errors.py" in dict(problem.details)["traceback"]
