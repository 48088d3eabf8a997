"""Messages arrive as they were sent, and a broken pipe is an end, not an error."""

from __future__ import annotations

import io
import os
import threading

import pytest

from engine.errors import Problem
from engine.messages import Cancel, Chat, ChatMessage, Failed, Load, Token
from engine.messages.wire import Reader, Writer
from engine.params import SamplingParams
from engine.plan.plan import Wishes

MESSAGES = [
    Load("a", "/models/größer 模型", Wishes(context=4096)),
    Chat("b", (ChatMessage("user", "héllo 👩‍👩‍👧"),), SamplingParams(stop=("x",))),
    Cancel("b"),
    Token("b", "é" * 100_000, 3),
    Failed(None, Problem("Kind", "It broke.", "Mend it.", (("a", "b"),))),
]


def test_messages_arrive_equal_and_in_order() -> None:
    stream = io.BytesIO()
    writer = Writer(stream)
    for message in MESSAGES:
        writer.send(message)
    stream.seek(0)
    reader = Reader(stream)
    assert [reader.receive() for _ in MESSAGES] == MESSAGES
    assert reader.receive() is None


@pytest.mark.parametrize("cut", [1, 3, 4, 5, 40])
def test_a_message_cut_short_is_the_end(cut: int) -> None:
    stream = io.BytesIO()
    Writer(stream).send(MESSAGES[0])
    assert Reader(io.BytesIO(stream.getvalue()[:cut])).receive() is None


def test_several_threads_may_send_at_once() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb") as sink:
        writer, reader = Writer(sink), Reader(source)

        def send(name: str) -> None:
            for number in range(200):
                writer.send(Token(name, name * 500, number))

        threads = [threading.Thread(target=send, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        received = [reader.receive() for _ in range(600)]
        for thread in threads:
            thread.join()
    for name in "abc":
        numbers = [token.tokens for token in received if isinstance(token, Token) and token.id == name]
        assert numbers == list(range(200))
