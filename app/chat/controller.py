"""ChatController: what the person does in the chat becomes commands; what the engine says becomes messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.client import EngineClient
from app.bridge.state import EngineState
from app.chat.answering import Answering
from app.chat.history import history
from app.chat.records import Conversation, Message
from app.chat.store import ChatStore, title_of
from app.errors import NoSuchChat
from app.settings.first_model import first_model
from app.settings.store import Settings
from engine.errors import NothingLoaded, TonnelleError
from engine.messages import Failed


class ChatController(QObject):
    """One conversation is open; one answer at most is being given, in this or another conversation.

    All methods return at once and are of the window's thread. What cannot be done now (sending while an answer is
    being given) does nothing; the view disables it.
    """

    conversations_changed = Signal(list)  # list[Conversation], newest first
    chat_opened = Signal(object, list)  # Conversation, list[Message]
    message_added = Signal(object)  # Message, at the end
    message_changed = Signal(object)  # Message
    message_extended = Signal(int, str)  # id, piece of an answer that is being given
    message_removed = Signal(int)
    state_changed = Signal(object)  # EngineState
    problem = Signal(object)  # Problem
    notice = Signal(str, str, object)  # text, label of its button, what that does: Callable[[], None]

    def __init__(
        self, client: EngineClient, store: ChatStore, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._store = store
        self._settings = settings
        self._conversation: Conversation | None = None
        self._messages: list[Message] = []
        self._loading = False  # a load that this window has asked for
        self._answering = Answering(client, store, self)
        self._answering.extended.connect(self._extended)
        self._answering.settled.connect(self._settled)
        client.state_changed.connect(self._engine_changed)
        client.failed.connect(self._failed)
        client.died.connect(self.problem)

    # ------------------------------------------------------------------ what is there

    @property
    def conversation(self) -> Conversation | None:
        return self._conversation

    @property
    def messages(self) -> list[Message]:
        """Of the open conversation, with the answer that is being given as far as it has come."""
        now = self._answering.message
        return [now if now and now.id == message.id else message for message in self._messages]

    @property
    def state(self) -> EngineState:
        """The engine's, with the context used by the open conversation."""
        return replace(self._client.state, context_used=self._context_used())

    @property
    def recent_models(self) -> list[str]:
        """Paths, newest first; those that are gone are left out."""
        return [source for source in self._settings.recent_models if Path(source).exists()]

    # ------------------------------------------------------------------ life

    def start(self) -> None:
        """Open the chat that was open last."""
        conversations = self._store.conversations()
        last = [chat.id for chat in conversations if chat.id == self._settings.last_chat]
        self._tell_conversations()
        if conversations:
            self.open_chat(last[0] if last else conversations[0].id)
        else:
            self.new_chat()

    def load_first(self, named: Path | None, starter: Path | None) -> None:
        """Load the model to start with; a problem says why there is none."""
        try:
            self.load_model(first_model(self._settings, named, starter))
        except TonnelleError as error:
            self.problem.emit(error.problem())

    def close(self) -> None:
        """Keep everything, end the engine. Takes two seconds at the very most."""
        self._answering.stop()
        self._load_ended()
        self._settings.save()
        self._client.close()
        self._store.close()

    # ------------------------------------------------------------------ conversations

    def new_chat(self) -> None:
        """Open an empty conversation; one that is there already is taken."""
        empty = self._store.empty_conversation()
        chat = empty or self._store.create()
        if not empty:
            self._tell_conversations()
        self.open_chat(chat.id)

    def open_chat(self, id: int) -> None:
        try:
            self._conversation = self._store.conversation(id)
        except NoSuchChat as error:
            self.problem.emit(error.problem())
            return
        self._messages = self._store.messages(id)
        self._settings.last_chat = id
        self._tell_store_problems()
        self.chat_opened.emit(self._conversation, self.messages)
        self.state_changed.emit(self.state)

    def delete_chat(self, id: int) -> None:
        """Takes it off the list, with an offer to undo; an answer that is being given in it is stopped."""
        title = next((chat.title for chat in self._store.conversations() if chat.id == id), None)
        if title is None:
            return
        now = self._answering.message
        if now and now.conversation == id:
            self.stop()
        self._store.delete(id)
        self._tell_conversations()
        if self._conversation and self._conversation.id == id:
            self._conversation, self._messages = None, []
            self.start()
        name = title or self.tr("New chat")
        self.notice.emit(self.tr("Deleted “%s”").replace("%s", name), self.tr("Undo"), lambda: self.restore_chat(id))

    def restore_chat(self, id: int) -> None:
        self._store.restore(id)
        self._tell_conversations()
        self.open_chat(id)

    def rename_chat(self, id: int, title: str) -> None:
        self._store.rename(id, title.strip())
        if self._conversation and self._conversation.id == id:
            self._conversation = self._store.conversation(id)
        self._tell_conversations()

    def set_draft(self, text: str) -> None:
        """What stands in the input of the open conversation, saved at once."""
        if self._conversation:
            self._store.set_draft(self._conversation.id, text)

    # ------------------------------------------------------------------ messages

    def send(self, text: str) -> None:
        """Say something; while no model is ready the answer waits for it."""
        text = text.strip("\r\n").rstrip()
        if not text.strip() or self._answering.message:
            return
        if self._conversation is None:
            self.new_chat()
        if self._conversation:
            self._add(self._store.add_message(self._conversation.id, "user", text))
            self._store.set_draft(self._conversation.id, "")
            self._answer()

    def stop(self) -> None:
        """Stop the answer that is being given; if there is none, the load."""
        if self._answering.message:
            self._answering.stop()
        else:
            self._client.cancel_load()

    def regenerate(self) -> None:
        """Answer the last question anew, in place of the answer that is there."""
        if self._answering.message or not self._messages:
            return
        if self._messages[-1].role == "assistant":
            self._remove_from(len(self._messages) - 1)
        if self._messages:
            self._answer()

    def edit_last(self, text: str) -> None:
        """Put `text` in place of the last question and all after it, and answer it."""
        asked = [index for index, message in enumerate(self._messages) if message.role == "user"]
        if not text.strip() or not asked or self._answering.message or self._conversation is None:
            return
        old = self._messages[asked[-1]].content
        self._remove_from(asked[-1])
        if len(asked) == 1 and self._conversation.title == title_of(old):
            self._store.rename(self._conversation.id, "")  # the new question names the chat
        self.send(text)

    def continue_answer(self) -> None:
        """Go on with an answer that was stopped, cut or broken off."""
        last = self._messages[-1] if self._messages else None
        if last is None or last.role != "assistant" or self._answering.message or not resumable(last):
            return
        message = self._store.update_message(last.id, state="streaming", error="")
        self._messages[-1] = message
        self.message_changed.emit(message)
        self._begin(message, continues=bool(message.content.strip()))

    # ------------------------------------------------------------------ models

    def load_model(self, path: str) -> None:
        """Load the model in place of the present one; an answer of that is stopped."""
        self._let_go()
        if self._client.state.phase == "dead":
            self._client.restart()
        self._load(path)

    def reload(self) -> None:
        """A new engine process, and the same model in it."""
        source = self._client.state.source or self._settings.last_model
        self._let_go()
        self._client.restart()
        if source:
            self._load(source)

    def _let_go(self) -> None:
        if self._answering.asked:
            self._answering.stop()

    def _load(self, path: str) -> None:
        """Remembered until it has ended well or badly: a model that takes the engine down is not loaded at start."""
        if self._client.state.phase == "dead":  # it could not be started; `died` has told why
            return
        self._client.load(path)
        self._loading = True
        self._settings.loading = self._client.state.source
        self._settings.save()

    def _load_ended(self) -> None:
        """Not by a crash."""
        if self._loading:
            self._loading = False
            self._settings.loading = ""
            self._settings.save()

    # ------------------------------------------------------------------ inside

    def _answer(self) -> None:
        if self._conversation is None:
            return
        message = self._store.add_message(self._conversation.id, "assistant", "", "streaming")
        self._add(message)
        self._conversation = self._store.conversation(message.conversation)
        self._tell_conversations()
        self._begin(message)

    def _begin(self, message: Message, continues: bool = False) -> None:
        if self._client.state.phase in ("empty", "dead"):
            self.problem.emit(self._client.state.problem or NothingLoaded().problem())
        self._answering.begin(message, history(self._messages), continues)
        self._tell_store_problems()

    def _add(self, message: Message) -> None:
        self._messages.append(message)
        self.message_added.emit(message)

    def _remove_from(self, index: int) -> None:
        removed, self._messages = self._messages[index:], self._messages[:index]
        self._store.delete_messages_from(removed[0].id)
        for message in reversed(removed):
            self.message_removed.emit(message.id)

    def _extended(self, message: Message, piece: str) -> None:
        if self._is_open(message):
            self.message_extended.emit(message.id, piece)

    def _settled(self, message: Message) -> None:
        if self._is_open(message):
            self._messages = [message if message.id == other.id else other for other in self._messages]
            self.message_changed.emit(message)
            self.state_changed.emit(self.state)
        self._tell_store_problems()

    def _is_open(self, message: Message) -> bool:
        return self._conversation is not None and self._conversation.id == message.conversation

    def _engine_changed(self, state: EngineState) -> None:
        if state.phase == "ready" and self._loading:
            self._settings.last_model = state.source
            self._settings.add_recent_model(state.source)
        if state.phase in ("ready", "empty"):
            self._load_ended()
        elif state.phase == "dead":
            self._loading = False
        self.state_changed.emit(self.state)

    def _failed(self, failed: Failed) -> None:
        """Of a chat, its message tells; of a load, nothing else does."""
        if failed.id is None or failed.id.startswith("load"):
            self.problem.emit(failed.problem)

    def _context_used(self) -> int:
        now = self._answering.message
        if now and self._is_open(now) and self._answering.asked:
            return self._client.state.context_used
        figures = [message.measured for message in self._messages if message.measured]
        return figures[-1].prompt_tokens + figures[-1].completion_tokens if figures else 0

    def _tell_conversations(self) -> None:
        self.conversations_changed.emit(self._store.conversations())

    def _tell_store_problems(self) -> None:
        for problem in self._store.take_problems():
            self.problem.emit(problem)


def resumable(message: Message) -> bool:
    """Whether an answer can go on from where it ends."""
    cut = message.measured is not None and message.measured.reason == "length"
    return message.role == "assistant" and (message.state in ("stopped", "failed") or cut)
