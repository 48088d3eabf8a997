"""The engine's loop, in a thread and as a process of its own."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.host import Inbox, run
from engine.messages import (
    Cancel,
    Chat,
    ChatMessage,
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
    Token,
    Unload,
    Unloaded,
)
from engine.messages.wire import Reader, Writer
from engine.params import SamplingParams
from engine.plan.plan import Wishes
from engine.settings import EngineSettings

QUESTION = (ChatMessage("user", "hello"),)
CPU = Wishes(device="cpu", context=512)


class Engine:
    """A host in a thread, and what it has said."""

    def __init__(self) -> None:
        self.inbox: Inbox = queue.SimpleQueue()
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.thread = threading.Thread(target=run, args=(self.inbox, self.events.put, EngineSettings()), daemon=True)
        self.thread.start()

    def tell(self, *commands: Command) -> None:
        for command in commands:
            self.inbox.put(command)

    def until(self, kind: type[Event], id: str | None = None) -> list[Event]:
        """Everything up to the first event of that kind (and id)."""
        seen: list[Event] = []
        while True:
            seen.append(self.events.get(timeout=20))
            if isinstance(seen[-1], kind) and (id is None or getattr(seen[-1], "id", None) == id):
                return seen


@pytest.fixture
def engine() -> Iterator[Engine]:
    started = Engine()
    yield started
    started.tell(Shutdown())
    started.thread.join(timeout=30)
    assert not started.thread.is_alive()


def chat(id: str, tokens: int = 8) -> Chat:
    return Chat(id, QUESTION, SamplingParams(temperature=0, max_tokens=tokens))


def test_a_life_load_chat_unload(engine: Engine, tiny_chat_model: Path) -> None:
    engine.tell(Load("l", str(tiny_chat_model), CPU), chat("c"))
    seen = engine.until(Finished)
    assert isinstance(seen[0], Ready) and seen[0].pid == os.getpid()
    loaded = next(event for event in seen if isinstance(event, Loaded))
    assert loaded.model.device == "cpu" and loaded.model.context == 512 == loaded.plan.context
    assert loaded.model.parameters > 0 and loaded.model.has_template
    steps = [event.done for event in seen if isinstance(event, Loading)]
    assert steps == sorted(steps)
    finished = seen[-1]
    assert isinstance(finished, Finished) and finished.usage.completion_tokens <= 8
    stats = engine.until(Stats)[-1]
    assert isinstance(stats, Stats) and stats.running == stats.waiting == stats.pages_used == 0
    assert stats.memory_bytes > 0 and stats.predicted_bytes > 0
    engine.tell(Unload(), chat("d"))
    engine.until(Unloaded)
    failure = engine.until(Failed)[-1]
    assert isinstance(failure, Failed) and failure.problem.kind == "NothingLoaded"


def test_a_second_turn_reuses_the_first(engine: Engine, tiny_chat_model: Path) -> None:
    engine.tell(Load("l", str(tiny_chat_model), CPU), chat("a"))
    first = engine.until(Finished)
    answer = "".join(event.text for event in first if isinstance(event, Token))
    history = (*QUESTION, ChatMessage("assistant", answer), ChatMessage("user", "more"))
    engine.tell(Chat("b", history, SamplingParams(temperature=0, max_tokens=2)))
    finished = engine.until(Finished)[-1]
    assert isinstance(finished, Finished)
    assert 0 < finished.usage.cached_tokens < finished.usage.prompt_tokens


def test_cancel_ends_an_answer_and_keeps_its_text(engine: Engine, tiny_chat_model: Path) -> None:
    engine.tell(Load("l", str(tiny_chat_model), CPU), chat("a", tokens=400))
    engine.until(Token)
    engine.tell(Cancel("a"), Cancel("unknown"))
    finished = engine.until(Finished)[-1]
    assert isinstance(finished, Finished) and finished.reason == "cancelled"
    assert 0 < finished.usage.completion_tokens < 400


@pytest.mark.parametrize("what", ["absent", "empty folder", "no model"])
def test_what_is_no_model_fails_by_name_and_the_next_load_works(
    what: str, engine: Engine, tiny_chat_model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "model" if what == "absent" else tmp_path
    if what == "no model":
        (tmp_path / "notes.txt").write_text("hello")
    engine.tell(Load("bad", str(path), CPU))
    failure = engine.until(Failed)[-1]
    assert isinstance(failure, Failed) and failure.id == "bad"
    assert str(path) in failure.problem.sentence and failure.problem.remedy
    engine.tell(Load("good", str(tiny_chat_model), CPU), chat("c"))
    engine.until(Finished, "c")


def test_a_failed_load_leaves_no_model_behind(engine: Engine, tiny_chat_model: Path, tmp_path: Path) -> None:
    engine.tell(Load("a", str(tiny_chat_model), CPU))
    engine.until(Loaded)
    engine.tell(Load("b", str(tmp_path), CPU), chat("c"))
    engine.until(Failed, "b")
    failure = engine.until(Failed)[-1]
    assert isinstance(failure, Failed) and failure.problem.kind == "NothingLoaded"


def test_a_load_can_be_cancelled(engine: Engine, tiny_chat_model: Path) -> None:
    engine.tell(Load("a", str(tiny_chat_model), CPU), Cancel("a"), chat("c"))
    seen = engine.until(Failed)
    assert any(isinstance(event, Unloaded) for event in seen)
    assert not any(isinstance(event, Loaded) for event in seen)


def test_a_chat_that_waits_for_a_load_can_be_cancelled(engine: Engine, tiny_chat_model: Path) -> None:
    engine.tell(Load("a", str(tiny_chat_model), CPU), chat("c"), Cancel("c"), chat("d"))
    seen = engine.until(Finished, "d")
    (cancelled,) = [event for event in seen if isinstance(event, Finished) and event.id == "c"]
    assert cancelled.reason == "cancelled" and cancelled.usage.completion_tokens == 0


def test_loading_while_loading_is_refused(engine: Engine, tiny_chat_model: Path) -> None:
    load = Load("a", str(tiny_chat_model), CPU)
    engine.tell(load, Load("b", str(tiny_chat_model), CPU))
    seen = engine.until(Loaded)
    (failure,) = [event for event in seen if isinstance(event, Failed)]
    assert (failure.id, failure.problem.kind) == ("b", "Busy")


def test_a_wish_that_cannot_be_met_says_what_can(engine: Engine, tiny_chat_model: Path) -> None:
    engine.tell(Load("a", str(tiny_chat_model), Wishes(device="cuda:99")))
    failure = engine.until(Failed)[-1]
    assert isinstance(failure, Failed) and failure.problem.kind == "NoSuchDevice"
    assert "cpu" in failure.problem.remedy


def test_c056_a_conversation_beyond_the_context_fails_with_both_numbers(engine: Engine, tiny_chat_model: Path) -> None:
    """C056: default is an error with both numbers; the next request is served."""
    engine.tell(Load("l", str(tiny_chat_model), CPU))
    engine.tell(Chat("long", (ChatMessage("user", "word " * 2000),)), chat("c"))
    failure = engine.until(Failed)[-1]
    assert isinstance(failure, Failed) and failure.problem.kind == "PromptTooLong"
    assert "512" in failure.problem.sentence
    engine.until(Finished, "c")


def test_thirty_loads_leave_nothing_behind(engine: Engine, tiny_chat_model: Path) -> None:
    """C121, C127: memory returns to where it was."""
    sizes = []
    for number in range(30):
        context = 256 * (1 + number % 4)
        engine.tell(Load(str(number), str(tiny_chat_model), Wishes(device="cpu", context=context)), chat(f"c{number}"))
        engine.until(Finished)
        stats = engine.until(Stats)[-1]
        assert isinstance(stats, Stats)
        sizes.append(stats.memory_bytes)
    assert max(sizes[15:]) - max(sizes[5:15]) < 30 * 2**20


class Child:
    """The engine as the window runs it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engine.host"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdin and self.process.stdout
        self.writer, self.reader = Writer(self.process.stdin), Reader(self.process.stdout)


@pytest.fixture
def child() -> Iterator[Child]:
    started = Child()
    yield started
    started.process.kill()
    started.process.wait()
    for stream in (started.process.stdin, started.process.stdout):
        assert stream
        stream.close()


@pytest.mark.timeout(120)
def test_the_process_speaks_only_messages_and_ends_when_told(child: Child, tiny_chat_model: Path) -> None:
    ready = child.reader.receive()
    assert isinstance(ready, Ready) and ready.pid == child.process.pid
    child.writer.send(Load("l", str(tiny_chat_model), CPU))
    child.writer.send(chat("c"))
    while not isinstance(event := child.reader.receive(), Finished):
        assert event is not None and not isinstance(event, Failed), event
    child.writer.send(Shutdown())
    while child.reader.receive() is not None:
        pass
    assert child.process.wait(timeout=30) == 0


@pytest.mark.timeout(120)
def test_the_process_ends_when_its_owner_is_gone(child: Child, tiny_chat_model: Path) -> None:
    child.writer.send(Load("l", str(tiny_chat_model), CPU))
    child.writer.send(chat("c", tokens=400))
    while not isinstance(event := child.reader.receive(), Token):
        assert event is not None and not isinstance(event, Failed), event
    child.writer.close()
    deadline = time.monotonic() + 30
    while child.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert child.process.returncode == 0


def test_a_wrong_variable_of_the_environment_is_told_in_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine.host"],
        env={**os.environ, "TONNELLE_THREADS": "many"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "TONNELLE_THREADS" in done.stderr and "Traceback" not in done.stderr
