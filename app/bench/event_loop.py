"""How long the window's event loop lets a timer wait while an answer streams at full speed."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer

from app.bridge.state import EngineState
from app.chat.records import Message
from app.start import Started
from engine.errors import Problem

PERIOD_MS = 10
ANSWERS_A_CHAT = 3
PROMPT = (
    "You are the keeper of a large old garden with a long pergola. Write a very long letter, of at least two thousand "
    "words, to the person who will follow you. Describe every plant, every tool and every season, one after the other, "
    "with headings, lists, a table of dates, and a short Python program that plans the watering. "
)


@dataclass(frozen=True, slots=True)
class Delays:
    """Milliseconds by which a timer of PERIOD_MS came too late; tokens and answers shown meanwhile."""

    seconds: float
    answers: int
    tokens: int
    tokens_per_s: float
    samples: int
    p50_ms: float
    p99_ms: float
    max_ms: float


class EventLoopBench(QObject):
    """Asks, and asks again, from the first token on for `seconds`; then quits the application."""

    def __init__(self, started: Started, seconds: float) -> None:
        super().__init__()
        self._controller = started.controller
        self._seconds = seconds
        self._answers = 0
        self._tokens = 0
        self._shown = 0  # of the running answer
        self._begun = 0.0
        self._late: list[float] = []
        self._before = 0.0
        self.problem: Problem | None = None
        self._timer = QTimer(self, interval=PERIOD_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        started.client.token.connect(self._token)
        started.controller.message_changed.connect(self._changed)
        started.controller.state_changed.connect(self._look)
        started.controller.problem.connect(self._give_up)
        self._look(started.controller.state)

    def result(self) -> Delays:
        late = sorted(self._late) or [0.0]
        seconds = self._before - self._begun
        return Delays(
            seconds=round(seconds, 1),
            answers=self._answers,
            tokens=self._tokens,
            tokens_per_s=round(self._tokens / seconds, 1) if seconds else 0.0,
            samples=len(self._late),
            p50_ms=round(late[len(late) // 2], 2),
            p99_ms=round(late[int(len(late) * 0.99)], 2),
            max_ms=round(late[-1], 2),
        )

    def _look(self, state: EngineState) -> None:
        """The first time that a model is ready."""
        if state.phase == "ready":
            self._controller.state_changed.disconnect(self._look)
            QTimer.singleShot(0, self._ask)

    def _ask(self) -> None:
        """In a new chat now and then, as a context fills up."""
        if self._answers % ANSWERS_A_CHAT == 0:
            self._controller.new_chat()
        self._answers += 1
        self._shown = 0
        self._controller.send(PROMPT * 4)

    def _changed(self, message: Message) -> None:
        if message.role == "assistant" and message.state != "streaming":
            QTimer.singleShot(0, self._ask)

    def _token(self, id: str, text: str, tokens: int) -> None:
        self._tokens += tokens - self._shown
        self._shown = tokens
        if not self._begun:
            self._begun = self._before = time.perf_counter()
            self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self._late.append(max(0.0, (now - self._before) * 1000 - PERIOD_MS))
        self._before = now
        if now - self._begun >= self._seconds:
            self._end()

    def _give_up(self, problem: Problem) -> None:
        self.problem = problem
        self._end()

    def _end(self) -> None:
        self._timer.stop()
        self._controller.message_changed.disconnect(self._changed)
        self._controller.problem.disconnect(self._give_up)
        QCoreApplication.quit()
