from __future__ import annotations

from pathlib import Path

import pytest

from app import errors
from engine.errors import TonnelleError

PATH = Path("/data/chats.db")
BACKUP = Path("/data/chats-damaged-1.db")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errors.ChatsDamaged(PATH, BACKUP, 0), ["chats.db", "all records", "chats-damaged-1.db"]),
        (errors.ChatsDamaged(PATH, BACKUP, 3), ["3 of its records"]),
        (errors.ChatsDamaged(PATH, BACKUP, None), ["none of its records"]),
        (errors.ChatsNotSaved(PATH, "disk is full"), ["chats.db", "disk is full", "memory"]),
        (errors.ChatsTooNew(PATH, 9, 1), ["later version", "format 9", "untouched"]),
        (errors.NoSuchChat("chat", 7), ["chat 7"]),
        (errors.EngineNotStarted("/bin/python", "no memory"), ["/bin/python", "no memory"]),
        (errors.EngineGarbled("EOFError: cut"), ["EOFError: cut", "Reload"]),
        (errors.LoadCrashed("/m.gguf"), ["/m.gguf", "the last time"]),
        (errors.NoStarter(), ["starter", ".gguf"]),
    ],
)
def test_each_tells_its_facts_and_a_remedy(error: TonnelleError, words: list[str]) -> None:
    problem = error.problem()
    assert problem.kind == type(error).__name__
    assert problem.sentence.endswith(".") and str(problem) == str(error)
    assert [word for word in words if word not in str(problem)] == []
