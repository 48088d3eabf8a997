"""An answer of the model: full width, its text in blocks, a caption and actions below."""

from __future__ import annotations

from PySide6.QtCore import QMargins
from PySide6.QtWidgets import QWidget

from app.bridge.state import EngineState
from app.chat.answer_body import AnswerBody
from app.chat.captions import can_continue, progress, split_error, under_answer
from app.chat.records import Message
from app.chat.row import Row
from app.chat.waiting import Waiting
from app.theme.theme import Theme
from app.widgets.announce import announce
from app.widgets.card import Card


class Answer(Row):
    """Grows by `extend` while the message is streaming."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, right=False, parent=parent)
        self._fed: list[str] = []
        self._body = self._new_body()
        self.waiting = Waiting(theme, self)
        self._error = Card(theme, "danger", parent=self)
        for widget in (self._body, self._error, self.waiting, self.footer):
            self.add(widget)
        self.setAccessibleName(self.tr("Answer"))
        self.change(message)
        self.retheme_margins()

    @property
    def body(self) -> AnswerBody:
        return self._body

    def content(self) -> str:
        return "".join(self._fed)

    def extend(self, text: str) -> None:
        self._fed.append(text)
        self._body.show()
        self._body.feed(text)

    def change(self, message: Message) -> None:
        was, self.message = self.message, message
        shown = self.content()
        resumed = message.state == "streaming" and was.state != "streaming"
        if resumed or not message.content.startswith(shown) or (was.state != "streaming" and message.content != shown):
            self._rebuild()
            shown = ""
        if len(message.content) > len(shown):
            self.extend(message.content[len(shown) :])
        if message.state == "streaming":
            self._body.flush()
        else:
            self._body.finish()
        if message.state != was.state:
            announce(self, self.tr("Generating") if message.state == "streaming" else self.tr("Finished"))
        self._show_state()

    def set_place(self, last: bool, state: EngineState) -> None:
        self.last = last
        self.waiting.say(progress(state))
        ready = last and state.phase == "ready"
        words = self.tr("Continue") if self.content().strip() else self.tr("Try again")
        resume = words if ready and can_continue(self.message) else ""
        self.footer.offer(regenerate=ready and bool(self._fed), edit=False, resume=resume, always=last)
        told_below = state.problem is not None and str(state.problem) == self.message.error
        self._error.setVisible(self._has_failed() and not told_below)
        self.restack()

    def retheme(self) -> None:
        self._body.retheme()
        self.retheme_margins()

    def retheme_margins(self) -> None:
        self.set_spacing(self._theme.px(8), QMargins())

    def _new_body(self) -> AnswerBody:
        body = AnswerBody(self._theme, self)
        body.restacked.connect(self.restack)
        return body

    def _rebuild(self) -> None:
        """The text is another one: begin again."""
        old, self._body = self._body, self._new_body()
        self.insert(0, self._body)
        self.take(old)
        self._fed.clear()

    def _has_failed(self) -> bool:
        return self.message.state == "failed" and bool(self.message.error)

    def _show_state(self) -> None:
        streaming = self.message.state == "streaming"
        self.waiting.setVisible(streaming)
        self._body.setVisible(bool(self._fed))
        sentence, remedy = split_error(self.message.error)
        self._error.say(sentence, remedy)
        self._error.setVisible(self._has_failed())
        self.footer.caption.say(under_answer(self.message))
        self.footer.setVisible(not streaming)
        self.restack()
