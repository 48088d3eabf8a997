"""A code block: what language it is, a button that copies it, and the highlighted text."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.chat.code_view import CodeView
from app.chat.highlight import Highlighter
from app.theme.theme import Theme
from app.widgets.icon_button import IconButton

BAR, RADIUS = 32, 9
LOOK_BACK, LOOK_BACK_CHARACTERS = 40, 4000  # how much is read again with a new line
COPIED_MS = 1600


class CodeBlock(QWidget):
    """Grows by `append`; `finish` has all of it highlighted once more."""

    def __init__(self, theme: Theme, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._language = language
        self._text: list[str] = []
        self._lines = [""]  # the newest, as they are on the screen; the last has not ended
        self._first = self._coloured = 0  # number of the first of them; of the first that has no colour yet
        self._label = QLabel(language or self.tr("text"), self)
        self._label.setProperty("tone", "muted")
        self._copy = IconButton(theme, "copy", self.tr("Copy code"), side=26, parent=self)
        self._copy.clicked.connect(self.copy)
        self.view = CodeView(theme, self.tr("Code, {language}").format(language=language or self.tr("text")), self)
        self._highlighter = Highlighter(self.view.document(), language, theme.tokens.syntax)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)

    @property
    def text(self) -> str:
        """The code as the model wrote it, without the line break at its end."""
        return "".join(self._text).removesuffix("\n")

    @property
    def language(self) -> str:
        return self._language

    def append(self, text: str) -> None:
        self._text.append(text)
        first, *others = self.view.append_text(text).split("\n")
        self._lines[-1] += first
        self._lines += others

    def settle(self) -> None:
        """Colour the lines that have ended since the last time, with some above them as context."""
        whole = self._lines[:-1]
        if self._first + len(whole) == self._coloured:
            return
        self._coloured = self._first + len(whole)
        self._highlighter.look_at(self._first, whole)
        keep, size = 1, len(self._lines[-1])
        while keep < min(LOOK_BACK, len(self._lines)) and size < LOOK_BACK_CHARACTERS:
            keep += 1
            size += len(self._lines[-keep])
        self._first += len(self._lines) - keep
        del self._lines[:-keep]

    def finish(self) -> None:
        """The block is whole: highlight all of it."""
        self._highlighter.complete(self.view.toPlainText())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self._copy.set_icon("check", self.tr("Copied"))
        QTimer.singleShot(COPIED_MS, self._copy, lambda: self._copy.set_icon("copy", self.tr("Copy code")))

    def retheme(self, theme: Theme) -> None:
        self.view.restyle(theme)
        self._highlighter.recolour(theme.tokens.syntax)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._theme.px(BAR) + self.view.heightForWidth(width - 2) + 1

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        bar, side = self._theme.px(BAR), self._copy.sizeHint().width()
        self._label.setGeometry(self._theme.px(12), 0, max(0, self.width() - bar * 2), bar)
        self._copy.setGeometry(self.width() - side - (bar - side) // 2, (bar - side) // 2, side, side)
        self.view.setGeometry(1, bar, self.width() - 2, self.height() - bar - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius, bar = self._theme.px(RADIUS), self._theme.px(BAR)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.fillPath(outline, self._theme.colour("code"))
        painter.setClipRect(0, 0, self.width(), bar)
        painter.fillPath(outline, self._theme.colour("code_bar"))
        painter.setClipping(False)
        painter.setPen(QPen(self._theme.colour("border"), 1))
        painter.drawPath(outline)
