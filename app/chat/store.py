"""Conversations in SQLite: saved as they happen, found again at the next start."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast, get_args

from app.chat.database import Database, Value
from app.chat.records import Conversation, Measured, Message, MessageState, Role
from app.chat.schema import MIGRATIONS, Migration
from app.errors import NoSuchChat
from engine.errors import Problem

KEPT_DELETED_S = 30 * 24 * 3600
TITLE_LENGTH = 60


class ChatStore:
    """Used from one thread. Several windows may open the same file."""

    def __init__(
        self, path: Path, *, migrations: Sequence[Migration] = MIGRATIONS, now: Callable[[], float] = time.time
    ) -> None:
        self._database = Database(path, migrations)
        self._now = now
        self._database.write("UPDATE messages SET state = 'stopped' WHERE state = 'streaming'")
        self._database.write("DELETE FROM conversations WHERE deleted < ?", now() - KEPT_DELETED_S)

    def close(self) -> None:
        self._database.close()

    def take_problems(self) -> list[Problem]:
        """What went wrong with the file since the last call."""
        problems, self._database.problems = self._database.problems, []
        return problems

    # ------------------------------------------------------------------ conversations

    def conversations(self) -> list[Conversation]:
        """Newest first, without the deleted ones."""
        rows = self._database.read("SELECT * FROM conversations WHERE deleted IS NULL ORDER BY updated DESC, id DESC")
        return [_conversation(row) for row in rows]

    def conversation(self, id: int) -> Conversation:
        """Also a deleted one, until it is purged. Raises NoSuchChat."""
        rows = self._database.read("SELECT * FROM conversations WHERE id = ?", id)
        if not rows:
            raise NoSuchChat("chat", id)
        return _conversation(rows[0])

    def empty_conversation(self) -> Conversation | None:
        """The newest one in which nothing has been said yet."""
        rows = self._database.read(
            """
            SELECT * FROM conversations WHERE deleted IS NULL AND draft = ''
            AND id NOT IN (SELECT conversation FROM messages) ORDER BY updated DESC, id DESC LIMIT 1
            """
        )
        return _conversation(rows[0]) if rows else None

    def create(self, title: str = "") -> Conversation:
        now = self._now()
        made = self._database.write(
            "INSERT INTO conversations (title, created, updated) VALUES (?, ?, ?)", _clean(title), now, now
        )
        return self.conversation(_new_id(made))

    def rename(self, id: int, title: str) -> None:
        self._database.write("UPDATE conversations SET title = ? WHERE id = ?", _clean(title), id)

    def delete(self, id: int) -> None:
        """Hides the conversation; it can be restored for 30 days."""
        self._database.write("UPDATE conversations SET deleted = ? WHERE id = ?", self._now(), id)

    def restore(self, id: int) -> None:
        self._database.write("UPDATE conversations SET deleted = NULL WHERE id = ?", id)

    def set_draft(self, id: int, text: str) -> None:
        self._database.write("UPDATE conversations SET draft = ? WHERE id = ?", _clean(text), id)

    # ------------------------------------------------------------------ messages

    def messages(self, conversation: int) -> list[Message]:
        rows = self._database.read("SELECT * FROM messages WHERE conversation = ? ORDER BY id", conversation)
        return [_message(row) for row in rows]

    def message(self, id: int) -> Message:
        """Raises NoSuchChat."""
        rows = self._database.read("SELECT * FROM messages WHERE id = ?", id)
        if not rows:
            raise NoSuchChat("message", id)
        return _message(rows[0])

    def add_message(
        self,
        conversation: int,
        role: Role,
        content: str,
        state: MessageState = "complete",
        model: str = "",
    ) -> Message:
        """The newest message; the first of the person names the conversation."""
        now, content = self._now(), _clean(content)
        made = self._database.write(
            "INSERT INTO messages (conversation, role, state, created, model, content) VALUES (?, ?, ?, ?, ?, ?)",
            *(conversation, role, state, now, model, content),
        )
        title = title_of(content) if role == "user" else ""
        self._database.write(
            "UPDATE conversations SET updated = ?, title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?",
            *(now, title, conversation),
        )
        return self.message(_new_id(made))

    def update_message(
        self,
        id: int,
        *,
        content: str | None = None,
        state: MessageState | None = None,
        error: str | None = None,
        measured: Measured | None = None,
        model: str | None = None,
    ) -> Message:
        """Changes what is given and returns the message as it is then. Raises NoSuchChat."""
        changes: dict[str, Value] = {
            "content": None if content is None else _clean(content),
            "state": state,
            "error": error,
            "measured": json.dumps(dataclasses.asdict(measured)) if measured else None,
            "model": model,
        }
        given = {name: value for name, value in changes.items() if value is not None}
        if given:
            columns = ", ".join(f"{name} = ?" for name in given)
            self._database.write(f"UPDATE messages SET {columns} WHERE id = ?", *given.values(), id)
        return self.message(id)

    def delete_messages_from(self, message_id: int) -> None:
        """This message and all later ones of its conversation."""
        self._database.write(
            "DELETE FROM messages WHERE conversation = (SELECT conversation FROM messages WHERE id = ?1) AND id >= ?1",
            message_id,
        )


def title_of(text: str) -> str:
    """The first line that says something, shortened at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_LENGTH:
        return line
    cut = line[: TITLE_LENGTH - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut[TITLE_LENGTH // 2 :] else cut).rstrip()}…"


def _clean(text: str) -> str:
    """Lone surrogates, which a paste can bring, are no text that could be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _new_id(cursor: sqlite3.Cursor) -> int:
    return cast(int, cursor.lastrowid)


def _conversation(row: sqlite3.Row) -> Conversation:
    return Conversation(row["id"], row["title"], row["created"], row["updated"], row["draft"])


def _message(row: sqlite3.Row) -> Message:
    """A record with a role or state that we do not know is shown as a failed answer, rather than not at all."""
    role, state, error = row["role"], row["state"], row["error"]
    if role not in get_args(Role) or state not in get_args(MessageState):
        role, state, error = "assistant", "failed", "The record of this message is damaged."
    return Message(
        id=row["id"],
        conversation=row["conversation"],
        role=role,
        content=row["content"],
        state=state,
        created=row["created"],
        model=row["model"],
        error=error,
        measured=_measured(row["measured"]),
    )


def _measured(text: str | None) -> Measured | None:
    try:
        return Measured(**json.loads(text)) if text else None
    except (ValueError, TypeError):
        return None
