"""A thin line that fills from one side: work under way above the page it concerns."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

from app.theme.theme import Theme

FRAME_MS, STEPS = 40, 45
PIECE = 0.3  # of the width: the piece that runs along while the amount is unknown


class ProgressLine(QWidget):
    """Keeps its place while idle, so that nothing moves when work begins."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share: float | None = None
        self._busy = False
        self._frame = 0
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_progress(self, busy: bool, share: float | None) -> None:
        """share: 0 to 1 done; None while that is not known."""
        if (busy, share) != (self._busy, self._share):
            self._busy, self._share = busy, share
            self._run()
            self.update()

    @property
    def is_moving(self) -> bool:
        return self._timer.isActive()

    def sizeHint(self) -> QSize:
        return QSize(100, 3)

    def showEvent(self, event: QShowEvent) -> None:
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), self._theme.colour("border"))
        if not self._busy:
            return
        if self._share is not None:
            place = QRectF(0, 0, self.width() * self._share, self.height())
        else:
            start = (1 + PIECE) * self._frame / STEPS - PIECE
            place = QRectF(self.width() * start, 0, self.width() * PIECE, self.height())
        painter.fillRect(place, self._theme.colour("accent"))

    def _run(self) -> None:
        moving = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        if self._busy and self._share is None and self.isVisible() and moving:
            self._timer.start()
        else:
            self._timer.stop()
            self._frame = STEPS // 2

    def _advance(self) -> None:
        self._frame = (self._frame + 1) % STEPS
        self.update()
