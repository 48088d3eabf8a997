"""Conversations and their messages as the window knows them: frozen, made by the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant"]
MessageState = Literal["complete", "streaming", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Measured:
    """How an answer went: tokens of prompt and answer, seconds to the first token, tokens a second of decoding."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    ttft_s: float
    tokens_per_s: float
    reason: str  # "stop", "length" or "cancelled"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One chat. Times are seconds since the epoch."""

    id: int
    title: str
    created: float
    updated: float
    draft: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. state "streaming" is only seen while an answer runs; one found so at start becomes "stopped".

    error: the sentence and remedy of what ended a failed answer; the text before it is kept.
    """

    id: int
    conversation: int
    role: Role
    content: str
    state: MessageState
    created: float
    model: str = ""
    error: str = ""
    measured: Measured | None = None
