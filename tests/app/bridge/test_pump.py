from __future__ import annotations

import pytest

from app.bridge.pump import Ended, merge
from engine.errors import Problem
from engine.messages import Event, Finished, Loading, Prefilling, Stats, Timings, Token, Usage

FINISHED = Finished("a", "stop", Usage(1, 0, 1), Timings(0.1, 0.1, 1.0))


def stats(rate: float) -> Stats:
    return Stats(1, 0, 1, 0, 1, rate, 0, 0)


@pytest.mark.parametrize(
    ("earlier", "later", "merged"),
    [
        (Token("a", "x", 1), Token("a", "y", 2), Token("a", "xy", 2)),
        (Token("a", "x", 1), Token("b", "y", 1), None),
        (Token("a", "x", 1), FINISHED, None),
        (Loading("a", "Weights", 1, 9), Loading("a", "Weights", 2, 9), Loading("a", "Weights", 2, 9)),
        (Loading("a", "Weights", 1, 9), Loading("b", "Weights", 2, 9), None),
        (Prefilling("a", 1, 9, 0), Prefilling("a", 5, 9, 0), Prefilling("a", 5, 9, 0)),
        (Prefilling("a", 1, 9, 0), Token("a", "x", 1), None),
        (stats(1.0), stats(2.0), stats(2.0)),
        (FINISHED, Ended(Problem("EngineDied", "gone")), None),
        (Token("a", "x", 1), Ended(Problem("EngineDied", "gone")), None),
    ],
)
def test_merging(earlier: Event, later: Event | Ended, merged: Event | None) -> None:
    assert merge(earlier, later) == merged
