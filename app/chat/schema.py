"""The tables of the chat database, and how a file of an older version becomes the present form."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from app.errors import ChatsTooNew

Migration = tuple[str, ...]  # statements

_FIRST: Migration = (
    """
    CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        created REAL NOT NULL,
        updated REAL NOT NULL,
        draft TEXT NOT NULL DEFAULT '',
        deleted REAL
    )
    """,
    """
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        role TEXT NOT NULL,
        state TEXT NOT NULL,
        created REAL NOT NULL,
        model TEXT NOT NULL DEFAULT '',
        error TEXT NOT NULL DEFAULT '',
        measured TEXT,
        content TEXT NOT NULL
    )
    """,
    "CREATE INDEX messages_by_conversation ON messages (conversation, id)",
    "CREATE INDEX messages_streaming ON messages (id) WHERE state = 'streaming'",
)

MIGRATIONS: tuple[Migration, ...] = (_FIRST,)  # a file's PRAGMA user_version says how many of them it has seen


def version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    database: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS, *, keep: bool = True
) -> None:
    """Bring the database at `path` to the newest version, in one transaction. Raises ChatsTooNew.

    keep: a file of an older version is copied first. `database` must be in autocommit mode.
    """
    known = len(migrations)
    found = version(database)
    if found > known:
        raise ChatsTooNew(path, found, known)
    if keep and 0 < found < known:
        _copy(database, path.with_name(f"{path.stem}-version-{found}-{int(time.time())}.db"))
    if found == known:
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        for migration in migrations[version(database) :]:  # asked again: another window may have been first
            for statement in migration:
                database.execute(statement)
        database.execute(f"PRAGMA user_version = {known}")
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


def _copy(database: sqlite3.Connection, target: Path) -> None:
    copy = sqlite3.connect(target)
    try:
        database.backup(copy)
    finally:
        copy.close()
