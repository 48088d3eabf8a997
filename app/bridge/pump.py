"""Brings the engine's events to the window's thread, at most 30 times a second, in their order."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal

from app.bridge.process import EngineProcess
from app.errors import EngineGarbled
from engine.errors import EngineDied, Problem
from engine.messages import Event, Loading, Prefilling, Stats, Token

INTERVAL_MS = 33
_EXIT_S = 5.0  # an engine that has closed its pipe but does not end within this is killed


@dataclass(frozen=True, slots=True)
class Ended:
    """The last thing a pump tells: the engine is gone."""

    problem: Problem


class Pump(QThread):
    """Blocks on the pipe in its own thread; `received` and `ended` are emitted in the thread that made it.

    The first event after a pause is told at once. All events of an answer come before `ended`.
    """

    received = Signal(object)  # Event
    ended = Signal(object)  # Problem
    _arrived = Signal()

    def __init__(self, process: EngineProcess, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = process
        self._lock = threading.Lock()
        self._waiting: list[Event | Ended] = []
        self._awake = False  # whether the window's thread will look into _waiting without being called
        self._pause = QTimer(self, singleShot=True, interval=INTERVAL_MS, timerType=Qt.TimerType.PreciseTimer)
        self._pause.timeout.connect(self._deliver)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    # ------------------------------------------------------------------ the pump's own thread

    def run(self) -> None:
        garbled: EngineGarbled | None = None
        try:
            while (event := self._process.reader.receive()) is not None:
                self._put(event)  # type: ignore[arg-type]  # the engine sends events only
        except Exception as error:  # whatever a broken stream makes of unpickling; it ends this engine
            garbled = EngineGarbled(f"{type(error).__name__}: {error}")
            self._process.kill()
        code = self._process.wait(_EXIT_S)
        if code is None:
            self._process.kill()
        self._process.release()
        self._put(Ended(_problem(garbled or EngineDied(code), self._process.tail)))

    def _put(self, event: Event | Ended) -> None:
        with self._lock:
            merged = merge(self._waiting[-1], event) if self._waiting else None
            if merged:
                self._waiting[-1] = merged
            else:
                self._waiting.append(event)
            call, self._awake = not self._awake, True
        if call:
            self._arrived.emit()

    # ------------------------------------------------------------------ the window's thread

    def _deliver(self) -> None:
        with self._lock:
            events, self._waiting = self._waiting, []
            self._awake = bool(events)
        if not events:
            return
        self._pause.start()
        for event in events:
            if isinstance(event, Ended):
                self.ended.emit(event.problem)
            else:
                self.received.emit(event)


def merge(earlier: Event | Ended, later: Event | Ended) -> Event | None:
    """Two events as one, if the later makes the earlier superfluous or goes on with its text."""
    match earlier, later:
        case Token(id, text, _), Token(same, more, tokens) if id == same:
            return Token(id, text + more, tokens)
        case (Loading(id), Loading(same) as newest) | (Prefilling(id), Prefilling(same) as newest) if id == same:
            return newest
        case Stats(), Stats() as latest:
            return latest
    return None


def _problem(error: EngineDied | EngineGarbled, tail: str) -> Problem:
    problem = error.problem()
    return Problem(problem.kind, problem.sentence, problem.remedy, (*problem.details, ("engine log", tail)))
