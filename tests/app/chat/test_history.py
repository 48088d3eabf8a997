from __future__ import annotations

from app.chat.history import history
from app.chat.records import Message, Role
from engine.messages import ChatMessage


def said(role: Role, content: str) -> Message:
    return Message(1, 1, role, content, "complete", 0.0)


def test_turns_go_out_as_they_are() -> None:
    messages = [said("system", "be kind"), said("user", "hi"), said("assistant", "hello ")]
    assert history(messages) == (
        ChatMessage("system", "be kind"),
        ChatMessage("user", "hi"),
        ChatMessage("assistant", "hello "),
    )


def test_an_answer_stopped_before_its_first_word_is_no_turn() -> None:
    """C031: two questions then stand together and are joined, so that roles alternate."""
    messages = [said("user", "one"), said("assistant", ""), said("user", "two"), said("assistant", "")]
    assert history(messages) == (ChatMessage("user", "one\n\ntwo"),)


def test_answers_whose_question_is_gone_are_joined() -> None:
    """C031: a message deleted in the middle."""
    messages = [said("user", "q"), said("assistant", "a"), said("assistant", "b"), said("user", "next")]
    assert [turn.role for turn in history(messages)] == ["user", "assistant", "user"]
