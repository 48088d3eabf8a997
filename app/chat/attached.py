"""A long text that will be sent below what was written: shown by its size alone."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.chat.captions import count
from app.theme.icons import paint_icon
from app.theme.theme import Theme
from app.widgets.icon_button import IconButton

PREVIEW = 60  # characters of the text's beginning that are shown


class AttachedText(QWidget):
    """Holds one text. Signal: removed."""

    removed = Signal()

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = text
        self._title = " ".join(text[: 4 * PREVIEW].split())[:PREVIEW] + "…"
        lines = self.tr("{n} lines").format(n=count(text.count("\n") + 1))
        letters = self.tr("{n} characters").format(n=count(len(text)))
        self._size = f"{lines} · {letters}"
        self._remove = IconButton(theme, "close", self.tr("Remove this text"), side=24, parent=self)
        self._remove.clicked.connect(self.removed)
        self.setAccessibleName(self.tr("Pasted text, {size}").format(size=self._size))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(260), self._theme.px(46))

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = self._remove.sizeHint().width()
        edge = (self.height() - side) // 2
        self._remove.setGeometry(self.width() - side - edge, edge, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        px, colour = self._theme.px, self._theme.colour
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("border"), 1))
        painter.setBrush(colour("sidebar"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        side = px(20)
        paint_icon(painter, "text", QRectF(px(12), (self.height() - side) / 2, side, side), colour("accent"))
        words = self.rect().adjusted(px(42), px(6), -px(40), -px(6))
        painter.setPen(colour("text"))
        painter.setFont(self._theme.font(-1))
        shown = painter.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, shown)
        painter.setPen(colour("muted"))
        painter.setFont(self._theme.font(-2))
        painter.drawText(words, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, self._size)
