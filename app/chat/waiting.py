"""The line below an answer that is still coming: moving dots, and what the engine is reading."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.theme.theme import Theme
from app.widgets.dots import Dots


class Waiting(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(self)
        self._label.setProperty("tone", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(Dots(theme, self))
        row.addWidget(self._label)
        row.addStretch()
        self._theme = theme
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self.setMinimumHeight(self._theme.px(30))

    def text(self) -> str:
        return self._label.text()

    def say(self, text: str) -> None:
        if text != self._label.text():
            self._label.setText(text)
