"""The one answer that is being given: it waits for the model, grows, is saved while it does, and settles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge.client import EngineClient
from app.bridge.state import EngineState
from app.chat.records import Measured, Message, MessageState
from app.chat.store import ChatStore
from app.errors import NoSuchChat
from engine.errors import Problem
from engine.messages import ChatMessage, Failed, Finished
from engine.params import usual_params

SAVE_MS = 1000  # so much of an answer is lost at most when the window is killed


@dataclass
class _Running:
    message: Message  # as it was when the answer began
    turns: tuple[ChatMessage, ...]
    continues: bool
    chat: str | None = None  # the engine's id, once it was asked
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.message.content + "".join(self.pieces)


class Answering(QObject):
    """Asks the engine as soon as it has a model. A stopped answer settles at once; the engine may take a step more."""

    extended = Signal(object, str)  # Message as it was when the answer began, piece
    settled = Signal(object)  # Message; told again if the engine's figures come after a stop

    def __init__(self, client: EngineClient, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._store = store
        self._running: _Running | None = None
        self._stopped: dict[str, int] = {}  # engine's id: message; their figures are still to come
        self._saving = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._saving.timeout.connect(self._save)
        client.token.connect(self._extend)
        client.finished.connect(self._finish)
        client.failed.connect(self._fail_chat)
        client.died.connect(self._die)
        client.state_changed.connect(self._look)

    @property
    def message(self) -> Message | None:
        """The answer so far; None when none is being given."""
        return replace(self._running.message, content=self._running.text) if self._running else None

    @property
    def asked(self) -> bool:
        """Whether the engine works on it; it may still wait for a model."""
        return self._running is not None and self._running.chat is not None

    def begin(self, message: Message, turns: Sequence[ChatMessage], continues: bool = False) -> None:
        """Answer `turns` into the stored message; continues: the last turn is the message's own text."""
        self._running = _Running(message, tuple(turns), continues)
        self._look(self._client.state)

    def stop(self) -> None:
        """Keep what there is."""
        if running := self._running:
            if running.chat:
                self._stopped[running.chat] = running.message.id
                self._client.cancel(running.chat)
            self._settle("stopped")

    # ------------------------------------------------------------------ what the engine says

    def _look(self, state: EngineState) -> None:
        running = self._running
        if running is None or running.chat:
            return
        if state.phase == "ready" and state.model:
            self._store.update_message(running.message.id, model=state.model.name)
            running.chat = self._client.chat(running.turns, usual_params(state.model.parameters), running.continues)
        elif state.phase == "empty" and state.problem:
            self._fail(state.problem)

    def _extend(self, id: str, text: str, tokens: int) -> None:
        if self._running and self._running.chat == id and text:
            self._running.pieces.append(text)
            if not self._saving.isActive():
                self._saving.start()
            self.extended.emit(self._running.message, text)

    def _finish(self, finished: Finished) -> None:
        measured = _measured(finished)
        if self._running and self._running.chat == finished.id:
            self._settle("stopped" if finished.reason == "cancelled" else "complete", measured=measured)
        elif (message := self._stopped.pop(finished.id, None)) is not None:
            self._measure(message, measured)

    def _measure(self, message: int, measured: Measured) -> None:
        """Figures of a stopped answer, unless that goes on by now or is gone."""
        if self._running and self._running.message.id == message:
            return
        try:
            self.settled.emit(self._store.update_message(message, measured=measured))
        except NoSuchChat:
            return

    def _fail_chat(self, failed: Failed) -> None:
        if self._running and failed.id and self._running.chat == failed.id:
            self._fail(failed.problem)

    def _die(self, problem: Problem) -> None:
        self._stopped.clear()
        self._fail(problem)

    def _fail(self, problem: Problem) -> None:
        if self._running:
            self._settle("failed", error=str(problem))

    # ------------------------------------------------------------------ keeping it

    def _save(self) -> None:
        if self._running:
            self._store.update_message(self._running.message.id, content=self._running.text)

    def _settle(self, state: MessageState, *, error: str = "", measured: Measured | None = None) -> None:
        running, self._running = self._running, None
        self._saving.stop()
        if running:
            message = self._store.update_message(
                running.message.id, content=running.text, state=state, error=error, measured=measured
            )
            self.settled.emit(message)


def _measured(finished: Finished) -> Measured:
    usage, timings = finished.usage, finished.timings
    return Measured(
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
        ttft_s=timings.ttft_s,
        tokens_per_s=timings.tokens_per_s,
        reason=finished.reason,
    )
