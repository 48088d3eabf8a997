"""The engine's loop: commands in, work, events out.

The window starts it as a child process (`python -m engine.host`) and talks over its standard input and output;
tests and the command line run the same `Host` in a thread. It owns the loaded model and every running chat.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import engine
from engine import settings
from engine.errors import Busy, InvalidRequest, NothingLoaded, problem_of
from engine.generate.session import LoadStep, Session, load_session
from engine.messages import (
    Cancel,
    Chat,
    Command,
    Event,
    Failed,
    Finished,
    Load,
    Loaded,
    Loading,
    Ready,
    Shutdown,
    Stats,
    Timings,
    Token,
    Unload,
    Unloaded,
    Usage,
)
from engine.messages.wire import Reader, Writer
from engine.model.memory import release_unused, used_bytes
from engine.settings import EngineSettings

Inbox = queue.SimpleQueue[Command | None]  # None: whoever commands us is gone
Outbox = Callable[[Event], None]


class Host:
    """One engine. `run` returns after Shutdown or when the inbox ends."""

    def __init__(self, inbox: Inbox, outbox: Outbox, settings: EngineSettings) -> None:
        self._inbox = inbox
        self._send = outbox
        self._settings = settings
        self._session: Session | None = None
        self._loading: tuple[Load, Generator[LoadStep, None, Session]] | None = None
        self._held: list[tuple[Chat, float]] = []  # chats that came while a model loads, and when
        self._stats = _StatsClock()
        self._ended = False

    def run(self) -> None:
        self._send(Ready(engine.__version__, os.getpid()))
        while not self._ended:
            self._take_commands()
            if self._loading:
                self._load_more(*self._loading)
            elif self._session and not self._session.generator.idle:
                self._step(self._session)
        self._unload()

    def _take_commands(self) -> None:
        """All commands that have come; waits for one when there is nothing else to do."""
        try:
            while not self._ended:
                self._obey(self._inbox.get(block=self._idle))
        except queue.Empty:
            return

    @property
    def _idle(self) -> bool:
        return not self._loading and (self._session is None or self._session.generator.idle)

    def _obey(self, command: Command | None) -> None:
        match command:
            case Load():
                self._begin_load(command)
            case Chat():
                self._held.append((command, time.perf_counter()))
                self._begin_held()
            case Cancel(id):
                self._cancel(id)
            case Unload():
                self._unload()
                self._send(Unloaded())
            case Shutdown() | None:
                self._held.clear()
                self._ended = True

    # ------------------------------------------------------------------ loading

    def _begin_load(self, command: Load) -> None:
        if self._loading:
            self._send(Failed(command.id, Busy("loading another model").problem()))
            return
        self._unload()
        self._loading = command, load_session(Path(command.source), command.wishes, self._settings)

    def _load_more(self, command: Load, steps: Generator[LoadStep, None, Session]) -> None:
        """One step of loading, then back to the inbox."""
        try:
            step = next(steps)
            if self._stats.loading_is_news(step):
                self._send(Loading(command.id, step.step, step.done, step.total))
            return
        except StopIteration as end:
            session: Session = end.value
            self._session = session
            self._send(Loaded(command.id, session.card, session.plan))
            self._send(self._picture(session))
        except Exception as error:  # a load may fail in any way; the engine serves the next one
            self._send(Failed(command.id, problem_of(error)))
        self._loading = None
        release_unused()  # only now: a failed load's error held on to what was loaded so far
        self._begin_held()

    def _unload(self) -> None:
        """Frees what is loaded or half loaded."""
        if self._loading:
            self._loading[1].close()
            self._loading = None
        if self._session:
            for id in self._session.generator.ids:
                self._cancel(id)
            self._session = None
        release_unused()
        self._begin_held()

    # ------------------------------------------------------------------ chatting

    def _begin_held(self) -> None:
        """Takes up the chats that have come, unless a model is loading: then they wait for its end."""
        while self._held and not self._loading:
            self._begin_chat(*self._held.pop(0))

    def _begin_chat(self, command: Chat, asked: float) -> None:
        try:
            if self._session is None:
                raise NothingLoaded
            self._session.chat(command, asked)
        except Exception as error:  # the fault of this request alone
            self._send(Failed(command.id, problem_of(error)))

    def _cancel(self, id: str) -> None:
        held = next((one for one in self._held if one[0].id == id), None)
        if held:
            self._held.remove(held)
            self._send(Finished(id, "cancelled", Usage(0, 0, 0), Timings(0.0, 0.0, 0.0)))
        elif self._loading and self._loading[0].id == id:
            self._unload()
            self._send(Unloaded())
        elif self._session:
            for event in self._session.generator.cancel(id):
                self._send(event)

    def _step(self, session: Session) -> None:
        for event in session.generator.step():
            if isinstance(event, Token):
                self._stats.count()
            self._send(event)
        if session.generator.idle or self._stats.due():
            self._send(self._picture(session))

    def _picture(self, session: Session) -> Stats:
        scheduler, cache = session.generator.scheduler, session.generator.cache
        if scheduler.idle:
            cache.check_integrity()
        return Stats(
            running=len(scheduler.running),
            waiting=len(scheduler.waiting),
            pages_used=cache.used,
            pages_cached=cache.cached,
            pages_total=cache.total,
            tokens_per_s=self._stats.rate(),
            memory_bytes=used_bytes(session.model.device),
            predicted_bytes=session.plan.memory.total,
        )


class _StatsClock:
    """Paces what is told but not asked for: twice a second, and loading by its phrase or ten times a second."""

    def __init__(self) -> None:
        self._tokens = 0
        self._since = time.perf_counter()
        self._latest_load = 0.0
        self._latest_step = ""

    def count(self) -> None:
        self._tokens += 1

    def due(self) -> bool:
        return time.perf_counter() - self._since >= 0.5

    def rate(self) -> float:
        """Tokens a second since the last call."""
        now = time.perf_counter()
        rate = self._tokens / max(now - self._since, 1e-9)
        self._tokens, self._since = 0, now
        return rate

    def loading_is_news(self, step: LoadStep) -> bool:
        now = time.perf_counter()
        if step.step == self._latest_step and step.done < step.total and now - self._latest_load < 0.1:
            return False
        self._latest_step, self._latest_load = step.step, now
        return True


def run(inbox: Inbox, outbox: Outbox, config: EngineSettings) -> None:
    """Runs an engine in this thread until it is shut down."""
    Host(inbox, outbox, config).run()


def main() -> None:
    """An engine over standard input and output.

    Both are taken away from everything else first: a library that prints must not break the stream of messages.
    """
    reader = Reader(os.fdopen(os.dup(0), "rb"))
    writer = Writer(os.fdopen(os.dup(1), "wb"))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    inbox: Inbox = queue.SimpleQueue()

    def read() -> None:
        while True:
            command = reader.receive()
            inbox.put(command)  # type: ignore[arg-type]  # our owner sends commands only
            if command is None:
                return

    threading.Thread(target=read, name="inbox", daemon=True).start()
    try:
        run(inbox, writer.send, settings.read())
    except InvalidRequest as error:  # of the environment: the owner shows what we wrote last
        sys.exit(str(error))
    except BrokenPipeError:  # the owner is gone: there is nobody left to serve or to tell
        sys.exit(0)


if __name__ == "__main__":
    main()
