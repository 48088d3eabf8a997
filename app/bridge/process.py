"""The engine's process: started, spoken to without ever waiting for it, and ended for certain.

Should the window die in whatever way, the pipe to the engine closes, and the engine ends at that.
"""

from __future__ import annotations

import collections
import contextlib
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, BinaryIO, cast

import engine
from app.errors import EngineNotStarted
from engine.messages import Command, Shutdown
from engine.messages.wire import Reader, Writer

ENGINE_COMMAND = (sys.executable, "-m", "engine.host")

_CODE = Path(engine.__file__).parents[1]  # the engine runs here: no file of the person's folder can shadow a module
_LOG_BYTES = 1_000_000
_TAIL_LINES = 30
_log = logging.getLogger(__name__)


class EngineProcess:
    """One process. `send` only queues; `reader` is for one thread. Raises EngineNotStarted."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=_CODE,
                **_apart(),
            )
        except OSError as error:
            raise EngineNotStarted(command[0], error.strerror or str(error)) from error
        self._writer = Writer(cast(BinaryIO, self._process.stdin))
        self.reader = Reader(cast(BinaryIO, self._process.stdout))
        self._outgoing: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._tail: collections.deque[str] = collections.deque(maxlen=_TAIL_LINES)
        threading.Thread(target=self._write, name="engine-inbox", daemon=True).start()
        self._logging = threading.Thread(target=self._keep_log, args=(log,), name="engine-log", daemon=True)
        self._logging.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def tail(self) -> str:
        """The latest lines of its log."""
        return "\n".join(self._tail)

    def send(self, command: Command) -> None:
        """Returns at once. What cannot be delivered is dropped: the reader then learns that the engine is gone."""
        self._outgoing.put(command)

    def wait(self, seconds: float) -> int | None:
        """The exit code; None if it still runs by then."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def end(self, patience: float = 0.8) -> int | None:
        """Ask it to end, then tell it, then make it. Takes at most about twice `patience` seconds."""
        self.send(Shutdown())
        self._outgoing.put(None)
        if self.wait(patience) is None:
            self._process.terminate()
            if self.wait(patience / 2) is None:
                self.kill()
        return self.wait(patience / 2)

    def kill(self) -> None:
        """End it now, and on POSIX whatever it has started."""
        if self._process.poll() is None:
            if sys.platform == "win32":
                self._process.kill()
            else:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
        self._outgoing.put(None)

    def release(self) -> None:
        """To be called when it has ended: its last words are then in the log, and the reader is closed."""
        self._logging.join(1.0)
        cast(BinaryIO, self._process.stdout).close()

    # ------------------------------------------------------------------ threads

    def _write(self) -> None:
        """A pipe is full when the engine is too busy to read it; only this thread waits then."""
        try:
            while (command := self._outgoing.get()) is not None:
                self._writer.send(command)
            self._writer.close()
        except OSError as error:
            _log.info("the engine no longer listens: %s", error)

    def _keep_log(self, path: Path) -> None:
        """Everything the engine writes to standard error goes to a file of bounded size."""
        stream = cast(BinaryIO, self._process.stderr)
        file = _open_log(path)
        for raw in stream:
            line = raw.decode("utf-8", "replace").rstrip()
            self._tail.append(line)
            file.handle(logging.makeLogRecord({"msg": line}))
        file.close()
        stream.close()


def _apart() -> dict[str, Any]:
    """Ctrl+C in the terminal reaches the window first, which ends the engine in order; no console on Windows."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _open_log(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", errors="replace")
    except OSError as error:
        _log.warning("the engine's log cannot be kept in %s: %s", path, error)
        return logging.NullHandler()
