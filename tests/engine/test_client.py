"""Client: the engine in a thread, for command line and tests."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engine.client import Client, Refused
from engine.errors import InvalidRequest
from engine.messages import ChatMessage, Finished, Loaded, Token
from engine.params import SamplingParams
from engine.plan.plan import Wishes

QUESTION = [ChatMessage("user", "hello")]


def test_chats_from_eight_threads_all_finish(tiny_chat_model: Path) -> None:
    """C070: submitted from many threads, also while the loop is idle."""
    results: dict[int, str] = {}
    with Client() as client:
        *_, last = client.load(str(tiny_chat_model), Wishes(device="cpu", context=512))
        assert isinstance(last, Loaded)

        def ask(number: int) -> None:
            events = list(client.chat(QUESTION, SamplingParams(temperature=0, max_tokens=10)))
            assert isinstance(events[-1], Finished)
            results[number] = "".join(event.text for event in events if isinstance(event, Token))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert len(results) == 8 and len(set(results.values())) == 1


def test_leaving_an_answer_cancels_it(tiny_chat_model: Path) -> None:
    """C052: the next request is served at once and all pages come back."""
    with Client() as client:
        list(client.load(str(tiny_chat_model), Wishes(device="cpu", context=512)))
        for _ in range(20):
            for event in client.chat(QUESTION, SamplingParams(temperature=0, max_tokens=300)):
                if isinstance(event, Token):
                    break
        assert isinstance(list(client.chat(QUESTION, SamplingParams(max_tokens=1)))[-1], Finished)
    assert client.stats is not None and client.stats.pages_used == 0


def test_a_refusal_is_raised_with_its_sentence(tmp_path: Path) -> None:
    with Client() as client:
        with pytest.raises(Refused, match="not a model"):
            list(client.load(str(tmp_path)))
        with pytest.raises(Refused, match="No model is loaded"):
            list(client.chat(QUESTION, SamplingParams()))


def test_a_wrong_variable_of_the_environment_is_raised_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNELLE_DEVICE", "toaster")
    with pytest.raises(InvalidRequest, match="TONNELLE_DEVICE"):
        Client()
