"""Three dots that breathe: something is being worked on."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QStyle, QWidget

from app.theme.theme import Theme

FRAME_MS, PERIOD = 80, 14  # one breath is so many frames


class Dots(QWidget):
    """Moves only while visible, and not at all where the system asks for less motion."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._frame = 0
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._advance)

    @property
    def is_moving(self) -> bool:
        return self._timer.isActive()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(30), self._theme.px(12))

    def showEvent(self, event: QShowEvent) -> None:
        if self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0:
            self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent"))
        side, step = self._theme.px(6), self._theme.px(11)
        for at in range(3):
            phase = 2 * math.pi * (self._frame - at * 3) / PERIOD
            painter.setOpacity(0.65 + 0.35 * math.sin(phase))
            painter.drawEllipse(QRectF(at * step, (self.height() - side) / 2, side, side))

    def _advance(self) -> None:
        self._frame = (self._frame + 1) % PERIOD
        self.update()
