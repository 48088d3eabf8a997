"""Makes a conversation fit what chat templates expect.

People stop answers before the first word, delete messages, and edit. Many templates insist that user and assistant
take turns, so such a history would fail at every later request. The rules, in this order:

1. An assistant turn without any text is dropped.
2. Neighbouring turns of the same role (system, user, assistant) become one, their texts joined by an empty line.

Only for a template that refuses the conversation as it stands:

3. The system text goes in front of the first user's text, joined by an empty line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

_JOINED = ("system", "user", "assistant")  # not "tool": each result answers a call of its own
_BETWEEN = "\n\n"


class Message(Protocol):
    """What a conversation is made of."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation as templates see it. role: "system", "user", "assistant" or "tool"."""

    role: str
    content: str


def fit_history(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """Rules 1 and 2. The end of the last assistant's text stays the end."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "assistant" and not message.content:
            continue
        if turns and message.role == turns[-1].role and message.role in _JOINED:
            turns[-1] = Turn(message.role, turns[-1].content + _BETWEEN + message.content)
        else:
            turns.append(Turn(message.role, message.content))
    return tuple(turns)


def merge_system(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Rule 3. Without a user's turn after it the system's becomes one."""
    if not turns or turns[0].role != "system":
        return tuple(turns)
    system, *rest = turns
    if rest and rest[0].role == "user":
        return (Turn("user", system.content + _BETWEEN + rest[0].content), *rest[1:])
    return (Turn("user", system.content), *rest)
