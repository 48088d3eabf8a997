"""Read-only rich text that is as high as its contents and scrolls with whatever holds it."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QKeyEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget


class TextView(QTextBrowser):
    """Text that can be selected and copied; links are only announced (`anchorClicked`), never followed or fetched."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)  # else it lays out anew for its own width at will
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.highlighted.connect(self._show_address)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
        return math.ceil(self.document().size().height())

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing: text of a model must not open files."""
        return None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if scrolls(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def _show_address(self, address: QUrl) -> None:
        self.setToolTip(address.toString() if not address.isEmpty() else "")


def scrolls(event: QKeyEvent) -> bool:
    """Whether the key is meant for the list around a text: one that moves, without Shift to select."""
    key = Qt.Key
    moves = (key.Key_Home, key.Key_End, key.Key_PageUp, key.Key_PageDown, key.Key_Up, key.Key_Down)
    return event.key() in moves and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
