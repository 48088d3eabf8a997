"""An engine that plays a script: a real process that speaks the real messages, without a model.

Run as a program with a Script as JSON; tests get its command line from `command`.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())  # the bridge starts engines in the folder that holds our packages

from engine.errors import NothingLoaded, OutOfMemory, Problem
from engine.messages import (
    Cancel,
    Chat,
    Command,
    Failed,
    Finished,
    FinishReason,
    Load,
    Loaded,
    Loading,
    ModelCard,
    Prefilling,
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
from engine.plan.plan import Memory, Plan


@dataclass(frozen=True)
class Script:
    """What the engine does. Times in seconds.

    answers: pieces of the first, second, … answer; the last one is repeated. Seconds are spent in `load_s`
    before Loaded, `prefill_s` before the first token, `token_s` before each. `length`: answers end by "length".
    crash_load, fail_load: how loads end instead. fail_at, crash_at, garble_at, hang_at: piece (counted over all
    answers) at which the engine says OutOfMemory, kills itself, prints nonsense, or stops listening for ever.
    received: file that gets the conversations it was sent, one JSON line each.
    """

    answers: list[list[str]] = field(default_factory=lambda: [["Hello", ", ", "world", "."]])
    load_s: float = 0.0
    prefill_s: float = 0.0
    token_s: float = 0.0
    length: bool = False
    crash_load: bool = False
    fail_load: bool = False
    fail_at: int = -1
    crash_at: int = -1
    garble_at: int = -1
    hang_at: int = -1
    ignore_shutdown: bool = False
    received: str = ""


def command(**script: object) -> tuple[str, ...]:
    """The command line of an engine that plays `Script(**script)`."""
    return (sys.executable, __file__, json.dumps(asdict(Script(**script))))  # type: ignore[arg-type]


OUT_OF_MEMORY: Problem = OutOfMemory("cuda:0", 3 * 2**30, 2**30, "computing an answer").problem()


class FakeEngine:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._writer = Writer(os.fdopen(os.dup(1), "wb"))
        self._inbox: queue.Queue[Command | None] = queue.Queue()
        self._cancelled: set[str] = set()
        self._answers = 0
        self._pieces = 0
        self._model = ""
        threading.Thread(target=self._read, args=(Reader(os.fdopen(0, "rb")),), daemon=True).start()

    def _read(self, reader: Reader) -> None:
        while True:
            command = reader.receive()
            if isinstance(command, Cancel):
                self._cancelled.add(command.id)
            if command is None or (isinstance(command, Shutdown) and not self._script.ignore_shutdown):
                os._exit(0)
            self._inbox.put(command)  # type: ignore[arg-type]

    def run(self) -> None:
        self._writer.send(Ready("fake", os.getpid()))
        while True:
            match self._inbox.get():
                case Load() as load:
                    self._load(load)
                case Chat() as chat:
                    self._chat(chat)
                case Unload():
                    self._model = ""
                    self._writer.send(Unloaded())

    def _load(self, load: Load) -> None:
        if self._script.crash_load:
            os.write(2, b"about to crash\n")
            os._exit(7)
        if self._script.fail_load:
            self._writer.send(Failed(load.id, OUT_OF_MEMORY))
            return
        for done in range(100):
            self._writer.send(Loading(load.id, "Loading weights", done, 100))
            if self._rest(load.id, self._script.load_s / 100):
                self._writer.send(Unloaded())
                return
        self._model = Path(load.source).stem
        card = ModelCard(self._model, load.source, "FakeForCausalLM", "GGUF", 1, 1, 1, 4096, "cpu", "float32", True)
        plan = Plan("cpu", "float32", "float32", 4096, 16, 512, 1, Memory(1, 1, 1))
        self._writer.send(Loaded(load.id, card, plan))

    def _chat(self, chat: Chat) -> None:
        if self._script.received:
            turns = [[message.role, message.content] for message in chat.messages]
            with Path(self._script.received).open("a") as file:
                file.write(json.dumps({"turns": turns, "continue": chat.continue_last}) + "\n")
        if not self._model:
            self._writer.send(Failed(chat.id, NothingLoaded().problem()))
            return
        answer = self._script.answers[min(self._answers, len(self._script.answers) - 1)]
        self._answers += 1
        self._writer.send(Prefilling(chat.id, 0, 8, 0))
        count, cancelled = 0, self._rest(chat.id, self._script.prefill_s)
        for piece in answer if not cancelled else ():
            cancelled = self._rest(chat.id, self._script.token_s)
            if cancelled:
                break
            if self._mishap(chat.id):
                return
            count += 1
            self._writer.send(Token(chat.id, piece, count))
        reason: FinishReason = "cancelled" if cancelled else "length" if self._script.length else "stop"
        self._writer.send(Finished(chat.id, reason, Usage(8, 0, count), Timings(0.1, 1.0, 42.0)))
        self._writer.send(Stats(0, 0, 0, 1, 16, 42.0, 1, 1))

    def _mishap(self, id: str) -> bool:
        at, self._pieces = self._pieces, self._pieces + 1
        if at == self._script.fail_at:
            self._writer.send(Failed(id, OUT_OF_MEMORY))
            return True
        if at == self._script.crash_at:
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        if at == self._script.garble_at:
            os.write(1, b"\x05\x00\x00\x00nonsense")
            time.sleep(60)
        if at == self._script.hang_at:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(60)
        return False

    def _rest(self, id: str, seconds: float) -> bool:
        """Whether the work was cancelled meanwhile."""
        end = time.monotonic() + seconds
        while id not in self._cancelled and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 0.01))
        return id in self._cancelled


if __name__ == "__main__":
    FakeEngine(Script(**json.loads(sys.argv[1]))).run()
