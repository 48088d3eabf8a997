"""A flat button that shows one icon."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.theme.icons import paint_icon
from app.theme.theme import Theme


class IconButton(QAbstractButton):
    """Reached by Tab and by mouse; `name` is what a screen reader says and, unless given, the tooltip.

    filled: drawn as a solid disc of the accent colour (the one main action of a place).
    on_tooltip: stands on the colour of tooltips, which is the opposite of the window's.
    """

    def __init__(
        self,
        theme: Theme,
        icon: str,
        name: str,
        side: int = 30,
        filled: bool = False,
        on_tooltip: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._icon, self._side, self._filled = theme, icon, side, filled
        self._on_tooltip = on_tooltip
        self._hovered = False
        self._veiled = False
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._rescale)

    def set_icon(self, icon: str, name: str) -> None:
        self._icon = icon
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.update()

    def set_veiled(self, veiled: bool) -> None:
        """Keep the place but draw nothing, unless the keyboard is on it."""
        if veiled != self._veiled:
            self._veiled = veiled
            self.update()

    @property
    def is_veiled(self) -> bool:
        return self._veiled

    def sizeHint(self) -> QSize:
        side = self._theme.px(self._side)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._veiled and not self.hasFocus():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        radius = whole.height() / 2 if self._filled else self._theme.px(7)
        ground = self._ground()
        if ground is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(whole, radius, radius)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = "on_accent" if self._filled else "on_tooltip" if self._on_tooltip else "accent"
            inset = 3 if self._filled else 0
            painter.setPen(QPen(self._theme.colour(ring), 2))
            painter.drawRoundedRect(whole.adjusted(inset, inset, -inset, -inset), radius - inset, radius - inset)
        size = self._theme.px(18 if self._side >= 30 else 16)
        place = QRectF((self.width() - size) // 2, (self.height() - size) // 2, size, size)
        paint_icon(painter, self._icon, place, self._ink())

    def _ground(self) -> QColor | None:
        if self._filled:
            if not self.isEnabled():
                return self._theme.colour("pressed")
            return self._theme.colour("accent_strong" if self._hovered else "accent")
        if self._on_tooltip:
            return None
        if self.isDown() or self.isChecked():
            return self._theme.colour("pressed")
        return self._theme.colour("hover") if self._hovered and self.isEnabled() else None

    def _ink(self) -> QColor:
        if not self.isEnabled():
            return self._theme.colour("muted")
        if self._filled or self._on_tooltip:
            return self._theme.colour("on_accent" if self._filled else "on_tooltip")
        return self._theme.colour("text" if self._hovered or self.hasFocus() or self.isChecked() else "muted")

    def _rescale(self) -> None:
        self.updateGeometry()
        self.update()
