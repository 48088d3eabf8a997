"""Two panes with a line between them that can be dragged."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

USUAL_SIDE = 264


class SideSplitter(QSplitter):
    """A side pane of a kept width, and a main pane that takes the rest."""

    def __init__(self, side: QWidget, main: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._width = USUAL_SIDE
        self.addWidget(side)
        self.addWidget(main)
        self.setHandleWidth(1)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setCollapsible(0, False)
        self.setCollapsible(1, False)
        self.splitterMoved.connect(self._remember)

    @property
    def side_width(self) -> int:
        return self._width

    def set_side_width(self, width: int) -> None:
        self._width = width
        self.setSizes([width, max(1, self.width() - width)])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.set_side_width(self._width)

    def _remember(self, position: int, number: int) -> None:
        self._width = self.sizes()[0]
