"""Client: a handle on an engine that runs in a thread of this process, for command line, server and tests."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType

from engine import settings
from engine.errors import Problem, TonnelleError, problem_of
from engine.host import Inbox, run
from engine.messages import (
    Cancel,
    Chat,
    ChatMessage,
    Event,
    Failed,
    Finished,
    Load,
    Loaded,
    Loading,
    Prefilling,
    Shutdown,
    Stats,
    Token,
    Unload,
)
from engine.params import SamplingParams
from engine.plan.plan import Wishes


class Refused(TonnelleError):
    """The engine answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.told = problem

    def sentence(self) -> str:
        return self.told.sentence

    def remedy(self) -> str:
        return self.told.remedy

    def problem(self) -> Problem:
        return self.told


class Client:
    """Thread-safe; use it as a context manager. Each command's events arrive in a queue of its own."""

    def __init__(self) -> None:
        """Raises InvalidRequest for an environment variable that makes no sense."""
        self._settings = settings.read()
        self._inbox: Inbox = queue.SimpleQueue()
        self._queues: dict[str, queue.SimpleQueue[Event]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.stats: Stats | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._inbox.put(Shutdown())
        self._thread.join()

    def load(self, source: str, wishes: Wishes | None = None) -> Iterator[Loading | Loaded]:
        """Progress, and Loaded at last. Raises Refused."""
        id, events = self._open("load")
        self._inbox.put(Load(id, source, wishes or Wishes()))
        try:
            while True:
                event = events.get()
                if isinstance(event, Failed):
                    raise Refused(event.problem)
                if isinstance(event, Loading | Loaded):
                    yield event
                if isinstance(event, Loaded):
                    return
        finally:
            self._inbox.put(Cancel(id))
            self._close(id)

    def unload(self) -> None:
        self._inbox.put(Unload())

    def chat(
        self, messages: Sequence[ChatMessage], params: SamplingParams, *, continue_last: bool = False
    ) -> Iterator[Prefilling | Token | Finished]:
        """The answer as it comes; Finished is the last. Leaving the iteration cancels it. Raises Refused."""
        id, events = self._open("chat")
        self._inbox.put(Chat(id, tuple(messages), params, continue_last))
        try:
            while True:
                event = events.get()
                if isinstance(event, Failed):
                    raise Refused(event.problem)
                if isinstance(event, Prefilling | Token | Finished):
                    yield event
                if isinstance(event, Finished):
                    return
        finally:
            self._inbox.put(Cancel(id))
            self._close(id)

    def _open(self, kind: str) -> tuple[str, queue.SimpleQueue[Event]]:
        with self._lock:
            id = f"{kind}-{next(self._numbers)}"
            self._queues[id] = queue.SimpleQueue()
            return id, self._queues[id]

    def _close(self, id: str) -> None:
        with self._lock:
            self._queues.pop(id, None)

    def _run(self) -> None:
        """The engine's thread. Should it end by an error, everybody who waits is told."""
        try:
            run(self._inbox, self._route, self._settings)
        except BaseException as error:
            problem = problem_of(error)
            with self._lock:
                for id, events in self._queues.items():
                    events.put(Failed(id, problem))
            raise

    def _route(self, event: Event) -> None:
        """Called in the engine's thread."""
        if isinstance(event, Stats):
            self.stats = event
        id = getattr(event, "id", None)
        with self._lock:
            events = self._queues.get(id) if id else None
        if events:
            events.put(event)
