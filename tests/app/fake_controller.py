"""A controller without engine and store: it does in memory what the page asks, and tests say the rest."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.bridge.state import EngineState
from app.chat.records import Conversation, Measured, Message, MessageState
from engine.messages import ModelCard

CARD = ModelCard(
    name="SmolLM2-135M-Instruct",
    source="/models/SmolLM2-135M-Instruct.gguf",
    architecture="LlamaForCausalLM",
    format="GGUF",
    parameters=134_515_008,
    weight_bytes=270_000_000,
    cache_bytes=94_000_000,
    context=8192,
    device="cpu",
    dtype="bf16",
    has_template=True,
)
READY = EngineState("ready", CARD.source, CARD)
MEASURED = Measured(
    prompt_tokens=412, cached_tokens=0, completion_tokens=128, ttft_s=0.34, tokens_per_s=14.2, reason="stop"
)


class FakeController(QObject):
    conversations_changed = Signal(list)
    chat_opened = Signal(object, list)
    message_added = Signal(object)
    message_changed = Signal(object)
    message_extended = Signal(int, str)
    message_removed = Signal(int)
    state_changed = Signal(object)
    problem = Signal(object)
    notice = Signal(str, str, object)

    def __init__(self, state: EngineState = READY) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.conversations: list[Conversation] = []
        self.contents: dict[int, list[Message]] = {}
        self.conversation: Conversation | None = None
        self.state = state
        self.recent_models = [CARD.source]
        self._next = 1

    @property
    def messages(self) -> list[Message]:
        return self.contents.get(self.conversation.id, []) if self.conversation else []

    # ---------------------------------------------------------------- what tests say

    def set_state(self, state: EngineState) -> None:
        self.state = state
        self.state_changed.emit(state)

    def seed(self, title: str, *messages: tuple[str, str], age_s: float = 0, draft: str = "") -> Conversation:
        """A conversation with these (role, content) messages, complete; not opened."""
        now = time.time() - age_s
        chat = Conversation(self._id(), title, now, now, draft)
        self.conversations.append(chat)
        self.contents[chat.id] = [self.message(chat.id, role, content) for role, content in messages]
        self.conversations_changed.emit(list(self.conversations))
        return chat

    def message(self, chat: int, role: Any, content: str, state: MessageState = "complete") -> Message:
        measured = MEASURED if role == "assistant" and state == "complete" else None
        return Message(self._id(), chat, role, content, state, time.time(), measured=measured)

    def say(self, text: str) -> None:
        """More of the answer."""
        last = self.messages[-1]
        self.messages[-1] = replace(last, content=last.content + text)
        self.message_extended.emit(last.id, text)

    def settle(self, state: MessageState = "complete", error: str = "", measured: Measured | None = MEASURED) -> None:
        """The answer is over."""
        self.messages[-1] = replace(self.messages[-1], state=state, error=error, measured=measured)
        self.message_changed.emit(self.messages[-1])

    def _id(self) -> int:
        self._next += 1
        return self._next

    # ---------------------------------------------------------------- what the page asks

    def start(self) -> None:
        self.conversations_changed.emit(list(self.conversations))
        if self.conversations:
            self.open_chat(self.conversations[0].id)
        else:
            self.new_chat()

    def new_chat(self) -> None:
        self.calls.append(("new_chat",))
        self.open_chat(self.seed("").id)

    def open_chat(self, id: int) -> None:
        self.calls.append(("open_chat", id))
        self.conversation = next(chat for chat in self.conversations if chat.id == id)
        self.chat_opened.emit(self.conversation, list(self.messages))

    def delete_chat(self, id: int) -> None:
        self.calls.append(("delete_chat", id))
        gone = next(chat for chat in self.conversations if chat.id == id)
        self.conversations.remove(gone)
        self.conversations_changed.emit(list(self.conversations))
        self.notice.emit(f"Deleted “{gone.title}”", "Undo", lambda: self.restore_chat(id))

    def restore_chat(self, id: int) -> None:
        self.calls.append(("restore_chat", id))

    def rename_chat(self, id: int, title: str) -> None:
        self.calls.append(("rename_chat", id, title))
        self.conversations = [replace(chat, title=title) if chat.id == id else chat for chat in self.conversations]
        self.conversations_changed.emit(list(self.conversations))

    def send(self, text: str) -> None:
        self.calls.append(("send", text))
        assert self.conversation is not None
        for message in (
            self.message(self.conversation.id, "user", text),
            self.message(self.conversation.id, "assistant", "", "streaming"),
        ):
            self.messages.append(message)
            self.message_added.emit(message)

    def stop(self) -> None:
        self.calls.append(("stop",))

    def regenerate(self) -> None:
        self.calls.append(("regenerate",))

    def edit_last(self, text: str) -> None:
        self.calls.append(("edit_last", text))

    def continue_answer(self) -> None:
        self.calls.append(("continue_answer",))

    def set_draft(self, text: str) -> None:
        self.calls.append(("set_draft", text))

    def load_model(self, path: str) -> None:
        self.calls.append(("load_model", path))

    def reload(self) -> None:
        self.calls.append(("reload",))
