"""The open chat: header, banner, messages or welcome, the card of a dead engine, and the composer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMargins
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.bridge.state import EngineState
from app.chat.banner import Banner
from app.chat.captions import can_continue
from app.chat.composer import Composer
from app.chat.dead_card import DeadCard
from app.chat.header import Header
from app.chat.records import Conversation, Message
from app.chat.view import MessageView
from app.chat.welcome import Welcome
from app.theme.theme import Theme
from app.widgets.centred import Centred

WIDEST = 780 + 36  # pixels at 100 %: the composer's edge lies a little outside the text of the messages


class Panel(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = EngineState("starting")
        self.header = Header(theme)
        self.banner = Banner(theme)
        self.view = MessageView(theme)
        self.welcome = Welcome(theme)
        self.welcome.folder_wanted.connect(self.header.choose_folder)
        self.welcome.file_wanted.connect(self.header.choose_file)
        self.dead = DeadCard(theme)
        self.composer = Composer(theme)
        self._middle = QStackedWidget()
        self._middle.addWidget(self.welcome)
        self._middle.addWidget(self.view)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._centred = [Centred(widget) for widget in (self.banner, self.dead, self.composer)]
        self._column.addWidget(self.header)
        self._column.addWidget(self._centred[0])
        self._column.addWidget(self._middle, 1)
        self._column.addWidget(self._centred[1])
        self._column.addWidget(self._centred[2])
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def busy(self) -> bool:
        """An answer is wanted or given, here or in another chat."""
        messages = self.view.messages
        waiting = bool(messages) and messages[-1].state == "streaming"
        return waiting or self._state.phase in ("reading", "answering")

    def open(self, conversation: Conversation, messages: Sequence[Message]) -> None:
        self.view.open(messages)
        self.composer.open(conversation.draft)
        self.refresh()

    def show_state(self, state: EngineState) -> None:
        if (state.phase, self._state.phase) == ("ready", "loading"):
            self.banner.hide()  # what went wrong before is over
        self._state = state
        self.banner.leave_to_others(state.problem if state.phase == "dead" else None)
        self.header.show_state(state)
        self.view.set_state(state)
        self.refresh()

    def refresh(self, _changed: object = None) -> None:
        """Bring all that depends on both messages and engine up to date."""
        messages = self.view.messages
        self._middle.setCurrentWidget(self.view if messages else self.welcome)
        self.welcome.show_state(self._state)
        self.dead.show_state(self._state, resumable=bool(messages) and can_continue(messages[-1]))
        self.composer.set_state(self._state, waiting=self.busy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.composer.set_room(self.height())

    def _restyle(self) -> None:
        px = self._theme.px
        for holder, (top, bottom) in zip(self._centred, ((10, 0), (0, 8), (2, 18)), strict=True):
            holder.set_size(px(WIDEST), QMargins(px(16), px(top), px(16), px(bottom)))
        self.setMinimumWidth(px(360))
