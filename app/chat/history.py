"""What of a conversation is sent to the engine."""

from __future__ import annotations

from collections.abc import Sequence

from app.chat.records import Message
from engine.messages import ChatMessage


def history(messages: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """The turns that say something, adjacent ones of one role joined: chat templates may insist on alternation.

    An answer that was stopped before its first word leaves no turn, so two questions can come to stand together.
    """
    turns: list[ChatMessage] = []
    for message in messages:
        if not message.content.strip():
            continue
        if turns and turns[-1].role == message.role:
            joined = f"{turns[-1].content}\n\n{message.content}"
            turns[-1] = ChatMessage(message.role, joined)
        else:
            turns.append(ChatMessage(message.role, message.content))
    return tuple(turns)
