"""A message of the person: a soft bubble at the right, its text exactly as it was written."""

from __future__ import annotations

import math

from PySide6.QtCore import QMargins, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from app.bridge.state import EngineState
from app.chat.captions import count
from app.chat.direction import direction
from app.chat.prose_style import ProseStyle
from app.chat.records import Message
from app.chat.row import Row
from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from app.widgets.stack import Stack
from app.widgets.text_view import TextView

FIRST_SHOWN, MORE_SHOWN = 6_000, 24_000  # characters of a long message shown at first, and with each click
LONGEST_LINE = 4_000
WIDE = 4_000  # pixels; wider than any bubble
WIDEST = 0.82  # of the column


class PlainText(TextView):
    """Text without any markup; each line takes the direction of its first strong letter."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._theme = theme

    def show_text(self, text: str) -> None:
        style = ProseStyle(self._theme)
        self.document().clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for at, line in enumerate(text.split("\n")):
            for start in range(0, len(line) or 1, LONGEST_LINE):
                block = style.block(0, 0, direction(line))
                if at or start:
                    cursor.insertBlock(block)
                else:
                    cursor.setBlockFormat(block)
                cursor.insertText(line[start : start + LONGEST_LINE], style.body())
        cursor.endEditBlock()

    def natural_width(self) -> int:
        """How wide the longest line would like to be."""
        self.setLineWrapColumnOrWidth(WIDE)
        return math.ceil(self.document().idealWidth()) + 1


class Bubble(Stack):
    """The rounded ground, the text, and a button for more of a long one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._whole = ""
        self._shown = 0
        self._natural = 0
        self.text = PlainText(theme, self.tr("Your message"), self)
        self.more_button = TextButton(theme, "", "quiet", self)
        self.more_button.clicked.connect(self._show_more)
        self.add(self.text)
        self.add(self.more_button)

    def show_text(self, text: str) -> None:
        self._whole, self._shown = text, min(len(text), FIRST_SHOWN)
        self._render()

    def retheme(self) -> None:
        self._render()

    def natural_width(self) -> int:
        return self._natural + 2 * self._theme.px(16)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("bubble"))
        radius = self._theme.px(16)
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)

    def _show_more(self) -> None:
        self._shown = min(len(self._whole), self._shown + MORE_SHOWN)
        self._render()

    def _render(self) -> None:
        across, above, below = (self._theme.px(each) for each in (16, 12, 5))  # the last line has its gap below it
        self.text.show_text(self._whole[: self._shown])
        self._natural = self.text.natural_width()
        left = len(self._whole) - self._shown
        self.more_button.setVisible(left > 0)
        self.more_button.say(self.tr("Show more ({count} characters)").format(count=count(left)))
        self.set_spacing(self._theme.px(6), QMargins(across, above, across, below))
        self.restack()


class Question(Row):
    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, right=True, parent=parent)
        self._bubble = Bubble(theme, self)
        self._bubble.restacked.connect(self.restack)
        self.add(self._bubble)
        self.add(self.footer)
        self.setAccessibleName(self.tr("Your message"))
        self.change(message)

    @property
    def bubble(self) -> Bubble:
        return self._bubble

    def change(self, message: Message) -> None:
        self.message = message
        self._bubble.show_text(message.content)
        self.set_spacing(self._theme.px(2), QMargins())

    def set_place(self, last: bool, state: EngineState) -> None:
        self.last = last
        idle = state.phase not in ("reading", "answering")
        self.footer.offer(regenerate=False, edit=last and idle, resume="", always=False)

    def retheme(self) -> None:
        self._bubble.retheme()
        self.set_spacing(self._theme.px(2), QMargins())

    def sides(self, widget: QWidget, inner: int) -> tuple[int, int]:
        if widget is not self._bubble:
            return 0, inner
        across = min(round(inner * WIDEST), self._bubble.natural_width())
        return inner - across, across
