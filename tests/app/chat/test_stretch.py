from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.chat.stretch import BATCH, FIRST, MOST, Stretch


def test_a_chat_opens_at_its_end() -> None:
    assert Stretch.newest(1000) == Stretch(1000 - FIRST, 1000, 1000)
    assert Stretch.newest(2) == Stretch(0, 2, 2)


def test_it_moves_by_batches() -> None:
    assert Stretch(10, 20, 50).earlier() == Stretch(10 - BATCH, 20, 50)
    assert Stretch(10, 20, 50).later() == Stretch(10, 20 + BATCH, 50)


def test_a_new_message_is_seen_only_at_the_end() -> None:
    assert Stretch(5, 10, 10).appended() == Stretch(5, 11, 11)
    assert Stretch(5, 9, 10).appended() == Stretch(5, 9, 11)


@given(st.integers(0, 500), st.lists(st.sampled_from(["earlier", "later", "appended"]), max_size=200))
def test_it_is_never_longer_than_most(total: int, moves: list[str]) -> None:
    now = Stretch.newest(total)
    for move in moves:
        now = getattr(now, move)()
        assert 0 <= now.first <= now.last <= now.total
        assert now.last - now.first <= MOST
