"""The list of keyboard shortcuts, made from the table of actions."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QFont, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.widgets.actions import ACTIONS, WIDGET_KEYS, translated
from app.widgets.buttons import TextButton


class KeyCap(QWidget):
    """A key or combination, drawn as a key."""

    def __init__(self, theme: Theme, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._keys = theme, keys
        self.setAccessibleName(keys)
        self.setFont(theme.font(-1))

    def sizeHint(self) -> QSize:
        px = self._theme.px
        return QSize(self.fontMetrics().horizontalAdvance(self._keys) + px(16), px(24))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("border_strong"), 1))
        painter.setBrush(self._theme.colour("surface"))
        cap = QRectF(0.5, 0.5, self.sizeHint().width() - 1, self.height() - 1)
        painter.drawRoundedRect(cap, self._theme.px(5), self._theme.px(5))
        painter.setPen(self._theme.colour("text"))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._keys)


class HelpSheet(QDialog):
    """Esc or Close ends it."""

    def __init__(self, theme: Theme, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.setModal(True)
        groups: dict[str, list[tuple[str, list[str]]]] = {}
        for row in ACTIONS:
            keys = [
                sequence.toString(QKeySequence.SequenceFormat.NativeText) for sequence in actions[row.name].shortcuts()
            ]
            groups.setdefault(row.group, []).append((row.text, keys[:1]))
        for key_row in WIDGET_KEYS:
            groups.setdefault(key_row.group, []).append((key_row.text, list(key_row.keys)))
        self._arrange(groups)

    def _arrange(self, groups: Mapping[str, list[tuple[str, list[str]]]]) -> None:
        px = self._theme.px
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(px(28), px(16), px(28), px(8))
        column.setSpacing(px(4))
        for group, rows in groups.items():
            heading = QLabel(translated(group))
            heading.setFont(self._theme.font(2, QFont.Weight.DemiBold))
            heading.setContentsMargins(0, px(8), 0, px(2))
            column.addWidget(heading)
            column.addLayout(self._grid(rows))
        close = TextButton(self._theme, self.tr("Close"))
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setContentsMargins(px(28), px(10), px(28), px(18))
        foot.addStretch()
        foot.addWidget(close)
        scroll = QScrollArea()
        scroll.setWidget(content)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(self.windowTitle())
        for widget in (scroll.viewport(), content):
            widget.setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(1, 1, 1, 1)
        whole.addWidget(scroll)
        whole.addLayout(foot)
        room = self.screen().availableSize()
        wanted = content.sizeHint()
        bar = scroll.verticalScrollBar().sizeHint().width()
        self.resize(min(wanted.width() + bar, room.width()), min(wanted.height() + px(70), round(room.height() * 0.9)))

    def _grid(self, rows: list[tuple[str, list[str]]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(self._theme.px(40))
        grid.setVerticalSpacing(self._theme.px(5))
        grid.setColumnStretch(0, 1)
        for at, (text, keys) in enumerate(rows):
            grid.addWidget(QLabel(translated(text)), at, 0)
            caps = QHBoxLayout()
            caps.setSpacing(self._theme.px(5))
            caps.addStretch()
            for key in keys:
                caps.addWidget(KeyCap(self._theme, key))
            grid.addLayout(caps, at, 1)
        return grid
