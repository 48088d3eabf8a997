"""Holds one widget in the middle of its width, and is there only while that widget is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QObject
from PySide6.QtWidgets import QHBoxLayout, QWidget


class Centred(QWidget):
    """The widget gets all the width up to its maximum."""

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widget = widget
        self._row = QHBoxLayout(self)
        self._row.addStretch(1)
        self._row.addWidget(widget, 1000)
        self._row.addStretch(1)
        self.setVisible(not widget.isHidden())
        widget.installEventFilter(self)

    def set_size(self, widest: int, margins: QMargins) -> None:
        self._widget.setMaximumWidth(widest)
        self._row.setContentsMargins(margins)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.setVisible(event.type() == QEvent.Type.ShowToParent)
        return super().eventFilter(watched, event)
