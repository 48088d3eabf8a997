"""The list of messages. Of a long chat only a stretch around what is seen has widgets."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMargins, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.bridge.state import EngineState
from app.chat.answer import Answer
from app.chat.captions import progress
from app.chat.question import Question
from app.chat.records import Message
from app.chat.row import Row
from app.chat.stretch import Stretch
from app.theme.theme import Theme
from app.widgets.pill import Pill
from app.widgets.stack import Stack

COLUMN = 780  # most pixels that a line of text is wide, at 100 %
SIDE, TOP, BOTTOM, GAP = 28, 24, 16, 8
NEAR = 24  # pixels from the end that still count as the end
AHEAD = 1.5  # heights of the view that are kept ready beyond what is seen


class MessageView(QScrollArea):
    """Follows new text while its end is in sight, and stays where it is otherwise.

    Signals: regenerate, edit (of the last own message), resume (continue the last answer).
    """

    regenerate = Signal()
    edit = Signal()
    resume = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._messages: list[Message] = []
        self._grown: dict[int, list[str]] = {}  # text that arrived since the message was last given whole
        self._rows: dict[int, Row] = {}
        self._stretch = Stretch(0, 0, 0)
        self._state = EngineState("starting")
        self._following = True
        self._anchoring = False
        self._ringed = False  # the keyboard brought the focus here: show it
        self.setAccessibleName(self.tr("Messages"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self._column = Stack()
        self._column.setAutoFillBackground(False)
        self.setWidget(self._column)
        self._column.restacked.connect(self._fit)
        self.jump = Pill(theme, "down", self.tr("Jump to latest"), self)
        self.jump.setToolTip(self.tr("Jump to latest (End)"))
        self.jump.clicked.connect(self.jump_to_latest)
        self.jump.hide()
        self._more = QTimer(self)
        self._more.setSingleShot(True)
        self._more.setInterval(0)
        self._more.timeout.connect(self._keep_ready)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._range_changed)
        theme.changed.connect(self._retheme)

    # ---------------------------------------------------------------- contents

    @property
    def messages(self) -> Sequence[Message]:
        return self._messages

    @property
    def rows(self) -> Sequence[Row]:
        """The messages that have widgets, in order."""
        return [row for row in self._column.widgets if isinstance(row, Row)]

    @property
    def following(self) -> bool:
        return self._following

    def open(self, messages: Sequence[Message]) -> None:
        """Show another chat, at its end."""
        self._messages = list(messages)
        self._grown.clear()
        self.jump_to_latest()

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self._move_to(self._stretch.appended())
        if message.role == "user":
            self.jump_to_latest()

    def change(self, message: Message) -> None:
        at = self._index(message.id)
        if at is None:
            return
        self._messages[at] = message
        self._grown.pop(message.id, None)
        if message.id in self._rows:
            self._rows[message.id].change(message)
            self._settle_places()

    def extend(self, id: int, text: str) -> None:
        self._grown.setdefault(id, []).append(text)
        row = self._rows.get(id)
        if isinstance(row, Answer):
            row.extend(text)

    def remove(self, id: int) -> None:
        at = self._index(id)
        if at is None:
            return
        del self._messages[at]
        if id in self._rows:
            self._drop(id)
        now = self._stretch
        first, last = (edge - (edge > at) for edge in (now.first, now.last))
        self._stretch = Stretch(first, last, len(self._messages))
        self._settle_places()
        self._column.restack()

    def set_state(self, state: EngineState) -> None:
        was, self._state = self._state, state
        if (was.phase, progress(was)) != (state.phase, progress(state)):
            self._settle_places()

    def last_answer(self) -> Message | None:
        return next((message for message in reversed(self._messages) if message.role == "assistant"), None)

    def last_question(self) -> Message | None:
        return next((message for message in reversed(self._messages) if message.role == "user"), None)

    def text_of(self, message: Message) -> str:
        """The message's text with what has arrived since."""
        return message.content + "".join(self._grown.get(message.id, ()))

    def last_code(self) -> str | None:
        """The newest code block among the messages that have widgets."""
        answers = [row for row in self.rows if isinstance(row, Answer)]
        found = (answer.body.last_code() for answer in reversed(answers))
        return next((code for code in found if code is not None), None)

    # ---------------------------------------------------------------- scrolling

    def jump_to_latest(self) -> None:
        self._following = True
        if not self._stretch.at_end or self._stretch.total != len(self._messages) or not self._rows:
            self._clear()
            self._move_to(Stretch.newest(len(self._messages)))
        self._to_end()
        self.jump.hide()
        self._more.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if event.key() == Qt.Key.Key_End:
            self.jump_to_latest()
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ringed = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._ringed and self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refit()
        self._place_jump()

    def _scrolled(self, value: int) -> None:
        if self._anchoring:
            return
        bar = self.verticalScrollBar()
        self._following = self._stretch.at_end and value >= bar.maximum() - self._theme.px(NEAR)
        self.jump.setVisible(not self._following)
        self._more.start()

    def _range_changed(self) -> None:
        if self._following:
            self._to_end()

    def _to_end(self) -> None:
        self._anchoring = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._anchoring = False

    def _place_jump(self) -> None:
        size = self.jump.sizeHint()
        left = (self.viewport().width() - size.width()) // 2
        self.jump.setGeometry(left, self.height() - size.height() - self._theme.px(10), size.width(), size.height())
        self.jump.raise_()

    # ---------------------------------------------------------------- which messages have widgets

    def _keep_ready(self) -> None:
        """Give widgets to a few messages beyond what is seen, if they are near."""
        bar, ahead = self.verticalScrollBar(), AHEAD * self.viewport().height()
        now = self._stretch
        if now.first > 0 and bar.value() < ahead:
            self._move_to(now.earlier())
        elif not now.at_end and bar.maximum() - bar.value() < ahead:
            self._move_to(now.later())
        if self._stretch != now:
            self._more.start()

    def _move_to(self, wanted: Stretch) -> None:
        """Make and drop widgets so that just this stretch has them; what is seen stays where it is."""
        anchor = None if self._following else self._anchor(wanted)
        before = anchor.y() if anchor else 0
        keep = {message.id for message in self._messages[wanted.first : wanted.last]}
        for id in [id for id in self._rows if id not in keep]:
            self._drop(id)
        for at, message in enumerate(self._messages[wanted.first : wanted.last]):
            if message.id not in self._rows:
                self._rows[message.id] = row = self._new_row(message)
                self._column.insert(at, row)
        self._stretch = wanted
        self._settle_places()
        self._anchoring = True
        self._column.restack()
        self._fit()
        if anchor:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + anchor.y() - before)
        self._anchoring = False
        if self._following:
            self._to_end()

    def _anchor(self, wanted: Stretch) -> Row | None:
        """The first row in sight that will stay."""
        keep = {message.id for message in self._messages[wanted.first : wanted.last]}
        top = self.verticalScrollBar().value()
        return next((row for row in self.rows if row.geometry().bottom() >= top and row.message.id in keep), None)

    def _new_row(self, message: Message) -> Row:
        row: Row
        if message.role == "user":
            row = Question(self._theme, message, self._column)
        else:
            row = Answer(self._theme, message, self._column)
            for text in self._grown.get(message.id, ()):
                row.extend(text)
        row.restacked.connect(self._column.restack)
        row.regenerate.connect(self.regenerate)
        row.edit.connect(self.edit)
        row.resume.connect(self.resume)
        return row

    def _drop(self, id: int) -> None:
        self._column.take(self._rows.pop(id))

    def _clear(self) -> None:
        for id in list(self._rows):
            self._drop(id)

    def _index(self, id: int) -> int | None:
        backwards = reversed(range(len(self._messages)))
        return next((at for at in backwards if self._messages[at].id == id), None)

    def _settle_places(self) -> None:
        """Tell the rows which of them are the newest."""
        newest = {message.id for message in (self.last_answer(), self.last_question()) if message is not None}
        final = self._messages[-1].id if self._messages else None
        for id, row in self._rows.items():
            last = id in newest if row.message.role == "user" else id == final
            row.set_place(last, self._state)

    # ---------------------------------------------------------------- sizes

    def _refit(self) -> None:
        """Margins for the present width: the column is centred and never too wide to read."""
        px, width = self._theme.px, self.viewport().width()
        side = max(px(SIDE), (width - px(COLUMN)) // 2)
        self._column.set_spacing(px(GAP), QMargins(side, px(TOP), side, px(BOTTOM)))
        self._fit()

    def _fit(self) -> None:
        width = self.viewport().width()
        height = max(self._column.heightForWidth(width), 1)
        if self._column.height() != height or self._column.width() != width:
            self._column.resize(width, height)

    def _retheme(self) -> None:
        for row in self.rows:
            row.retheme()
        self._refit()
        self._place_jump()
