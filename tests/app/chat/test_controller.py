"""The chat's logic with a real engine process that plays a script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.bridge.client import EngineClient
from app.bridge.state import EngineState
from app.chat.controller import ChatController
from app.chat.records import Conversation, Message
from app.chat.store import ChatStore
from app.settings.store import Settings
from engine.errors import Problem
from tests.app import fake_engine
from tests.app.conftest import MakeClient
from tests.app.fake_engine import OUT_OF_MEMORY

SLOW = {"answers": [["word "] * 500], "token_s": 0.01}


class Chat:
    """A controller, what it has said, and the picture that a view would have of it."""

    def __init__(self, qtbot: QtBot, client: EngineClient, folder: Path) -> None:
        self.qtbot = qtbot
        self.client = client
        self.folder = folder
        self.settings = Settings(folder / "window.ini")
        self.store = ChatStore(folder / "chats.db")
        self.controller = ChatController(client, self.store, self.settings)
        self.shown: dict[int, Message] = {}
        self.texts: dict[int, str] = {}
        self.chats: list[Conversation] = []
        self.problems: list[Problem] = []
        self.states: list[EngineState] = []
        self.undo: Callable[[], None] | None = None
        self._listen()

    def _listen(self) -> None:
        controller = self.controller
        controller.chat_opened.connect(self._opened)
        controller.message_added.connect(self._changed)
        controller.message_changed.connect(self._changed)
        controller.message_extended.connect(self._extended)
        controller.message_removed.connect(self._removed)
        controller.conversations_changed.connect(lambda chats: setattr(self, "chats", chats))
        controller.problem.connect(self.problems.append)
        controller.state_changed.connect(self.states.append)
        controller.notice.connect(lambda text, label, undo: setattr(self, "undo", undo))

    def _opened(self, chat: Conversation, messages: list[Message]) -> None:
        self.shown = {message.id: message for message in messages}
        self.texts = {message.id: message.content for message in messages}

    def _changed(self, message: Message) -> None:
        self.shown[message.id] = message
        self.texts[message.id] = message.content

    def _extended(self, id: int, text: str) -> None:
        self.texts[id] += text

    def _removed(self, id: int) -> None:
        del self.shown[id], self.texts[id]

    @property
    def said(self) -> list[tuple[str, str]]:
        """What a view shows; the same must be in the store, and in the controller's list."""
        mine: list[tuple[str, str]] = [(message.role, message.content) for message in self.controller.messages]
        assert [(self.shown[id].role, text) for id, text in self.texts.items()] == mine
        return mine

    @property
    def last(self) -> Message:
        return self.controller.messages[-1]

    def load(self, name: str = "tiny") -> Chat:
        self.controller.load_model(f"/models/{name}.gguf")
        self.wait(lambda: self.client.state.phase == "ready")
        return self

    def ask(self, text: str) -> Message:
        self.controller.send(text)
        self.wait(lambda: self.last.state != "streaming")
        return self.last

    def begin(self, text: str) -> None:
        """Ask, and return when something has been answered."""
        self.controller.send(text)
        self.wait(lambda: self.texts[self.last.id] != "")

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=10_000)


MakeChat = Callable[..., Chat]


@pytest.fixture
def make_chat(qtbot: QtBot, make_client: MakeClient, tmp_path: Path) -> Iterator[MakeChat]:
    """Makes a chat with an engine that plays Script(**script); all of one test share the files."""
    made: list[Chat] = []

    def make(**script: Any) -> Chat:
        chat = Chat(qtbot, make_client(**script), tmp_path)
        made.append(chat)
        chat.controller.start()
        return chat

    yield make
    for chat in made:
        chat.controller.close()


def received(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# ------------------------------------------------------------------ one answer


def test_question_and_answer(make_chat: MakeChat) -> None:
    chat = make_chat().load()
    answer = chat.ask("What is a pergola?\n\n")
    assert chat.said == [("user", "What is a pergola?"), ("assistant", "Hello, world.")]
    assert answer.state == "complete" and answer.model == "tiny"
    assert answer.measured and answer.measured.completion_tokens == 4
    assert chat.chats[0].title == "What is a pergola?"
    assert chat.controller.state.context_used == 12 and chat.states[-1].context_used == 12
    assert chat.controller.state.phase == "ready"


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\t"])
def test_nothing_said_is_not_sent(make_chat: MakeChat, text: str) -> None:
    chat = make_chat().load()
    chat.controller.send(text)
    assert chat.said == []


def test_a_question_during_an_answer_is_refused(make_chat: MakeChat) -> None:
    chat = make_chat(**SLOW).load()
    chat.begin("one")
    chat.controller.send("two")
    chat.controller.regenerate()
    chat.controller.edit_last("three")
    chat.controller.continue_answer()
    assert [role for role, _ in chat.said] == ["user", "assistant"]


def test_a_question_while_the_model_loads_waits_for_it(make_chat: MakeChat) -> None:
    """C097: its message is there at once, and the load's progress is to be seen."""
    chat = make_chat(load_s=0.5)
    chat.controller.load_model("/models/tiny.gguf")
    chat.controller.send("hello")
    assert chat.said == [("user", "hello"), ("assistant", "")]
    assert chat.last.state == "streaming" and chat.controller.state.phase == "loading"
    chat.wait(lambda: chat.last.state == "complete")
    assert chat.said[-1] == ("assistant", "Hello, world.")
    assert any(state.phase == "loading" and 0 < state.done < state.total for state in chat.states)


def test_a_question_without_a_model_says_so_and_waits(make_chat: MakeChat) -> None:
    chat = make_chat()
    chat.wait(lambda: chat.client.state.phase == "empty")
    chat.controller.send("hello")
    assert [problem.kind for problem in chat.problems] == ["NothingLoaded"]
    chat.load()
    chat.wait(lambda: chat.last.state == "complete")


def test_a_load_that_fails_fails_the_question_that_waits_for_it(make_chat: MakeChat) -> None:
    """C100: out of memory at load."""
    chat = make_chat(fail_load=True)
    chat.controller.load_model("/models/big.gguf")
    chat.controller.send("hello")
    chat.wait(lambda: chat.last.state == "failed")
    assert chat.last.error == str(OUT_OF_MEMORY) and chat.problems == [OUT_OF_MEMORY]
    assert chat.controller.state.phase == "empty" and chat.controller.state.problem == OUT_OF_MEMORY
    assert chat.settings.loading == "" and chat.settings.last_model == ""


# ------------------------------------------------------------------ stop, continue, anew


def test_stop_before_the_first_word_then_ask_again(make_chat: MakeChat, tmp_path: Path) -> None:
    """C031: no empty turn is sent, and roles alternate."""
    log = tmp_path / "received"
    chat = make_chat(prefill_s=0.5, received=str(log)).load()
    chat.controller.send("first")
    chat.wait(lambda: chat.client.state.phase == "reading")
    chat.controller.stop()
    assert chat.last.state == "stopped" and chat.last.content == ""
    assert chat.ask("second").state == "complete"
    assert received(log)[-1]["turns"] == [["user", "first\n\nsecond"]]


def test_stop_after_some_words_then_ask_again(make_chat: MakeChat, tmp_path: Path) -> None:
    """C031: the partial answer is kept and stays a turn."""
    log = tmp_path / "received"
    chat = make_chat(**SLOW, received=str(log)).load()
    chat.begin("first")
    chat.controller.stop()
    stopped = chat.last
    assert stopped.state == "stopped" and stopped.content == chat.texts[stopped.id] != ""
    chat.wait(lambda: chat.last.measured is not None)  # the engine's figures come a moment later
    assert chat.last.measured and chat.last.measured.reason == "cancelled"
    assert chat.last.content == stopped.content
    chat.begin("second")
    assert received(log)[-1]["turns"] == [["user", "first"], ["assistant", stopped.content], ["user", "second"]]


def test_stop_while_waiting_for_the_model(make_chat: MakeChat) -> None:
    chat = make_chat(load_s=5)
    chat.controller.load_model("/models/tiny.gguf")
    chat.controller.send("hello")
    chat.controller.stop()
    assert chat.last.state == "stopped" and chat.controller.state.phase == "loading"
    chat.controller.stop()
    assert chat.controller.state.phase == "empty" and chat.settings.loading == ""


def test_continue_goes_on_from_the_very_end(make_chat: MakeChat, tmp_path: Path) -> None:
    log = tmp_path / "received"
    chat = make_chat(answers=[["one ", "two "], ["three"]], length=True, received=str(log)).load()
    first = chat.ask("count")
    assert first.measured and first.measured.reason == "length"
    chat.controller.continue_answer()
    assert chat.last.state == "streaming"
    chat.wait(lambda: chat.last.state == "complete")
    assert chat.said == [("user", "count"), ("assistant", "one two three")]
    assert received(log)[-1] == {"turns": [["user", "count"], ["assistant", "one two "]], "continue": True}


def test_continue_at_once_after_stop(make_chat: MakeChat) -> None:
    """The figures of the stopped part, which come late, do not touch the answer that goes on."""
    chat = make_chat(**SLOW).load()
    chat.begin("count")
    chat.controller.stop()
    before = chat.last.content
    chat.controller.continue_answer()
    chat.wait(lambda: len(chat.texts[chat.last.id]) > len(before))
    assert chat.last.state == "streaming"
    chat.controller.stop()
    assert chat.said[-1][1].startswith(before)


def test_a_complete_answer_is_not_continued(make_chat: MakeChat) -> None:
    chat = make_chat().load()
    chat.ask("hello")
    chat.controller.continue_answer()
    assert chat.last.state == "complete"


def test_regenerate_puts_a_new_answer_in_place_of_the_old(make_chat: MakeChat, tmp_path: Path) -> None:
    log = tmp_path / "received"
    chat = make_chat(answers=[["old"], ["new"]], received=str(log)).load()
    chat.ask("hello")
    chat.controller.regenerate()
    chat.wait(lambda: chat.last.state == "complete")
    assert chat.said == [("user", "hello"), ("assistant", "new")]
    assert received(log)[-1]["turns"] == [["user", "hello"]]


def test_edit_of_the_last_question(make_chat: MakeChat) -> None:
    chat = make_chat(answers=[["one"], ["two"], ["three"]]).load()
    chat.ask("first")
    chat.ask("second")
    chat.controller.edit_last("better")
    chat.wait(lambda: chat.last.state == "complete")
    assert chat.said == [("user", "first"), ("assistant", "one"), ("user", "better"), ("assistant", "three")]
    assert chat.chats[0].title == "first"


def test_edit_of_the_only_question_names_the_chat_anew_unless_it_was_named(make_chat: MakeChat) -> None:
    chat = make_chat().load()
    chat.ask("first")
    chat.controller.edit_last("better")
    assert chat.chats[0].title == "better"
    chat.wait(lambda: chat.last.state == "complete")
    chat.controller.rename_chat(chat.chats[0].id, " Mine ")
    chat.controller.edit_last("best")
    assert chat.chats[0].title == "Mine"


# ------------------------------------------------------------------ several chats


def test_an_answer_goes_on_in_its_own_chat(make_chat: MakeChat) -> None:
    """C097: switch chats during an answer."""
    chat = make_chat(answers=[["word "] * 30], token_s=0.01).load()
    chat.begin("one")
    first = chat.last.conversation
    chat.controller.new_chat()
    assert chat.said == []
    chat.controller.open_chat(first)
    assert chat.said[-1][1] != "" and chat.last.state == "streaming"
    chat.controller.new_chat()
    chat.wait(lambda: chat.client.state.phase == "ready")
    assert chat.said == [] and chat.controller.state.context_used == 0
    chat.controller.open_chat(first)
    assert chat.said[-1] == ("assistant", "word " * 30) and chat.last.state == "complete"
    assert chat.controller.state.context_used == 38


def test_an_empty_chat_is_taken_again(make_chat: MakeChat) -> None:
    chat = make_chat()
    first = chat.controller.conversation
    chat.controller.new_chat()
    assert chat.controller.conversation == first and len(chat.chats) == 1


def test_delete_while_answering_stops_it_and_undo_brings_it_back(make_chat: MakeChat) -> None:
    """C097: a chat is deleted while it is being answered."""
    chat = make_chat(**SLOW).load()
    chat.begin("one")
    id, text = chat.last.conversation, chat.texts[chat.last.id]
    chat.controller.delete_chat(id)
    assert id not in [c.id for c in chat.chats] and chat.said == []
    assert chat.controller.state.phase == "ready"
    assert chat.undo
    chat.undo()
    assert chat.said[-1] == ("assistant", text) and chat.last.state == "stopped"
    assert [c.id for c in chat.chats if c.id == id] == [id]


def test_a_chat_that_is_gone_is_a_problem_and_nothing_else(make_chat: MakeChat) -> None:
    chat = make_chat()
    before = chat.controller.conversation
    chat.controller.open_chat(999)
    chat.controller.delete_chat(999)
    assert [problem.kind for problem in chat.problems] == ["NoSuchChat"]
    assert chat.controller.conversation == before


# ------------------------------------------------------------------ mishaps


def test_out_of_memory_in_mid_answer_keeps_the_text_and_the_engine(make_chat: MakeChat) -> None:
    """C100: late in a chat."""
    chat = make_chat(fail_at=2).load()
    answer = chat.ask("hello")
    assert answer.state == "failed" and answer.content == "Hello, " and answer.error == str(OUT_OF_MEMORY)
    assert "3.00 GiB asked for, 1.00 GiB free" in answer.error and "smaller context" in answer.error
    chat.controller.continue_answer()
    chat.wait(lambda: chat.last.state == "complete")
    assert chat.last.content == "Hello, Hello, world." and chat.last.error == ""


def test_killed_engine_keeps_the_text_and_continues_after_reload(make_chat: MakeChat) -> None:
    """C100: worker process killed by signal 9; nothing is retried by itself."""
    chat = make_chat(**SLOW).load()
    chat.begin("hello")
    pid = chat.client.process_id
    assert pid
    os.kill(pid, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    chat.wait(lambda: chat.controller.state.phase == "dead")
    kept = chat.last.content
    assert chat.last.state == "failed" and kept and "stopped unexpectedly" in chat.last.error
    assert [problem.kind for problem in chat.problems] == ["EngineDied"]
    assert chat.client.process_id is None

    chat.controller.reload()
    assert chat.controller.state.phase == "loading" and chat.controller.state.source.endswith("tiny.gguf")
    chat.controller.continue_answer()
    chat.wait(lambda: len(chat.texts[chat.last.id]) > len(kept))
    assert chat.last.state == "streaming" and chat.last.error == ""
    assert not psutil.pid_exists(pid)


def test_a_question_to_a_dead_engine_is_answered_after_reload(make_chat: MakeChat) -> None:
    chat = make_chat(crash_at=1).load()
    chat.ask("first")
    chat.controller.send("second")
    assert [problem.kind for problem in chat.problems] == ["EngineDied", "EngineDied"]
    chat.controller.reload()
    chat.wait(lambda: chat.texts[chat.last.id] == "Hello")


def test_window_stays_usable_while_a_load_takes_long(make_chat: MakeChat) -> None:
    """C097: none of these waits for the engine, whose load takes 20 seconds."""
    chat = make_chat(load_s=20)
    chat.controller.load_model("/models/big.gguf")
    chat.wait(lambda: chat.client.state.done > 0)
    first = chat.controller.conversation
    assert first
    chat.controller.send("waiting")
    chat.controller.new_chat()
    chat.controller.open_chat(first.id)
    chat.controller.set_draft("draft")
    chat.controller.delete_chat(first.id)
    chat.controller.load_model("/models/other.gguf")
    chat.wait(lambda: chat.controller.state.source.endswith("other.gguf") and chat.controller.state.done > 0)
    chat.controller.reload()
    assert chat.controller.state.phase == "loading" and chat.controller.state.source.endswith("other.gguf")


def test_a_model_that_crashed_the_engine_is_not_loaded_by_itself_again(make_chat: MakeChat, tmp_path: Path) -> None:
    model = tmp_path / "bad.gguf"
    model.touch()
    chat = make_chat(crash_load=True)
    chat.settings.last_model = str(model)
    chat.controller.load_first(None, None)
    chat.wait(lambda: chat.controller.state.phase == "dead")
    chat.controller.close()

    for again in (make_chat(), make_chat()):  # at every later start
        again.controller.load_first(None, None)
        assert [problem.kind for problem in again.problems] == ["LoadCrashed"]
        again.wait(lambda chat=again: chat.client.state.phase == "empty")  # type: ignore[misc]
        again.controller.close()

    asked = make_chat()
    asked.controller.load_model(str(model))
    asked.wait(lambda: asked.client.state.phase == "ready")
    asked.controller.close()
    after = make_chat()
    after.controller.load_first(None, None)
    assert after.problems == [] and after.controller.state.phase == "loading"


def test_closing_during_a_load_is_no_crash(make_chat: MakeChat) -> None:
    chat = make_chat(load_s=20)
    chat.controller.load_model("/models/big.gguf")
    assert Settings(chat.folder / "window.ini").loading.endswith("big.gguf")
    chat.controller.close()
    assert Settings(chat.folder / "window.ini").loading == ""


# ------------------------------------------------------------------ kept for the next start


def test_the_last_chat_its_draft_and_the_model_come_back(make_chat: MakeChat, tmp_path: Path) -> None:
    model = tmp_path / "tiny.gguf"
    model.touch()
    chat = make_chat()
    chat.controller.load_model(str(model))
    chat.ask("one")
    first = chat.last.conversation
    chat.controller.new_chat()
    chat.ask("two")
    chat.controller.open_chat(first)
    chat.controller.set_draft("half a thou")
    chat.controller.close()

    again = make_chat()
    assert again.controller.conversation
    assert (again.controller.conversation.id, again.controller.conversation.draft) == (first, "half a thou")
    assert again.said == [("user", "one"), ("assistant", "Hello, world.")]
    assert again.controller.recent_models == [str(model)]
    again.controller.load_first(None, None)
    again.wait(lambda: again.client.state.phase == "ready")
    assert again.client.state.source == str(model)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_window_killed_during_an_answer_has_saved_it(tmp_path: Path) -> None:
    """C104: kill -9 during a stream loses no more than what came since the last save."""
    script = f"""
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.bridge.client import EngineClient
from app.chat import answering
from app.chat.controller import ChatController
from app.chat.store import ChatStore
from app.settings.store import Settings

answering.SAVE_MS = 100
app = QCoreApplication([])
folder = Path({str(tmp_path)!r})
client = EngineClient(folder / "engine.log", {fake_engine.command(**SLOW)!r})
controller = ChatController(client, ChatStore(folder / "chats.db"), Settings(folder / "window.ini"))
controller.message_extended.connect(lambda id, text: print(len(controller.messages[-1].content), flush=True))
controller.start()
client.start()
controller.load_model("/models/tiny.gguf")
controller.send("hello")
app.exec()
"""
    root = Path(fake_engine.__file__).parents[2]
    shown: list[tuple[float, int]] = []
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root) as window:
        assert window.stdout
        while not shown or shown[-1][1] < 500:
            length = int(window.stdout.readline())
            shown.append((time.monotonic(), length))
        window.kill()
    store = ChatStore(tmp_path / "chats.db")
    message = store.messages(1)[-1]
    store.close()
    before = [length for moment, length in shown if moment < shown[-1][0] - 1.0]
    assert message.state == "stopped" and len(message.content) >= max(before, default=1)


def test_closing_during_an_answer_keeps_it(make_chat: MakeChat) -> None:
    chat = make_chat(**SLOW).load()
    chat.begin("hello")
    text = chat.texts[chat.last.id]
    chat.controller.close()
    again = make_chat()
    assert again.said[-1] == ("assistant", text) and again.last.state == "stopped"


def test_damaged_chats_are_told(make_chat: MakeChat, tmp_path: Path) -> None:
    """C104: bad file kept as backup, and the person is told."""
    (tmp_path / "chats.db").write_bytes(b"no database" * 1000)
    chat = make_chat()
    assert [problem.kind for problem in chat.problems] == ["ChatsDamaged"]
    assert chat.said == []
