"""The chat page: the wires between what people see and the controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.bridge.state import EngineState
from app.chat.captions import can_continue
from app.chat.panel import Panel
from app.chat.records import Conversation, Message
from app.chat.sidebar import Sidebar
from app.theme.theme import Theme
from app.widgets.splitter import SideSplitter
from app.widgets.toast import Toasts
from engine.errors import Problem


class Controller(Protocol):
    """What the page needs of the logic behind it; see app.chat.controller."""

    conversations_changed: SignalInstance
    chat_opened: SignalInstance
    message_added: SignalInstance
    message_changed: SignalInstance
    message_extended: SignalInstance
    message_removed: SignalInstance
    state_changed: SignalInstance
    problem: SignalInstance
    notice: SignalInstance

    @property
    def conversation(self) -> Conversation | None: ...
    @property
    def messages(self) -> list[Message]: ...
    @property
    def state(self) -> EngineState: ...
    @property
    def recent_models(self) -> list[str]: ...
    def new_chat(self) -> None: ...
    def open_chat(self, id: int) -> None: ...
    def delete_chat(self, id: int) -> None: ...
    def rename_chat(self, id: int, title: str) -> None: ...
    def send(self, text: str) -> None: ...
    def stop(self) -> None: ...
    def regenerate(self) -> None: ...
    def edit_last(self, text: str) -> None: ...
    def continue_answer(self) -> None: ...
    def set_draft(self, text: str) -> None: ...
    def load_model(self, path: str) -> None: ...
    def reload(self) -> None: ...


class ChatPage(QWidget):
    """List of chats beside the open chat. Its methods are what the actions of the window do."""

    def __init__(self, theme: Theme, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._theme = theme
        self.sidebar = Sidebar(theme)
        self.panel = Panel(theme)
        self.splitter = SideSplitter(self.sidebar, self.panel, self)
        self.toasts = Toasts(theme, self.panel)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.splitter)
        self._zoom = theme.zoom
        theme.changed.connect(self._rescale)
        self._wire_sidebar()
        self._wire_panel()
        self._wire_controller()
        self.panel.show_state(controller.state)
        if controller.conversation is not None:
            self._open(controller.conversation, controller.messages)

    # ---------------------------------------------------------------- what actions do

    def new_chat(self) -> None:
        self._leave()
        self._controller.new_chat()
        self.focus_input()

    def focus_input(self) -> None:
        self.panel.composer.editor.setFocus()

    def choose_model(self) -> None:
        self.panel.header.set_recent(self._controller.recent_models)
        self.panel.header.open_menu()

    def escape(self) -> None:
        """Leave an edit, else stop what the engine does."""
        if self.panel.composer.editing:
            self.panel.composer.cancel_edit()
        elif self.panel.busy or self._controller.state.phase == "loading":
            self._controller.stop()

    def regenerate(self) -> None:
        if self._idle() and self.panel.view.last_answer():
            self._controller.regenerate()

    def continue_answer(self) -> None:
        answer = self.panel.view.last_answer()
        if self._idle() and answer and can_continue(answer):
            self._controller.continue_answer()

    def edit_last(self) -> None:
        question = self.panel.view.last_question()
        if question and not self.panel.busy:
            self.panel.composer.begin_edit(question.content)

    def copy_answer(self) -> None:
        answer = self.panel.view.last_answer()
        if answer:
            QGuiApplication.clipboard().setText(self.panel.view.text_of(answer))
            self.toasts.show(self.tr("Answer copied"))

    def copy_code(self) -> None:
        code = self.panel.view.last_code()
        if code is not None:
            QGuiApplication.clipboard().setText(code)
            self.toasts.show(self.tr("Code copied"))

    def toggle_sidebar(self) -> None:
        self.set_sidebar(not self.sidebar.isVisibleTo(self))

    def set_sidebar(self, shown: bool) -> None:
        self.sidebar.setVisible(shown)
        self.panel.header.sidebar_button.setVisible(not shown)

    def save_draft(self) -> None:
        """Hand the draft on at once: the window closes, or another chat opens."""
        self._leave()

    # ---------------------------------------------------------------- wires

    def _wire_sidebar(self) -> None:
        self.sidebar.new_chat.connect(self.new_chat)
        self.sidebar.opened.connect(self._open_chat)
        self.sidebar.deleted.connect(self._delete)
        self.sidebar.renamed.connect(self._controller.rename_chat)
        self.sidebar.hidden_wanted.connect(lambda: self.set_sidebar(False))
        self.panel.header.sidebar_wanted.connect(lambda: self.set_sidebar(True))
        self.panel.header.sidebar_button.hide()

    def _wire_panel(self) -> None:
        panel, controller = self.panel, self._controller
        panel.header.menu_wanted.connect(self.choose_model)
        panel.header.load.connect(controller.load_model)
        panel.header.reload.connect(controller.reload)
        panel.header.cancel.connect(controller.stop)
        panel.composer.sent.connect(self._send)
        panel.composer.edited.connect(controller.edit_last)
        panel.composer.stopped.connect(controller.stop)
        panel.composer.draft_changed.connect(controller.set_draft)
        panel.composer.recalled.connect(self.edit_last)
        panel.view.regenerate.connect(self.regenerate)
        panel.view.edit.connect(self.edit_last)
        panel.view.resume.connect(self.continue_answer)
        panel.dead.reload.connect(self._reload_and_continue)

    def _wire_controller(self) -> None:
        controller = self._controller
        controller.conversations_changed.connect(self.sidebar.show_chats)
        controller.chat_opened.connect(self._open)
        for signal, change in (
            (controller.message_added, self.panel.view.add),
            (controller.message_changed, self.panel.view.change),
            (controller.message_removed, self.panel.view.remove),
        ):
            signal.connect(change)
            signal.connect(self.panel.refresh)
        controller.message_extended.connect(self.panel.view.extend)
        controller.state_changed.connect(self.panel.show_state)
        controller.problem.connect(self._tell)
        controller.notice.connect(self._notice)

    # ---------------------------------------------------------------- from the person

    def _idle(self) -> bool:
        return self._controller.state.phase == "ready" and not self.panel.busy

    def _leave(self) -> None:
        """What is in the field belongs to the chat that is open now."""
        self.panel.composer.cancel_edit()
        self.panel.composer.save_draft()

    def _open_chat(self, id: int) -> None:
        self._leave()
        self._controller.open_chat(id)
        self.focus_input()

    def _delete(self, id: int) -> None:
        self._leave()
        self._controller.delete_chat(id)

    def _send(self, text: str) -> None:
        """Send; a text that could not be taken comes back into the field."""
        before = len(self._controller.messages)
        self._controller.send(text)
        if len(self._controller.messages) == before:
            self.panel.composer.set_text(text)
            self.toasts.show(self.tr("Another chat is still being answered; your message is kept here."))

    def _reload_and_continue(self) -> None:
        answer = self.panel.view.last_answer()
        self._controller.reload()
        if answer and can_continue(answer):
            self._controller.continue_answer()

    def _rescale(self) -> None:
        """The list of chats is as wide as its text is large."""
        if self._theme.zoom != self._zoom:
            wide = round(self.splitter.side_width * self._theme.zoom / self._zoom)
            self.splitter.set_side_width(min(wide, self.width() // 2))
            self._zoom = self._theme.zoom

    # ---------------------------------------------------------------- from the controller

    def _open(self, conversation: Conversation, messages: Sequence[Message]) -> None:
        self.sidebar.mark_open(conversation.id)
        self.panel.open(conversation, messages)

    def _tell(self, problem: Problem) -> None:
        """The card of a dead engine already tells that it died."""
        if self._controller.state.phase != "dead" or problem != self._controller.state.problem:
            self.panel.banner.tell(problem)

    def _notice(self, text: str, undo_label: str, undo: Callable[[], object] | None) -> None:
        self.toasts.show(text, undo_label, undo)
