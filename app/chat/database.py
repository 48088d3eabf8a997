"""One SQLite file that stays usable: a damaged file is replaced by what can be read of it, and when the disk
cannot be written, work goes on in memory."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from app.chat.rescue import replace_damaged
from app.chat.schema import MIGRATIONS, Migration, migrate, version
from app.errors import ChatsNotSaved, ChatsTooNew
from engine.errors import Problem

Value = str | int | float | None
Home = Literal["file", "memory", "nowhere"]  # of the records; nowhere: in memory, and never written to the file

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OUR_MISTAKES = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISUSE)
_PATIENCE = 2.0  # seconds for another window to finish its write; ours take about a millisecond
_log = logging.getLogger(__name__)


class Database:
    """Reads and writes, each call its own transaction. `problems` are for the person; the reader empties it."""

    def __init__(self, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        self.path = path.absolute()
        self.problems: list[Problem] = []
        self._migrations = migrations
        self._home: Home = "file"
        self._stamp: object = None
        self._connection = self._open_for_certain()

    def read(self, sql: str, *values: Value) -> list[sqlite3.Row]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._survive(error)
            return self._connection.execute(sql, values).fetchall()

    def write(self, sql: str, *values: Value) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except sqlite3.DatabaseError as error:
            self._survive(error)
            return self._connection.execute(sql, values)

    def close(self) -> None:
        """What was kept in memory is written if the disk allows it by now."""
        if self._home == "memory":
            self._write_back()
        self._connection.close()

    # ------------------------------------------------------------------ opening

    def _open_for_certain(self) -> sqlite3.Connection:
        try:
            return self._open()
        except ChatsTooNew as error:
            return self._in_memory(error, "nowhere")
        except (sqlite3.DatabaseError, OSError) as error:
            return self._reopened(error)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = _connect(self.path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            _check_ours(connection)
            migrate(connection, self.path, self._migrations)
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    # ------------------------------------------------------------------ when the file fails

    def _survive(self, error: sqlite3.DatabaseError) -> None:
        """Opens anew what failed. Our own mistakes, and failures of memory, are raised again."""
        if self._home != "file" or _code(error) in _OUR_MISTAKES:
            raise error
        self._connection = self._reopened(error, self._connection)

    def _reopened(self, error: Exception, old: sqlite3.Connection | None = None) -> sqlite3.Connection:
        if _code(error) in _DAMAGED:
            if old:
                old.close()
            try:
                self.problems.append(replace_damaged(self.path, self._migrations).problem())
                return self._open()
            except (sqlite3.DatabaseError, OSError) as second:
                error, old = second, None
        # A migration that failed is a mistake of ours: nothing of this session may touch the file then.
        home: Home = "nowhere" if _code(error) in _OUR_MISTAKES else "memory"
        return self._in_memory(ChatsNotSaved(self.path, str(error)), home, old)

    def _in_memory(
        self, reason: ChatsNotSaved | ChatsTooNew, home: Home, old: sqlite3.Connection | None = None
    ) -> sqlite3.Connection:
        self.problems.append(reason.problem())
        self._home = home
        memory = self._copy(old) if home == "memory" else _connect(":memory:")
        if old:
            old.close()
        migrate(memory, self.path, self._migrations, keep=False)
        memory.execute("PRAGMA foreign_keys = ON")
        self._stamp = _stamp(self.path)
        return memory

    def _copy(self, old: sqlite3.Connection | None) -> sqlite3.Connection:
        """What the file holds, as far as it can be read."""
        memory = _connect(":memory:")
        try:
            with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True)) as file:
                (old or file).backup(memory)
            if version(memory) <= len(self._migrations):
                return memory
        except sqlite3.Error as error:
            _log.warning("%s could not be read into memory: %s", self.path, error)
        memory.close()
        return _connect(":memory:")

    def _write_back(self) -> None:
        """Over the file if nobody has changed it meanwhile, else beside it."""
        unchanged = self._stamp == _stamp(self.path)
        target = self.path if unchanged else self.path.with_name(f"{self.path.stem}-unsaved-{time.time_ns()}.db")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            disk = _connect(target)
            try:
                self._connection.backup(disk)
            finally:
                disk.close()
        except (sqlite3.DatabaseError, OSError) as error:
            _log.error("chats of this session could not be saved in %s: %s", target, error)


def _code(error: Exception) -> int:
    """SQLite's primary result code; of what the operating system refused, "disk I/O error"."""
    unnamed = sqlite3.SQLITE_ERROR if isinstance(error, sqlite3.Error) else sqlite3.SQLITE_IOERR
    return int(getattr(error, "sqlite_errorcode", unnamed)) & 0xFF


def _check_ours(connection: sqlite3.Connection) -> None:
    """An empty file, or one with our tables; anything else counts as damaged."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and not (version(connection) and {"conversations", "messages"} <= tables):
        error = sqlite3.DatabaseError("the file holds other tables than chats")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _connect(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")  # one bad byte must not hide a record
    return connection


def _stamp(path: Path) -> object:
    """Tells whether another process has written the file since."""
    files = (path, path.with_name(path.name + "-wal"))
    return tuple((file.stat().st_size, file.stat().st_mtime_ns) if file.exists() else None for file in files)
