"""An engine without a model: it answers with a fixed text at a fixed rate, so that the window alone is measured.

Run as `python -m app.bridge.playback RATE`, in place of `engine.host`.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count, cycle

from engine.messages import (
    Cancel,
    Chat,
    Command,
    Finished,
    FinishReason,
    Load,
    Loaded,
    ModelCard,
    Prefilling,
    Ready,
    Shutdown,
    Timings,
    Token,
    Unload,
    Unloaded,
    Usage,
)
from engine.messages.wire import Reader, Writer
from engine.plan.plan import Memory, Plan

ANSWER_TOKENS = 4000
CONTEXT = 2**20

# What is dear to show: lists, tables, and code that is highlighted.
TEXT = """## A pergola

A pergola is an **open frame** of posts and beams, over which *climbing plants* are led. See `beams()` below.

1. Set the posts in a row, two and a half metres apart.
2. Lay the beams across, and fasten them with bolts.
3. Plant wisteria, which is patient; or vines, which are not.

| wood | years | price |
|---|---:|---:|
| oak | 40 | 120 |
| larch | 25 | 70 |

```python
def beams(length: float, gap: float = 0.6) -> list[float]:
    \"\"\"Where the beams lie, in metres from the wall.\"\"\"
    number = int(length // gap) + 1
    return [round(index * gap, 2) for index in range(number)]
```

"""


class Playback:
    """Serves one chat at a time."""

    def __init__(self, rate: float) -> None:
        self._pause = 1 / rate
        self._writer = Writer(os.fdopen(os.dup(1), "wb"))
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._cancelled: set[str] = set()
        threading.Thread(target=self._read, args=(Reader(os.fdopen(0, "rb")),), daemon=True).start()

    def _read(self, reader: Reader) -> None:
        while (command := reader.receive()) is not None and not isinstance(command, Shutdown):
            if isinstance(command, Cancel):
                self._cancelled.add(command.id)
            self._inbox.put(command)  # type: ignore[arg-type]  # the window sends commands only
        os._exit(0)

    def run(self) -> None:
        self._writer.send(Ready("playback", os.getpid()))
        while True:
            match self._inbox.get():
                case Load(id, source):
                    card = ModelCard("Playback", source, "none", "none", 0, 0, 0, CONTEXT, "cpu", "float32", True)
                    plan = Plan("cpu", "float32", "float32", CONTEXT, 1, 1, 1, Memory(0, 0, 0))
                    self._writer.send(Loaded(id, card, plan))
                case Chat(id):
                    self._answer(id)
                case Unload():
                    self._writer.send(Unloaded())

    def _answer(self, id: str) -> None:
        self._writer.send(Prefilling(id, 0, 100, 0))
        begun = time.perf_counter()
        done = 0
        for number, piece in zip(count(1), cycle(_pieces()), strict=False):
            time.sleep(max(0.0, begun + number * self._pause - time.perf_counter()))
            if id in self._cancelled or number > ANSWER_TOKENS:
                break
            self._writer.send(Token(id, piece, number))
            done = number
        seconds = time.perf_counter() - begun
        reason: FinishReason = "cancelled" if id in self._cancelled else "stop"
        self._writer.send(Finished(id, reason, Usage(100, 0, done), Timings(0.0, seconds, done / seconds)))


def _pieces() -> Iterator[str]:
    """About as long as tokens are."""
    return (TEXT[start : start + 4] for start in range(0, len(TEXT), 4))


if __name__ == "__main__":
    Playback(float(sys.argv[1])).run()
