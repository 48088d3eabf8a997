"""How messages travel between processes: a length, then a pickle, over a pair of pipes.

Both ends are this very program, started by its owner, so pickle brings in nothing that was not there.
"""

from __future__ import annotations

import pickle
import struct
import threading
from typing import BinaryIO

from engine.messages.commands import Command
from engine.messages.events import Event

_LENGTH = struct.Struct("<I")


class Writer:
    """Sends messages into a binary stream; safe to call from several threads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: Command | Event) -> None:
        """Raises BrokenPipeError (or another OSError) when the other end is gone."""
        body = pickle.dumps(message, protocol=5)
        with self._lock:
            self._stream.write(_LENGTH.pack(len(body)) + body)
            self._stream.flush()

    def close(self) -> None:
        self._stream.close()


class Reader:
    """Receives messages from a binary stream, one at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def receive(self) -> Command | Event | None:
        """The next message; None when the other end is gone, also in the middle of a message."""
        head = self._exactly(_LENGTH.size)
        body = self._exactly(_LENGTH.unpack(head)[0]) if head else None
        if not body:
            return None
        message: Command | Event = pickle.loads(body)
        return message

    def _exactly(self, size: int) -> bytes | None:
        parts = []
        while size:
            part = self._stream.read(size)
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
