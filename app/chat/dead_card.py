"""Above the composer when the engine has died: what happened, and one click to go on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.bridge.state import EngineState
from app.chat.banner import details
from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from app.widgets.card import Card


class DeadCard(Card):
    """Signal: reload."""

    reload = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "danger", "plug", parent)
        self._state = EngineState("starting")
        self.reload_button = TextButton(theme, self.tr("Reload the model"), "primary", self)
        self.reload_button.setObjectName("reloadButton")
        self.reload_button.clicked.connect(self.reload)
        copy = TextButton(theme, self.tr("Copy details"), parent=self)
        copy.clicked.connect(self._copy_details)
        self.add_button(self.reload_button)
        self.add_button(copy)
        self.hide()

    def show_state(self, state: EngineState, resumable: bool) -> None:
        """resumable: there is an answer to go on with."""
        self._state = state
        self.setVisible(state.phase == "dead")
        words = self.tr("Reload and continue") if resumable else self.tr("Reload the model")
        self.reload_button.say(words)
        if state.problem:
            self.say(state.problem.sentence, state.problem.remedy)
        else:
            self.say(self.tr("The engine stopped."), self.tr("The conversation and what was answered so far are kept."))

    def _copy_details(self) -> None:
        if self._state.problem:
            QGuiApplication.clipboard().setText(details(self._state.problem))
