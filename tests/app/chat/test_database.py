"""That the chats survive what can happen to their file (C104)."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from app.chat import store as store_module
from app.chat.schema import MIGRATIONS
from app.chat.store import ChatStore


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


def test_two_windows_on_one_file(path: Path) -> None:
    """C104: a second instance is safe."""
    first, second = ChatStore(path), ChatStore(path)
    one, two = first.create("one"), second.create("two")
    assert {c.id for c in first.conversations()} == {one.id, two.id} == {c.id for c in second.conversations()}
    first.close()
    second.close()


def test_a_file_that_is_no_database_is_kept_beside_a_new_one(path: Path) -> None:
    """C104: bad file kept as backup."""
    path.parent.mkdir()
    path.write_bytes(b"this is not a database" * 100)
    store = ChatStore(path)
    (problem,) = store.take_problems()
    assert problem.kind == "ChatsDamaged" and "none" in problem.sentence
    (backup,) = path.parent.glob("chats-damaged-*.db")
    assert backup.read_bytes().startswith(b"this is not") and str(backup) in problem.remedy
    store.create("new")
    store.close()
    again = ChatStore(path)
    assert [c.title for c in again.conversations()] == ["new"] and again.take_problems() == []
    again.close()


def test_a_database_of_another_program_is_set_aside(path: Path) -> None:
    path.parent.mkdir()
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE conversations (id, name)")
    database.close()
    store = ChatStore(path)
    assert [problem.kind for problem in store.take_problems()] == ["ChatsDamaged"]
    assert store.create("works").title == "works"
    store.close()


def test_a_damaged_page_does_not_hide_the_other_chats(path: Path) -> None:
    """C104: one bad record doesn't hide the rest."""
    filled(path, chats=40, words=200)
    with path.open("r+b") as file:
        page = int.from_bytes(file.read(18)[16:], "big")
        data = path.read_bytes()
        position = data.index(b"answer 20 answer 20") // page * page
        file.seek(position)
        file.write(b"\xff" * page)
    store = ChatStore(path)
    texts = [m.content for chat in store.conversations() for m in store.messages(chat.id)]
    (problem,) = store.take_problems()
    assert problem.kind == "ChatsDamaged"
    assert len(list(path.parent.glob("chats-damaged-*.db"))) == 1
    # One page of 4 KB holds no more than a few messages; messages of a dozen chats before and after are there.
    assert sum(text.startswith("answer") for text in texts) >= 30
    assert any(text.startswith("answer 39") for text in texts) and any(text.startswith("answer 0") for text in texts)
    store.close()


def test_full_disk_is_told_and_chatting_goes_on(path: Path) -> None:
    """C104: disk full on save. What was written before stays, and nothing is shortened."""
    filled(path)
    store = ChatStore(path)
    pages = store._database.read("PRAGMA page_count")[0][0]
    store._database.read(f"PRAGMA max_page_count = {pages}")
    chat = store.create()
    message = store.add_message(chat.id, "user", "x" * 100_000)
    (problem,) = store.take_problems()
    assert problem.kind == "ChatsNotSaved" and "full" in problem.sentence
    assert store.message(message.id).content == "x" * 100_000
    assert len(store.conversations()) == 4
    disk = sqlite3.connect(path)
    assert disk.execute("SELECT count(*) FROM messages").fetchone() == (6,)
    disk.close()
    store.close()  # by now there is room again

    again = ChatStore(path)
    assert again.message(message.id).content == "x" * 100_000 and len(again.conversations()) == 4
    again.close()


def test_chats_of_a_session_without_disk_do_not_overwrite_those_of_another_window(path: Path) -> None:
    filled(path)
    store = ChatStore(path)
    pages = store._database.read("PRAGMA page_count")[0][0]
    store._database.read(f"PRAGMA max_page_count = {pages}")
    chat = store.create()
    store.add_message(chat.id, "user", "x" * 100_000)
    filled(path, chats=1)
    store.close()
    again = ChatStore(path)
    assert len(again.conversations()) == 5
    again.close()
    (unsaved,) = path.parent.glob("chats-unsaved-*.db")
    other = ChatStore(unsaved)
    assert len(other.messages(chat.id)) == 1
    other.close()


def test_a_folder_that_cannot_be_made_leaves_a_window_that_works(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = ChatStore(tmp_path / "file" / "chats.db")
    assert [problem.kind for problem in store.take_problems()] == ["ChatsNotSaved"]
    chat = store.create()
    store.add_message(chat.id, "user", "hello")
    assert len(store.messages(chat.id)) == 1
    store.close()


def test_file_of_a_later_version_is_left_alone(path: Path) -> None:
    filled(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = path.read_bytes()
    store = ChatStore(path)
    assert [problem.kind for problem in store.take_problems()] == ["ChatsTooNew"]
    store.create("only here")
    store.close()
    assert path.read_bytes() == before


def test_file_of_an_earlier_version_is_copied_and_then_migrated(path: Path) -> None:
    """C104: open history written by an older version."""
    filled(path)
    later = (*MIGRATIONS, ("ALTER TABLE messages ADD COLUMN rating INTEGER",))
    store = ChatStore(path, migrations=later)
    assert len(store.conversations()) == 3
    assert store._database.read("SELECT rating FROM messages WHERE id = 1")[0][0] is None
    store.close()
    (copy,) = path.parent.glob("chats-version-1-*.db")
    assert sqlite3.connect(copy).execute("SELECT count(*) FROM messages").fetchone() == (6,)


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    filled(path)
    bad = (*MIGRATIONS, ("ALTER TABLE messages ADD COLUMN rating INTEGER", "THIS IS NO SQL"))
    with pytest.raises(sqlite3.OperationalError):
        ChatStore(path, migrations=bad)
    store = ChatStore(path)
    assert store.take_problems() == [] and len(store.conversations()) == 3
    store.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed by TerminateProcess here")
@pytest.mark.parametrize("after", [1, 7, 40])
def test_killed_while_saving(path: Path, after: int) -> None:
    """C104: kill -9 during save; all that had been saved is there, and the file opens."""
    script = """
        import sys
        from pathlib import Path
        from app.chat.store import ChatStore
        store = ChatStore(Path(sys.argv[1]))
        chat = store.create()
        message = store.add_message(chat.id, "assistant", "", "streaming")
        for count in range(1, 100_000):
            store.update_message(message.id, content="word " * count)
            print(count, flush=True)
    """
    root = Path(store_module.__file__).parents[2]
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root, text=True) as process:
        assert process.stdout
        seen = 0
        while seen < after:
            seen = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
    store = ChatStore(path)
    (message,) = store.messages(1)
    assert message.state == "stopped" and message.content.count("word") >= seen
    assert store.take_problems() == []
    store.close()
