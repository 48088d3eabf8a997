"""Takes out of a damaged chat database every record that can still be read."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.chat.schema import Migration, migrate
from app.errors import ChatsDamaged

_TABLES = ("conversations", "messages")


def replace_damaged(path: Path, migrations: Sequence[Migration]) -> ChatsDamaged:
    """Move the damaged file aside, and put a new one with what could be read in its place. Raises OSError."""
    backup = path.with_name(f"{path.stem}-damaged-{time.time_ns()}.db")
    path.replace(backup)
    log = _beside(path, "-wal")
    if log.exists():
        log.replace(_beside(backup, "-wal"))
    _beside(path, "-shm").unlink(missing_ok=True)
    target = sqlite3.connect(path, isolation_level=None)
    try:
        target.execute("PRAGMA journal_mode = WAL")
        migrate(target, path, migrations)
        return ChatsDamaged(path, backup, _copy_readable(backup, target))
    finally:
        target.close()


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _copy_readable(damaged: Path, target: sqlite3.Connection) -> int | None:
    """How many records are known to be lost; None when nothing at all could be read."""
    source = sqlite3.connect(f"{damaged.as_uri()}?mode=ro", uri=True)
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    target.execute("BEGIN")
    try:
        return sum(_copy_table(source, target, table) for table in _TABLES)
    except sqlite3.DatabaseError:
        return None
    finally:
        _adopt_orphans(target)
        target.execute("COMMIT")
        source.close()


def _copy_table(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    """Row by row, as a scan would end at the first damaged page."""
    lost = 0
    there = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
    columns = [row[1] for row in target.execute(f"PRAGMA table_info({table})") if row[1] in there]
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    for id in _ids(source, table):
        try:
            row = source.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE id = ?", (id,)).fetchone()
            if row:
                target.execute(insert, row)
        except (sqlite3.DatabaseError, OverflowError):
            lost += 1
    return lost


def _ids(source: sqlite3.Connection, table: str) -> Iterable[int]:
    try:
        return [row[0] for row in source.execute(f"SELECT id FROM {table} ORDER BY id")]
    except sqlite3.DatabaseError:
        last = source.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return range(1, last[0] + 1) if last else ()


def _adopt_orphans(target: sqlite3.Connection) -> None:
    """Messages whose chat is lost get one without a title."""
    target.execute(
        """
        INSERT INTO conversations (id, title, created, updated)
        SELECT conversation, '', min(created), max(created) FROM messages
        WHERE conversation NOT IN (SELECT id FROM conversations) GROUP BY conversation
        """
    )
