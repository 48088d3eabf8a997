"""Choosing and explaining."""

from __future__ import annotations

import pytest
import torch

import kernels
from kernels.ops.table import TABLE
from kernels.runtime.choose import Choice, Implementation, choose, explain, never

SMALL: Implementation[[int], int] = Implementation("small", lambda x: "" if x < 10 else f"{x} is not below 10", abs)
EVEN: Implementation[[int], int] = Implementation("even", lambda x: "it is odd" if x % 2 else "", abs)
ANY: Implementation[[int], int] = Implementation("any", never, abs)
ALL = (SMALL, EVEN, ANY)


@pytest.mark.parametrize(("x", "name"), [(3, "small"), (12, "even"), (13, "any")])
def test_the_first_that_does_not_refuse(x: int, name: str) -> None:
    assert choose(ALL, x).name == name == explain(ALL, x).taken


def test_reasons_are_of_the_better_ones_only() -> None:
    assert explain(ALL, 13) == Choice("any", (("small", "13 is not below 10"), ("even", "it is odd")))
    assert str(explain(ALL, 12)) == "even is taken; small is not, as 12 is not below 10"
    assert explain(ALL, 3).refused == ()


def test_every_op_ends_with_its_definition() -> None:
    for op, implementations in TABLE.items():
        last = implementations[-1]
        assert last.name == "reference" and last.refuses is never
        assert last.run.__module__.startswith("kernels.reference.") and last.run.__name__ == op
    assert set(TABLE) <= set(kernels.__all__)


def test_explain_by_name() -> None:
    x, weight = torch.zeros(300, 8), torch.zeros(4, 8)
    choice = kernels.explain("linear", x, weight)
    assert choice.taken == "torch's matmul" and [name for name, _ in choice.refused] == ["compiled rows"]
    with pytest.raises(ValueError, match=r"op must be one of attention, .* not 'matmul'"):
        kernels.explain("matmul", x)
