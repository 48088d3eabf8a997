"""What every message in the list has in common."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.bridge.state import EngineState
from app.chat.footer import Footer
from app.chat.records import Message
from app.theme.theme import Theme
from app.widgets.stack import Stack

COPIED_MS = 1600


class Row(Stack):
    """One message. `last`: it is the newest of its role, which offers more.

    Signals: regenerate, edit, resume.
    """

    regenerate = Signal()
    edit = Signal()
    resume = Signal()

    def __init__(self, theme: Theme, message: Message, right: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self.message = message
        self.last = False
        self.footer = Footer(theme, right, self)
        self.footer.copy.connect(self.copy)
        self.footer.regenerate.connect(self.regenerate)
        self.footer.edit.connect(self.edit)
        self.footer.resume.connect(self.resume)

    def change(self, message: Message) -> None:
        """Show the message as it is now."""
        raise NotImplementedError

    def set_place(self, last: bool, state: EngineState) -> None:
        """Take note of whether it is the newest, and of what the engine does."""
        raise NotImplementedError

    def retheme(self) -> None:
        raise NotImplementedError

    def content(self) -> str:
        return self.message.content

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.content())
        self.footer.show_copied(True)
        QTimer.singleShot(COPIED_MS, self.footer, lambda: self.footer.show_copied(False))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.footer.reveal(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.footer.reveal(False)
        super().leaveEvent(event)
