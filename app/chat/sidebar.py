"""The list of conversations."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLabel, QListView, QMenu, QVBoxLayout, QWidget

from app.chat.chat_delegate import ChatDelegate
from app.chat.chat_model import CHAT, ChatModel
from app.chat.records import Conversation
from app.theme.icons import icon
from app.theme.theme import Theme
from app.widgets.icon_button import IconButton

REFRESH_MS = 30_000  # "5 min" goes on being true


class ChatList(QListView):
    """Enter or a click opens, F2 renames, Delete deletes. Signals: chosen(id), deleted(id)."""

    chosen = Signal(int)
    deleted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.chats = ChatModel(self)
        self.setModel(self.chats)
        self.setItemDelegate(ChatDelegate(theme, self))
        self.setObjectName("chatList")
        self.setAccessibleName(self.tr("Chats"))
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setUniformItemSizes(False)
        self.customContextMenuRequested.connect(self._open_menu)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def chat_at(self, index: QModelIndex) -> Conversation | None:
        chat = index.data(CHAT)
        return chat if isinstance(chat, Conversation) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chat = self.chat_at(self.currentIndex())
        if event.key() == Qt.Key.Key_Delete and chat is not None:
            self.deleted.emit(chat.id)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chat is not None and not self.is_editing():
            self.chosen.emit(chat.id)
        else:
            super().keyPressEvent(event)

    def menu_for(self, index: QModelIndex) -> QMenu | None:
        chat = self.chat_at(index)
        if chat is None:
            return None
        menu = QMenu(self)
        muted = self._theme.colour("muted")
        rename = menu.addAction(icon("edit", muted, self._theme.px(18)), self.tr("Rename\tF2"))
        rename.triggered.connect(lambda: self.edit(self.chats.index_of(chat.id)))
        delete = menu.addAction(icon("trash", muted, self._theme.px(18)), self.tr("Delete\tDel"))
        delete.triggered.connect(lambda: self.deleted.emit(chat.id))
        return menu

    def is_editing(self) -> bool:
        return self.state() == QAbstractItemView.State.EditingState

    def _choose(self, index: QModelIndex) -> None:
        chat = self.chat_at(index)
        if chat is not None:
            self.chosen.emit(chat.id)

    def _open_menu(self, spot: QPoint) -> None:
        menu = self.menu_for(self.indexAt(spot))
        if menu is not None:
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(self.viewport().mapToGlobal(spot))


class Sidebar(QWidget):
    """Signals: new_chat, opened(id), deleted(id), renamed(id, title), hidden_wanted."""

    new_chat = Signal()
    opened = Signal(int)
    deleted = Signal(int)
    renamed = Signal(int, str)
    hidden_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._open_id: int | None = None
        self._pending: Sequence[Conversation] | None = None  # came while a title is being edited
        self._heading = QLabel(self.tr("Chats"))
        self.hide_button = IconButton(theme, "sidebar", self.tr("Hide the list of chats"))
        self.hide_button.clicked.connect(self.hidden_wanted)
        self.new_button = IconButton(theme, "compose", self.tr("New chat"))
        self.new_button.setObjectName("newChatButton")
        self.new_button.clicked.connect(self.new_chat)
        self.list = ChatList(theme)
        self.list.chosen.connect(self.opened)
        self.list.deleted.connect(self.deleted)
        self.list.chats.renamed.connect(self.renamed)
        self.list.itemDelegate().closeEditor.connect(lambda *_: QTimer.singleShot(0, self, self._show_pending))
        self._empty = QLabel(self.tr("Your chats will be listed here."))
        self._empty.setProperty("tone", "muted")
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._arrange()
        theme.changed.connect(self._restyle)
        self._restyle()
        refresh = QTimer(self)
        refresh.timeout.connect(self.list.chats.refresh)
        refresh.start(REFRESH_MS)

    def show_chats(self, conversations: Sequence[Conversation]) -> None:
        if self.list.is_editing():
            self._pending = conversations
            return
        self._empty.setVisible(not conversations)
        self.list.setVisible(bool(conversations))
        if self.list.chats.show(conversations):
            self.mark_open(self._open_id)

    def mark_open(self, id: int | None) -> None:
        """Select the row of the chat that is open."""
        self._open_id = id
        index = self.list.chats.index_of(id) if id is not None else QModelIndex()
        self.list.setCurrentIndex(index)
        if not index.isValid():
            self.list.clearSelection()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.colour("sidebar"))

    def _show_pending(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            self.show_chats(pending)

    def _arrange(self) -> None:
        self._top = QHBoxLayout()
        self._top.addWidget(self._heading)
        self._top.addStretch()
        self._top.addWidget(self.new_button)
        self._top.addWidget(self.hide_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top)
        column.addWidget(self.list, 1)
        column.addWidget(self._empty, 1)
        self._empty.hide()

    def _restyle(self) -> None:
        px = self._theme.px
        self._top.setContentsMargins(px(18), px(13), px(10), px(9))
        self._top.setSpacing(px(2))
        self._heading.setFont(self._theme.font(2, QFont.Weight.DemiBold))
        self._empty.setContentsMargins(px(24), px(40), px(24), 0)
        self.setMinimumWidth(px(190))
        self.list.scheduleDelayedItemsLayout()
