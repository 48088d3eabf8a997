"""A rounded panel that says something important and offers what can be done."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.theme.icons import paint_icon
from app.theme.theme import Theme

Tone = Literal["danger", "warning"]


class Card(QWidget):
    """An icon, a sentence in bold, a remedy below it, and buttons at the bottom."""

    def __init__(self, theme: Theme, tone: Tone, icon: str = "alert", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._tone, self._icon = theme, tone, icon
        self.sentence = self._label()
        self.remedy = self._label()
        self._row = QHBoxLayout()
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.sentence)
        self._column.addWidget(self.remedy)
        self._column.addLayout(self._row)
        self._row.addStretch()
        self._restyle()
        theme.changed.connect(self._restyle)

    def say(self, sentence: str, remedy: str = "") -> None:
        self.sentence.setText(sentence)
        self.remedy.setText(remedy)
        self.sentence.setAccessibleName(sentence)
        self.remedy.setAccessibleName(remedy)
        self.remedy.setVisible(bool(remedy))
        self.setAccessibleName(f"{sentence} {remedy}".strip())

    def add_button(self, button: QWidget) -> None:
        self._row.insertWidget(self._row.count() - 1, button)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self._theme.colour(f"{self._tone}_soft"))
        painter.setPen(QPen(self._theme.colour("border"), 1))
        radius = self._theme.px(10)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        side = self._theme.px(20)
        place = QRectF(self._theme.px(14), self._theme.px(13), side, side)
        paint_icon(painter, self._icon, place, self._theme.colour(self._tone))

    def _label(self) -> QLabel:
        label = QLabel(self)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        return label

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(46), px(13), px(16), px(13))
        self._column.setSpacing(px(5))
        self._row.setSpacing(px(8))
        self._row.setContentsMargins(0, px(5), 0, 0)
        self.sentence.setFont(self._theme.font(1, QFont.Weight.DemiBold))
        self.update()
