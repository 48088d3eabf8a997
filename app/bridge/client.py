"""EngineClient: the window's handle on the engine. Nothing here ever waits for the engine, but `close`."""

from __future__ import annotations

import itertools
import logging
import os.path
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from app.bridge import transitions
from app.bridge.process import ENGINE_COMMAND, EngineProcess
from app.bridge.pump import Pump
from app.bridge.state import EngineState
from app.errors import EngineNotStarted
from engine.errors import EngineDied, Problem
from engine.messages import (
    Cancel,
    Chat,
    ChatMessage,
    Command,
    Event,
    Failed,
    Finished,
    Load,
    Loaded,
    Loading,
    Prefilling,
    Ready,
    Stats,
    Token,
    Unload,
    Unloaded,
)
from engine.params import SamplingParams
from engine.plan.plan import Wishes

_log = logging.getLogger(__name__)


class EngineClient(QObject):
    """Owns the engine process. Commands return at once; what comes of them is told by signals.

    A chat's tokens all come before its `finished` or `failed`, and before `died`. After `cancel` no more tokens
    of that chat come. Commands to a dead engine raise EngineDied; `restart` brings up a new one.
    """

    state_changed = Signal(object)  # EngineState
    token = Signal(str, str, int)  # id, text, tokens of the answer so far
    finished = Signal(object)  # Finished
    failed = Signal(object)  # Failed
    prefilling = Signal(object)  # Prefilling
    stats = Signal(object)  # Stats
    died = Signal(object)  # Problem

    def __init__(self, log: Path, command: Sequence[str] = ENGINE_COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._log_file = log
        self._command = tuple(command)
        self._numbers = itertools.count(1)
        self._process: EngineProcess | None = None
        self._pump: Pump | None = None
        self._old_pumps: set[Pump] = set()  # their engines are ending; a running thread must not be collected
        self._load: str | None = None
        self._chats: dict[str, int] = {}  # running ones: tokens of the prompt
        self._state = EngineState("starting")

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process else None

    # ------------------------------------------------------------------ life

    def start(self) -> None:
        """Bring up an engine. If that is impossible, `died` says why."""
        self._set(EngineState("starting", self._state.source))
        try:
            self._process = EngineProcess(self._command, self._log_file)
        except EngineNotStarted as error:
            self._die(error.problem())
            return
        pump = self._pump = Pump(self._process, self)
        pump.received.connect(self._receive)
        pump.ended.connect(self._die)
        pump.start()

    def restart(self) -> None:
        """A new engine in place of the present one, whatever state that is in; no model is loaded then."""
        if self._process:
            self._process.kill()
        self._let_go()
        self.start()

    def close(self) -> None:
        """End the engine: asked first, killed if it does not. Takes two seconds at the very most."""
        process = self._process
        self._let_go()
        if process and process.end() is None:
            _log.error("the engine, process %d, could not be ended", process.pid)
        for pump in tuple(self._old_pumps):
            pump.wait(500)

    def _let_go(self) -> None:
        """No longer listen to the present engine."""
        self._load = None
        self._chats.clear()
        self._process = None
        if pump := self._pump:
            pump.received.disconnect(self._receive)
            pump.ended.disconnect(self._die)
            self._old_pumps.add(pump)
            pump.finished.connect(self._sweep, Qt.ConnectionType.QueuedConnection)
            self._pump = None
            self._sweep()

    def _sweep(self) -> None:
        for pump in [old for old in self._old_pumps if old.isFinished()]:
            self._old_pumps.remove(pump)
            pump.deleteLater()

    # ------------------------------------------------------------------ commands

    def load(self, source: str, wishes: Wishes | None = None) -> str:
        """Load a model in place of the present one. The answer is a change of state to "ready" or "empty"."""
        if self._load:
            self._send(Cancel(self._load))
        id, source = f"load-{next(self._numbers)}", os.path.abspath(source)
        self._send(Load(id, source, wishes or Wishes()))
        self._load = id
        self._set(transitions.loading(source))
        return id

    def chat(
        self, messages: Sequence[ChatMessage], params: SamplingParams | None = None, continue_last: bool = False
    ) -> str:
        """Answer the conversation: `prefilling`, `token`, then `finished` or `failed`, all with the returned id."""
        id = f"chat-{next(self._numbers)}"
        self._send(Chat(id, tuple(messages), params or SamplingParams(), continue_last))
        self._chats[id] = 0
        self._set(transitions.asked(self._state))
        return id

    def cancel(self, id: str) -> None:
        """Stop a load or a chat; a chat still gets its `finished`. Ids that do not run are ignored."""
        if id == self._load:
            self._load = None
            self._send(Cancel(id))
            self._set(transitions.emptied(source=self._state.source))
        elif id in self._chats:
            self._send(Cancel(id))
            self._end_chat(id)

    def cancel_load(self) -> None:
        """Stop the load that runs, if one does."""
        if self._load:
            self.cancel(self._load)

    def unload(self) -> None:
        self._load = None
        self._send(Unload())

    def _send(self, command: Command) -> None:
        if self._process is None:
            raise EngineDied(None)
        self._process.send(command)

    # ------------------------------------------------------------------ events

    def _receive(self, event: Event) -> None:
        match event:
            case Token(id, text, tokens):
                if id in self._chats:
                    self._answering(event)
                    self.token.emit(id, text, tokens)
            case Prefilling(id):
                if id in self._chats:
                    self._chats[id] = event.total
                    self._set(transitions.reading_at(self._state, event))
                    self.prefilling.emit(event)
            case Finished(id):
                if id in self._chats:
                    self._end_chat(id, transitions.answered(self._state, event))
                self.finished.emit(event)
            case Stats():
                self._set(transitions.measured(self._state, event))
                self.stats.emit(event)
            case Failed():
                self._failed(event)
            case Ready():
                if self._load is None:
                    self._set(transitions.emptied(source=self._state.source))
            case Loading() | Loaded() | Unloaded():
                self._model_event(event)

    def _model_event(self, event: Loading | Loaded | Unloaded) -> None:
        match event:
            case Loading(id) if id == self._load:
                self._set(transitions.loading_at(self._state, event))
            case Loaded(id) if id == self._load:
                self._load = None
                self._set(transitions.loaded(event))
            case Loaded() if self._load is None:  # cancelled too late
                self._send(Unload())
            case Unloaded() if self._load is None:
                self._set(transitions.emptied(source=self._state.source))

    def _answering(self, event: Token) -> None:
        """Tells only that answering has begun: tokens come 30 times a second, `stats` twice."""
        state = transitions.answering(self._state, event, self._chats[event.id])
        self._set(state, tell=self._state.phase != "answering")

    def _failed(self, event: Failed) -> None:
        if event.id and event.id == self._load:
            self._load = None
            self._set(transitions.emptied(event.problem, self._state.source))
        elif event.id in self._chats:
            self._end_chat(event.id)
        self.failed.emit(event)

    def _end_chat(self, id: str, state: EngineState | None = None) -> None:
        del self._chats[id]
        if not self._chats and self._state.phase in ("reading", "answering"):
            self._set(state or transitions.at_rest(self._state))

    def _die(self, problem: Problem) -> None:
        self._let_go()
        self._set(transitions.dead(self._state, problem))
        self.died.emit(problem)

    def _set(self, state: EngineState, tell: bool = True) -> None:
        changed = state != self._state
        self._state = state
        if changed and tell:
            self.state_changed.emit(state)
