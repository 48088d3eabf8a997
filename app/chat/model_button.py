"""The button that names the model and says what the engine does; it opens the menu of models."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.theme.icons import paint_icon
from app.theme.theme import Theme

DOTS = {"ready": "accent", "reading": "accent", "answering": "accent", "loading": "warning", "starting": "warning"}


class ModelButton(QAbstractButton):
    """Two lines: name, and state after a coloured dot. Gives way in width by eliding the name."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = self._status = ""
        self._phase = "starting"
        self.setObjectName("modelButton")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def show_state(self, name: str, status: str, phase: str) -> None:
        if (name, status, phase) == (self._name, self._status, self._phase):
            return
        self._name, self._status, self._phase = name, status, phase
        self.setText(f"{name}\n{status}")
        self.setAccessibleName(self.tr("Model: {name}, {status}").format(name=name, status=status))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        px = self._theme.px
        wide = max(
            QFontMetrics(self._name_font()).horizontalAdvance(self._name),
            QFontMetrics(self._status_font()).horizontalAdvance(self._status) + px(14),
        )
        return QSize(min(wide + px(52), px(460)), px(44))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(150), self._theme.px(44))

    def paintEvent(self, event: QPaintEvent) -> None:
        px, colour = self._theme.px, self._theme.colour
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("pressed" if self.isDown() else "hover"))
            painter.drawRoundedRect(QRectF(self.rect()), px(9), px(9))
        if self.hasFocus():
            painter.setPen(QPen(colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(9), px(9))
        self._paint_words(painter)

    def _paint_words(self, painter: QPainter) -> None:
        px, colour = self._theme.px, self._theme.colour
        left, room = px(12), self.width() - px(48)
        half = self.height() / 2
        painter.setFont(self._name_font())
        painter.setPen(colour("text"))
        name = painter.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRectF(left, px(4), room, half - px(4)), Qt.AlignmentFlag.AlignVCenter, name)
        side = px(16)
        beside = left + min(room, painter.fontMetrics().horizontalAdvance(name)) + px(6)
        paint_icon(painter, "chevron", QRectF(beside, px(4) + (half - px(4) - side) / 2, side, side), colour("muted"))
        dot = px(7)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(DOTS.get(self._phase, "danger" if self._phase == "dead" else "border_strong")))
        low = QRectF(left, half, room, half - px(4))
        painter.drawEllipse(QRectF(left, low.center().y() - dot / 2, dot, dot))
        painter.setFont(self._status_font())
        painter.setPen(colour("danger" if self._phase == "dead" else "muted"))
        status = painter.fontMetrics().elidedText(self._status, Qt.TextElideMode.ElideRight, room - 2 * dot)
        painter.drawText(low.adjusted(2 * dot, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, status)

    def _name_font(self) -> QFont:
        return self._theme.font(1, QFont.Weight.DemiBold)

    def _status_font(self) -> QFont:
        return self._theme.font(-2)
