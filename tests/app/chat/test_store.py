from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from app.chat import store as store_module
from app.chat.records import Measured
from app.chat.store import TITLE_LENGTH, ChatStore, title_of
from app.errors import NoSuchChat

MEASURED = Measured(12, 3, 40, 0.25, 31.5, "stop")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "chats.db"


def filled(path: Path, chats: int = 3, words: int = 10) -> None:
    store = ChatStore(path)
    for number in range(chats):
        chat = store.create()
        store.add_message(chat.id, "user", f"question {number}")
        store.add_message(chat.id, "assistant", f"answer {number} " * words)
    store.close()


def test_what_was_written_is_found_again(path: Path) -> None:
    store = ChatStore(path)
    chat = store.create()
    question = store.add_message(chat.id, "user", "What is a pergola?\nTell me briefly.")
    answer = store.add_message(chat.id, "assistant", "", "streaming", "tiny")
    store.update_message(answer.id, content="A frame of beams.", state="complete", measured=MEASURED)
    store.set_draft(chat.id, "and then")
    store.close()

    again = ChatStore(path)
    assert again.take_problems() == []
    (found,) = again.conversations()
    assert (found.title, found.draft) == ("What is a pergola?", "and then")
    assert [m.content for m in again.messages(chat.id)] == [question.content, "A frame of beams."]
    assert again.messages(chat.id)[1].measured == MEASURED
    assert again.messages(chat.id)[1].model == "tiny"
    again.close()


def test_newest_conversation_is_first_and_a_message_makes_it_the_newest(path: Path) -> None:
    clock = iter(range(1000))
    store = ChatStore(path, now=lambda: float(next(clock)))
    first, second = store.create("first"), store.create("second")
    assert [c.title for c in store.conversations()] == ["second", "first"]
    store.add_message(first.id, "user", "more")
    assert [c.id for c in store.conversations()] == [first.id, second.id]
    store.close()


def test_deleted_conversation_can_be_restored_for_thirty_days(path: Path) -> None:
    store = ChatStore(path, now=lambda: 1000.0)
    chat = store.create("kept")
    store.add_message(chat.id, "user", "hello")
    store.delete(chat.id)
    assert store.conversations() == []
    store.restore(chat.id)
    assert [c.id for c in store.conversations()] == [chat.id]
    store.delete(chat.id)
    store.close()

    store = ChatStore(path, now=lambda: 1000.0 + store_module.KEPT_DELETED_S - 1)
    store.restore(chat.id)
    assert len(store.messages(chat.id)) == 1
    store.delete(chat.id)
    store.close()

    store = ChatStore(path, now=lambda: 1001.0 + 2 * store_module.KEPT_DELETED_S)
    assert store.messages(chat.id) == []
    with pytest.raises(NoSuchChat):
        store.conversation(chat.id)
    store.close()


def test_deleting_from_a_message_spares_the_earlier_ones_and_other_chats(path: Path) -> None:
    store = ChatStore(path)
    chat, other = store.create(), store.create()
    first = store.add_message(chat.id, "user", "one")
    second = store.add_message(chat.id, "assistant", "two")
    store.add_message(other.id, "user", "elsewhere")
    store.add_message(chat.id, "user", "three")
    store.delete_messages_from(second.id)
    assert [m.id for m in store.messages(chat.id)] == [first.id]
    assert len(store.messages(other.id)) == 1
    store.close()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("short", "short"),
        ("\n\n  second line  \nthird", "second line"),
        ("", ""),
        ("word " * 30, ("word " * 30)[:59].rsplit(" ", 1)[0] + "…"),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_titles(text: str, title: str) -> None:
    assert title_of(text) == title
    assert len(title) <= TITLE_LENGTH


def test_a_given_title_stays(path: Path) -> None:
    store = ChatStore(path)
    chat = store.create("mine")
    store.add_message(chat.id, "user", "hello")
    assert store.conversation(chat.id).title == "mine"
    store.close()


def test_surrogates_and_nul_from_a_paste_are_stored(path: Path) -> None:
    """C103: text with NULs and lone surrogates."""
    store = ChatStore(path)
    chat = store.create()
    message = store.add_message(chat.id, "user", "a\ud800b\x00c")
    assert message.content == "a?b\x00c"
    store.close()


def test_answer_that_was_streaming_is_stopped_at_the_next_start(path: Path) -> None:
    store = ChatStore(path)
    chat = store.create()
    message = store.add_message(chat.id, "assistant", "half", "streaming")
    store.close()
    again = ChatStore(path)
    assert again.message(message.id).state == "stopped"
    again.close()


def test_a_bad_record_is_shown_as_damaged_and_the_rest_as_it_is(path: Path) -> None:
    """C104: corrupt one line."""
    filled(path, chats=1)
    database = sqlite3.connect(path)
    database.execute(
        "UPDATE messages SET state = 'nonsense', measured = '{', content = CAST(x'ff41' AS TEXT) WHERE id = 1"
    )
    database.commit()
    database.close()
    store = ChatStore(path)
    bad, good = store.messages(1)
    assert (bad.state, bad.content, bad.measured) == ("failed", "\ufffdA", None) and bad.error
    assert good.state == "complete"
    store.close()
