"""A ring that fills: how much of a whole is used."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.theme import Theme

NEARLY_FULL = 0.85


class Meter(QWidget):
    """The ring and a short text beside it; `set_value` also says it in words for the tooltip."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share = 0.0
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def set_value(self, share: float, text: str, words: str) -> None:
        """share: 0 to 1 of the whole."""
        if (share, text) != (self._share, self._text):
            self._share, self._text = min(1.0, max(0.0, share)), text
            self.setToolTip(words)
            self.setAccessibleName(words)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        px = self._theme.px
        self.setFont(self._theme.font(-1))
        return QSize(self.fontMetrics().horizontalAdvance(self._text) + px(28), px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        px, colour = self._theme.px, self._theme.colour
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side, thick = px(16), self._theme.px(3)
        ring = QRectF(px(2), (self.height() - side) / 2, side, side)
        pen = QPen(colour("border_strong"), thick)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawEllipse(ring)
        pen.setColor(colour("warning" if self._share >= NEARLY_FULL else "accent"))
        painter.setPen(pen)
        if self._share > 0:
            painter.drawArc(ring, 90 * 16, -round(max(self._share, 0.01) * 360 * 16))
        painter.setPen(colour("muted"))
        words = self.rect().adjusted(px(25), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text)
