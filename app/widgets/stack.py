"""A column of widgets, each as high as its width asks for, without the cost of nested layouts."""

from __future__ import annotations

from PySide6.QtCore import QMargins, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class Stack(QWidget):
    """Places its widgets one below the other. `restacked` follows each change of its height.

    A widget whose own height has changed calls `restack` of the stack that holds it.
    """

    restacked = Signal()

    def __init__(self, spacing: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spacing = spacing
        self._margins = QMargins()
        self._widgets: list[QWidget] = []
        self._wanted = 0
        self._placed_for = -1  # the width for which the widgets are placed

    @property
    def widgets(self) -> list[QWidget]:
        return self._widgets

    def set_spacing(self, spacing: int, margins: QMargins) -> None:
        if (spacing, margins) != (self._spacing, self._margins):
            self._spacing, self._margins = spacing, margins
            self.restack()

    def insert(self, at: int, widget: QWidget) -> None:
        widget.setParent(self)
        self._widgets.insert(at, widget)
        widget.show()

    def add(self, widget: QWidget) -> None:
        self.insert(len(self._widgets), widget)

    def take(self, widget: QWidget) -> None:
        """Remove the widget for good."""
        self._widgets.remove(widget)
        widget.hide()
        widget.setParent(None)
        widget.deleteLater()

    def restack(self) -> None:
        """Place all widgets again; tell those around when the height has changed."""
        height = self._place(self._placed_for if self._placed_for > 0 else self.width())
        if height != self._wanted:
            self._wanted = height
            self.updateGeometry()
            self.restacked.emit()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width != self._placed_for:
            self._wanted = self._place(width)
        return self._wanted

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != self._placed_for:
            self._wanted = self._place(event.size().width())

    def sides(self, widget: QWidget, inner: int) -> tuple[int, int]:
        """Left edge and width of a widget where `inner` pixels are to be had: in the middle, unless it fills them."""
        across = min(inner, widget.maximumWidth())
        return (inner - across) // 2, across

    def _place(self, width: int) -> int:
        self._placed_for = width
        inner = max(1, width - self._margins.left() - self._margins.right())
        top = self._margins.top()
        shown = [widget for widget in self._widgets if not widget.isHidden()]
        for widget in shown:
            left, across = self.sides(widget, inner)
            height = widget.heightForWidth(across) if widget.hasHeightForWidth() else widget.sizeHint().height()
            height = max(height, widget.minimumHeight())
            widget.setGeometry(self._margins.left() + left, top, across, height)
            top += height + self._spacing
        return top - (self._spacing if shown else 0) + self._margins.bottom()
