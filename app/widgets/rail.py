"""The strip at the window's edge by which people go from page to page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QVBoxLayout, QWidget

from app.theme.icons import paint_icon
from app.theme.theme import Theme
from app.widgets.icon_button import IconButton

WIDE = 58


@dataclass(frozen=True, slots=True)
class RailEntry:
    """A page as the rail shows it."""

    name: str
    icon: str


class RailButton(QAbstractButton):
    """A page's icon; checked while its page is shown."""

    def __init__(self, theme: Theme, entry: RailEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icon = theme, entry.icon
        self.setCheckable(True)
        self.setAccessibleName(entry.name)
        self.setToolTip(entry.name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        side = self._theme.px(40)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        px, colour = self._theme.px, self._theme.colour
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(colour("accent"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        if self.isChecked():
            painter.setBrush(colour("accent_soft"))
        elif self.underMouse():
            painter.setBrush(colour("hover"))
        painter.drawRoundedRect(whole, px(10), px(10))
        side = px(21)
        place = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        paint_icon(painter, self._icon, place, colour("accent" if self.isChecked() else "muted"))


class AppMark(QWidget):
    """Tonnelle's own sign: an arbour's arch."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self) -> QSize:
        side = self._theme.px(40)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        side = self._theme.px(27)
        painter = QPainter(self)
        place = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        paint_icon(painter, "mark", place, self._theme.colour("accent"))


class Rail(QWidget):
    """The app's mark, the pages, and help at the foot. Signals: page_wanted(number), help_wanted."""

    page_wanted = Signal(int)
    help_wanted = Signal()

    def __init__(self, theme: Theme, entries: Sequence[RailEntry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._group = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.addWidget(AppMark(theme), 0, Qt.AlignmentFlag.AlignHCenter)
        for number, entry in enumerate(entries):
            button = RailButton(theme, entry)
            self._group.addButton(button, number)
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addStretch()
        self.help_button = IconButton(theme, "keyboard", self.tr("Keyboard shortcuts"), side=36)
        self.help_button.clicked.connect(self.help_wanted)
        self._column.addWidget(self.help_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._group.idClicked.connect(self.page_wanted)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_page(self, number: int) -> None:
        self._group.button(number).setChecked(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("rail"))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._theme.colour("border"))

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(0, px(10), 0, px(10))
        self._column.setSpacing(px(8))
        self.setFixedWidth(px(WIDE))
        self.update()
