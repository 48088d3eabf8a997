"""Commands: what the window, the command line and the server ask of the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine.params import SamplingParams
from engine.plan.plan import Wishes

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Load:
    """Load the model at `source` (a folder or a .gguf file), in place of the one that is loaded.

    Answered by Loading…, then Loaded or Failed(id). Cancel(id) stops it.
    """

    id: str
    source: str
    wishes: Wishes = field(default_factory=Wishes)


@dataclass(frozen=True, slots=True)
class Chat:
    """Answer the conversation. Answered by Prefilling…, Token…, then Finished or Failed.

    continue_last: the last message is the assistant's; go on from its very end, without a new turn.
    """

    id: str
    messages: tuple[ChatMessage, ...]
    params: SamplingParams = field(default_factory=SamplingParams)
    continue_last: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop the load or chat with this id; takes effect within one step. Unknown ids are ignored."""

    id: str


@dataclass(frozen=True, slots=True)
class Unload:
    """Free the model; running chats end as cancelled. Answered by Unloaded."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End the engine; the outbox closes."""


Command = Load | Chat | Cancel | Unload | Shutdown
