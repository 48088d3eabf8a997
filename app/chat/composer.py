"""Where the person writes: the field, long pasted texts above it, and Send or Stop."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.bridge.state import EngineState
from app.chat.attached import AttachedText
from app.chat.editor import Editor, is_long
from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from app.widgets.icon_button import IconButton

DRAFT_MS = 300  # the draft is handed on so long after the last change
SHARE = 0.4  # of the page's height that the field may grow to


class Composer(QWidget):
    """Signals: sent(text), edited(text), stopped, draft_changed(text), recalled (Up in the empty field)."""

    sent = Signal(str)
    edited = Signal(str)
    stopped = Signal()
    draft_changed = Signal(str)
    recalled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = EngineState("starting")
        self._answering = False
        self._attached: list[AttachedText] = []
        self._room = 600
        self._kept_draft: str | None = None  # what was in the field when an edit began
        self._draft = QTimer(self)
        self._draft.setSingleShot(True)
        self._draft.setInterval(DRAFT_MS)
        self._draft.timeout.connect(self.save_draft)
        self.editor = Editor(theme, self)
        self.editor.submitted.connect(self.submit)
        self.editor.recalled.connect(self.recalled)
        self.editor.pasted_long.connect(self._attach)
        self.editor.textChanged.connect(self._changed)
        self.editor.focus_changed.connect(self.update)
        self.editor.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.send_button = IconButton(theme, "send", self.tr("Send"), side=34, filled=True)
        self.send_button.setObjectName("sendButton")
        self.send_button.clicked.connect(self.submit)
        self.stop_button = IconButton(theme, "stop", self.tr("Stop"), side=34, filled=True)
        self.stop_button.setObjectName("stopButton")
        self.stop_button.setToolTip(self.tr("Stop (Esc)"))
        self.stop_button.clicked.connect(self.stopped)
        self._editing = self._editing_strip()
        self._arrange()
        theme.changed.connect(self._restyle)
        self._restyle()
        self.set_state(self._state)

    # ---------------------------------------------------------------- text

    def text(self) -> str:
        """All that would be sent."""
        parts = [self.editor.toPlainText(), *(attached.text for attached in self._attached)]
        return "\n\n".join(part for part in parts if part.strip())

    def set_text(self, text: str) -> None:
        for attached in list(self._attached):
            self._detach(attached)
        if is_long(text):
            self.editor.set_text("")
            self._attach(text)
        else:
            self.editor.set_text(text)

    @property
    def attached(self) -> list[AttachedText]:
        return self._attached

    def submit(self) -> None:
        text = self.text().strip("\n")
        if not text.strip() or not self._may_send():
            return
        editing, self._kept_draft = self._kept_draft is not None, None
        self._editing.hide()
        self.set_text("")
        self.save_draft()
        (self.edited if editing else self.sent).emit(text)

    def save_draft(self) -> None:
        """Hand the draft on now. While an earlier message is edited, the draft is what was there before."""
        self._draft.stop()
        self.draft_changed.emit(self.text() if self._kept_draft is None else self._kept_draft)

    def open(self, draft: str) -> None:
        """Another chat: show its draft; that is no change of it."""
        self._kept_draft = None
        self._editing.hide()
        self.set_text(draft)
        self._draft.stop()

    # ---------------------------------------------------------------- editing an earlier message

    @property
    def editing(self) -> bool:
        return self._kept_draft is not None

    def begin_edit(self, text: str) -> None:
        if self._kept_draft is None:
            self._kept_draft = self.text()
        self._editing.show()
        self.set_text(text)
        self.editor.setFocus()
        self._update_buttons()

    def cancel_edit(self) -> None:
        if self._kept_draft is not None:
            draft, self._kept_draft = self._kept_draft, None
            self._editing.hide()
            self.set_text(draft)
            self._update_buttons()

    # ---------------------------------------------------------------- state

    def set_state(self, state: EngineState, waiting: bool = False) -> None:
        """waiting: an answer is wanted or given in this chat, whatever the engine does just now."""
        self._state = state
        self._answering = waiting or state.phase in ("reading", "answering")
        self._update_buttons()
        self.editor.setPlaceholderText(self._placeholder())

    def _may_send(self) -> bool:
        return not self._answering and self._state.phase in ("ready", "loading", "starting")

    def _placeholder(self) -> str:
        return {
            "starting": self.tr("Write while the engine starts…"),
            "loading": self.tr("Write while the model loads…"),
            "empty": self.tr("Choose a model to begin"),
            "dead": self.tr("The engine has stopped; what you write is kept"),
        }.get(self._state.phase, self.tr("Write a message…"))

    def _why_not(self) -> str:
        return {
            "starting": self.tr("Send; the answer comes once the model is loaded"),
            "loading": self.tr("Send; the answer comes once the model is loaded"),
            "empty": self.tr("Choose a model first"),
            "dead": self.tr("Reload the model first"),
        }.get(self._state.phase, self.tr("Send (Enter)"))

    def _update_buttons(self) -> None:
        answering = self._answering
        had_focus = self.send_button.hasFocus() or self.stop_button.hasFocus()
        self.stop_button.setVisible(answering)
        self.send_button.setVisible(not answering)
        self.send_button.setEnabled(self._may_send() and bool(self._attached or self._has_words()))
        self.send_button.setToolTip(self._why_not())
        if had_focus and not (self.stop_button if answering else self.send_button).hasFocus():
            self.editor.setFocus()

    def _has_words(self) -> bool:
        return bool(self.editor.document().toPlainText().strip())

    def _changed(self) -> None:
        self._update_buttons()
        self._draft.start()

    # ---------------------------------------------------------------- long texts

    def _attach(self, text: str) -> None:
        attached = AttachedText(self._theme, text, self)
        attached.removed.connect(lambda: self._detach(attached))
        self._attached.append(attached)
        self._texts.addWidget(attached)
        self._changed()

    def _detach(self, attached: AttachedText) -> None:
        self._attached.remove(attached)
        attached.hide()
        attached.deleteLater()
        self._changed()

    # ---------------------------------------------------------------- look

    def _editing_strip(self) -> QWidget:
        strip = QWidget(self)
        row = QHBoxLayout(strip)
        row.setContentsMargins(0, 0, 0, 0)
        label = QLabel(self.tr("Editing your message: the answers below it will be replaced"), strip)
        label.setProperty("tone", "accent")
        label.setWordWrap(True)
        cancel = TextButton(self._theme, self.tr("Cancel"), "quiet", strip)
        cancel.clicked.connect(self.cancel_edit)
        row.addWidget(label, 1)
        row.addWidget(cancel)
        strip.hide()
        return strip

    def _arrange(self) -> None:
        self._texts = QVBoxLayout()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.editor, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignBottom)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._editing)
        self._column.addLayout(self._texts)
        self._column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(16), px(9), px(9), px(9))
        self._column.setSpacing(px(6))
        self._texts.setSpacing(px(6))
        self._grow()
        self.update()

    def _grow(self) -> None:
        """The field is as high as its text, up to a share of the page."""
        most = max(round(self._room * SHARE), self._theme.px(60))
        height = max(self.editor.sizeHint().height(), self._theme.px(34 - 12))
        self.editor.setFixedHeight(min(height, most))
        over = height > most
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if over else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.editor.setVerticalScrollBarPolicy(policy)

    def set_room(self, height: int) -> None:
        """The page is so high."""
        self._room = height
        self._grow()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.editor.hasFocus()
        painter.setPen(QPen(self._theme.colour("accent" if focused else "border_strong"), 1.5 if focused else 1))
        painter.setBrush(self._theme.colour("surface"))
        radius = self._theme.px(18)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
