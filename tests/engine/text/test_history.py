"""What becomes of conversations that people have stopped, cut and edited."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.messages import ChatMessage
from engine.text.history import Turn, fit_history, merge_system


def turns(*pairs: tuple[str, str]) -> tuple[Turn, ...]:
    return tuple(Turn(role, content) for role, content in pairs)


def test_c031_stopped_before_the_first_word() -> None:
    """C031: the empty answer is dropped and the two questions become one."""
    history = turns(("user", "one"), ("assistant", ""), ("user", "two"))
    assert fit_history(history) == turns(("user", "one\n\ntwo"))


def test_c031_stopped_after_three_tokens() -> None:
    """C031: the partial answer is kept as it is, a blank at its end included."""
    history = turns(("user", "one"), ("assistant", "Well, I "), ("user", "two"))
    assert fit_history(history) == history


def test_c031_a_message_deleted_in_the_middle() -> None:
    """C031: an answer deleted, and a question deleted."""
    assert fit_history(turns(("user", "a"), ("user", "b"), ("assistant", "c"))) == turns(
        ("user", "a\n\nb"), ("assistant", "c")
    )
    assert fit_history(turns(("user", "a"), ("assistant", "b"), ("assistant", "c "))) == turns(
        ("user", "a"), ("assistant", "b\n\nc ")
    )


def test_tool_results_stay_apart() -> None:
    history = turns(("user", "a"), ("assistant", "b"), ("tool", "c"), ("tool", "d"))
    assert fit_history(history) == history


def test_messages_of_the_engine_are_taken_as_they_are() -> None:
    assert fit_history([ChatMessage("user", "a")]) == turns(("user", "a"))
    assert fit_history([]) == ()


@given(st.lists(st.builds(Turn, st.sampled_from(["system", "user", "assistant"]), st.text(max_size=3))))
def test_roles_alternate_nothing_is_empty_and_no_text_is_lost(history: list[Turn]) -> None:
    fitted = fit_history(history)
    assert all(a.role != b.role for a, b in pairwise(fitted))
    assert fit_history(fitted) == fitted
    assert all(turn.content in "".join(t.content for t in fitted) for turn in history)


def test_the_system_text_moves_into_the_first_question() -> None:
    system, question, answer = turns(("system", "s"), ("user", "u"), ("assistant", "a"))
    assert merge_system([system, question, answer]) == (Turn("user", "s\n\nu"), answer)
    assert merge_system([system, answer]) == (Turn("user", "s"), answer)
    assert merge_system([question, answer]) == (question, answer)
    assert merge_system([]) == ()
