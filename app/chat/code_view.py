"""The text of a code block: monospaced, never wrapped, left-to-right, scrolled sideways."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.theme.theme import Theme
from app.widgets.text_view import scrolls

LONGEST_LINE = 4000  # characters after which a line is broken on the screen; the copy stays whole


class CodeView(QPlainTextEdit):
    """Grows by `append_text`; each line is laid out and measured once."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self.document().setDefaultTextOption(option)
        self._measured = 0  # lines whose height is in `_height`
        self._height = 0.0
        self._column = 0  # of the end of the text
        self._waiting = False  # a line break is yet to be added
        self.restyle(theme)

    def restyle(self, theme: Theme) -> None:
        self.setFont(theme.font(mono=True))
        self.document().setDocumentMargin(theme.px(12))
        self._measured, self._height = 0, 0.0

    def append_text(self, text: str) -> str:
        """Add to the end, at the cost of the new text alone; what was added, over-long lines broken.

        A line break at the very end waits for the line it begins.
        """
        text = self._broken(text)
        whole = "\n" * self._waiting + text
        self._waiting = whole.endswith("\n")
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(whole.removesuffix("\n"))
        return text

    def heightForWidth(self, width: int) -> int:
        """As high as the lines, and the scroll bar where the longest is longer than `width`."""
        high = math.ceil(self._content_height() + self.document().documentMargin())
        bar = self.horizontalScrollBar().sizeHint().height()
        return high + (bar if self.document().documentLayout().documentSize().width() > width else 0)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if scrolls(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        bar = self.horizontalScrollBar()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and turned.y():
            bar.setValue(bar.value() - turned.y())
        elif abs(turned.x()) > abs(turned.y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measured, self._height = 0, 0.0

    def _content_height(self) -> float:
        """Sum of the lines' heights, which differ where a line needs another font; the last line may yet grow.

        The margin below is part of the last line, the one above of none.
        """
        last = self.document().lastBlock()
        block = self.document().findBlockByNumber(self._measured)
        while block.isValid() and block != last:
            self._height += self.blockBoundingRect(block).height()
            self._measured += 1
            block = block.next()
        return self._height + self.blockBoundingRect(last).height()

    def _broken(self, text: str) -> str:
        parts = []
        for at, line in enumerate(text.split("\n")):
            if at:
                self._column = 0
                parts.append("\n")
            while self._column + len(line) > LONGEST_LINE:
                room = LONGEST_LINE - self._column
                parts += (line[:room], "\n")
                line, self._column = line[room:], 0
            parts.append(line)
            self._column += len(line)
        return "".join(parts)
