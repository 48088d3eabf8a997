"""A short notice over the page that goes by itself, with a way to undo what it tells."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from app.widgets.icon_button import IconButton

STAY_MS = 10_000


class Toast(QWidget):
    """Stays ten seconds, longer while it is pointed at."""

    dismissed = Signal()

    def __init__(self, theme: Theme, text: str, undo_label: str, undo: Callable[[], object] | None, parent: QWidget):
        super().__init__(parent)
        self._theme = theme
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(STAY_MS)
        self._timer.timeout.connect(self.dismiss)
        self._timer.start()
        self.setAccessibleName(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(16), theme.px(7), theme.px(7), theme.px(7))
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setMaximumWidth(theme.px(420))
        label.setStyleSheet(f"color: {theme.tokens.on_tooltip};")
        row.addWidget(label)
        if undo is not None:
            row.addWidget(self._undo_button(undo_label, undo))
        close = IconButton(theme, "close", self.tr("Dismiss"), side=26, on_tooltip=True)
        close.clicked.connect(self.dismiss)
        row.addWidget(close)

    def dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()
        self.deleteLater()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._timer.start()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("tooltip"))
        painter.drawRoundedRect(QRectF(self.rect()), self._theme.px(10), self._theme.px(10))

    def _undo_button(self, label: str, undo: Callable[[], object]) -> TextButton:
        button = TextButton(self._theme, label, "toast", self)
        button.clicked.connect(undo)
        button.clicked.connect(self.dismiss)
        return button


class Toasts(QObject):
    """Places the toasts of a page one above the other over its lower end."""

    def __init__(self, theme: Theme, page: QWidget) -> None:
        super().__init__(page)
        self._theme, self._page = theme, page

    def show(self, text: str, undo_label: str = "", undo: Callable[[], object] | None = None) -> Toast:
        toast = Toast(self._theme, text, undo_label, undo, self._page)
        toast.dismissed.connect(self.place)
        self.place(toast)  # first: where it is made the pointer may be, and pointing at it keeps it
        toast.show()
        return toast

    def visible(self) -> list[Toast]:
        return [toast for toast in self._page.findChildren(Toast) if not toast.isHidden()]

    def place(self, coming: Toast | None = None) -> None:
        bottom = self._page.height() - self._theme.px(120)
        for toast in reversed([*self.visible(), *([coming] if coming else [])]):
            toast.adjustSize()
            toast.move((self._page.width() - toast.width()) // 2, bottom - toast.height())
            toast.raise_()
            bottom -= toast.height() + self._theme.px(8)
