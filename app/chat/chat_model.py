"""The conversations as a list model: newest first, under headings such as "Today"."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.chat.records import Conversation
from app.chat.when import ago, period

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
CHAT = Qt.ItemDataRole.UserRole  # the Conversation of a row; None for a heading
WHEN = Qt.ItemDataRole.UserRole + 1  # how long ago it was used


class ChatModel(QAbstractListModel):
    """Rows are headings (str) and conversations. Signal: renamed(id, title)."""

    renamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[str | Conversation] = []

    def show(self, conversations: Sequence[Conversation]) -> bool:
        """Take these; true if rows came, went or moved, so that indexes do not hold any more."""
        now = time.time()
        rows: list[str | Conversation] = []
        heading = ""
        for conversation in sorted(conversations, key=lambda each: each.updated, reverse=True):
            if period(conversation.updated, now) != heading:
                heading = period(conversation.updated, now)
                rows.append(heading)
            rows.append(conversation)
        if [_key(row) for row in rows] == [_key(row) for row in self._rows]:
            self._rows = rows
            self.refresh()
            return False
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()
        return True

    def refresh(self) -> None:
        """Titles or times are other ones."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def index_of(self, id: int) -> QModelIndex:
        for at, row in enumerate(self._rows):
            if isinstance(row, Conversation) and row.id == id:
                return self.index(at)
        return QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row if isinstance(row, str) else self._title(row)
        if not isinstance(row, Conversation):
            return None
        if role == CHAT:
            return row
        if role == WHEN:
            return ago(row.updated, time.time())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._title(row)}, {ago(row.updated, time.time())}"
        return self._title(row) if role == Qt.ItemDataRole.ToolTipRole else None

    def _title(self, chat: Conversation) -> str:
        return chat.title or self.tr("New chat")

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self._rows[index.row()] if index.isValid() else ""
        title = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not isinstance(row, Conversation) or not title:
            return False
        if title != row.title:
            self.renamed.emit(row.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self._rows[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


def _key(row: str | Conversation) -> str | int:
    return row if isinstance(row, str) else row.id
