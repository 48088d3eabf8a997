"""Buttons that show words."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.theme.theme import Theme

Kind = Literal["plain", "primary", "quiet", "toast"]

# Of each kind: ground, ground when pointed at, ink, edge; names of tokens, "" for none.
LOOKS = {
    "plain": ("surface", "hover", "text", "border_strong"),
    "primary": ("accent", "accent_strong", "on_accent", ""),
    "quiet": ("", "hover", "accent", ""),
    "toast": ("", "", "on_tooltip", "muted"),
}
OFF = ("hover", "hover", "muted", "border")
RADIUS, DOWN, ACROSS = 8, 6, 13  # pixels at 100 %


class TextButton(QPushButton):
    """primary: the one thing to do here; quiet: without a frame; toast: on the colour of tooltips.

    Reached by Tab; Enter and Space press it.
    """

    def __init__(self, theme: Theme, text: str, kind: Kind = "plain", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme, self._kind = theme, kind
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAutoDefault(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def say(self, text: str) -> None:
        self.setText(text)
        self.setAccessibleName(text)

    def sizeHint(self) -> QSize:
        px, metrics = self._theme.px, self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 2 * px(ACROSS), metrics.height() + 2 * px(DOWN))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colour, radius = self._theme.colour, self._theme.px(RADIUS)
        ground, pointed, ink, edge = LOOKS[self._kind] if self.isEnabled() else OFF
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        shown = pointed if self.underMouse() or self.isDown() else ground
        painter.setBrush(colour(shown) if shown else Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour(edge), 1) if edge else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(whole, radius, radius)
        if self.hasFocus():
            self._paint_ring(painter, whole, radius)
        painter.setPen(colour(ink))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())

    def _paint_ring(self, painter: QPainter, whole: QRectF, radius: float) -> None:
        """At the edge; inside it where the button is as dark as the ring would be."""
        ring = {"primary": "on_accent", "toast": "on_tooltip"}.get(self._kind, "accent")
        inset = 3 if self._kind == "primary" else 0.5
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.colour(ring), 2))
        painter.drawRoundedRect(whole.adjusted(inset, inset, -inset, -inset), radius - inset, radius - inset)

    def _restyle(self) -> None:
        self.setFont(self._theme.font(0, QFont.Weight.Medium))
        self.updateGeometry()
        self.update()
