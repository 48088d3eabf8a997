"""The field in which the person writes."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QTextBlockFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from app.chat.cleaning import cleaned
from app.theme.theme import Theme

LINE_HEIGHT = 125  # per cent
LIFT = 3  # pixels above the text at 100 %: as much as its last line has below it
LONG_CHARACTERS, LONG_LINES = 20_000, 600  # a text beyond either is kept beside the field, not in it


class Editor(QTextEdit):
    """Plain text. Enter submits, unless it ends the composition of an input method; Shift+Enter breaks the line.

    Signals: submitted; recalled (Up in the empty field); pasted_long(text); focus_changed.
    """

    submitted = Signal()
    recalled = Signal()
    pasted_long = Signal(str)
    focus_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._composing = False
        self.setObjectName("composerInput")
        self.setAccessibleName(self.tr("Message"))
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setStyleSheet("QTextEdit { background: transparent; }")
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(lambda: self.updateGeometry())
        self.restyle()
        self.set_text("")
        theme.changed.connect(self.restyle)

    def restyle(self) -> None:
        self.setViewportMargins(0, self._theme.px(LIFT), 0, 0)
        self.setFont(self._theme.font(2))

    def set_text(self, text: str) -> None:
        """Take the place of what is there; it cannot be undone."""
        self.setPlainText(text)
        self.setUndoRedoEnabled(False)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        spaced = QTextBlockFormat()
        spaced.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(spaced)
        self.setUndoRedoEnabled(True)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def text_height(self) -> int:
        return round(self.document().size().height() + 0.5) + self._theme.px(LIFT)

    def sizeHint(self) -> QSize:
        return QSize(200, max(self.text_height(), self.fontMetrics().lineSpacing()))

    def minimumSizeHint(self) -> QSize:
        return QSize(50, self.fontMetrics().lineSpacing())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and held == Qt.KeyboardModifier.NoModifier:
            if not self._composing:
                self.submitted.emit()
        elif enter and held == Qt.KeyboardModifier.ShiftModifier:
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        elif event.key() == Qt.Key.Key_Up and held == Qt.KeyboardModifier.NoModifier and self.is_empty():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def is_empty(self) -> bool:
        return self.document().isEmpty() and not self._composing

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop: only ever as plain text, and a very long one is handed on instead."""
        text = cleaned(source.text())
        if is_long(text):
            self.pasted_long.emit(text)
        elif text:
            self.insertPlainText(text)
            self.ensureCursorVisible()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()


def is_long(text: str) -> bool:
    """Whether the text is too much for the field."""
    return len(text) > LONG_CHARACTERS or text.count("\n") > LONG_LINES
