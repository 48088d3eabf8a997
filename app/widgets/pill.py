"""A small floating button with an icon and a word."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.theme.icons import paint_icon
from app.theme.theme import Theme


class Pill(QAbstractButton):
    def __init__(self, theme: Theme, icon: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icon = theme, icon
        self.setText(text)
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        px = self._theme.px
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + px(48), px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        px, colour = self._theme.px, self._theme.colour
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QPen(colour("accent"), 2) if self.hasFocus() else QPen(colour("border_strong"), 1)
        painter.setPen(line)
        painter.setBrush(colour("hover" if self.underMouse() else "surface"))
        whole = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(whole, whole.height() / 2, whole.height() / 2)
        side = px(16)
        paint_icon(painter, self._icon, QRectF(px(13), (self.height() - side) / 2, side, side), colour("accent"))
        painter.setPen(colour("text"))
        words = self.rect().adjusted(px(34), 0, -px(12), 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, self.text())
