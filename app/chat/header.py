"""The line above the messages: which model, what it is doing, how fast, and how full its context is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from app.bridge.state import EngineState
from app.chat import captions
from app.chat.model_button import ModelButton
from app.theme.icons import icon
from app.theme.theme import Theme
from app.widgets.icon_button import IconButton
from app.widgets.meter import Meter
from app.widgets.progress_line import ProgressLine

RECENT = 8  # models that the menu names


class Header(QWidget):
    """Signals: load(path), reload, menu_wanted, cancel (of a load), sidebar_wanted."""

    load = Signal(str)
    reload = Signal()
    menu_wanted = Signal()
    cancel = Signal()
    sidebar_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = EngineState("starting")
        self._recent: list[str] = []
        self.sidebar_button = IconButton(theme, "sidebar", self.tr("Show the list of chats"))
        self.sidebar_button.clicked.connect(self.sidebar_wanted)
        self.model = ModelButton(theme)
        self.model.clicked.connect(self.menu_wanted)
        self.cancel_button = IconButton(theme, "close", self.tr("Cancel loading"), side=26)
        self.cancel_button.clicked.connect(self.cancel)
        self._doing = QLabel()
        self._doing.setProperty("tone", "muted")
        self.speed = QLabel()
        self.speed.setProperty("tone", "muted")
        self.speed.setToolTip(self.tr("Speed of the latest answer"))
        self.meter = Meter(theme)
        self._line = ProgressLine(theme)
        self._arrange()
        theme.changed.connect(self._restyle)
        self._restyle()
        self.show_state(self._state)

    def show_state(self, state: EngineState) -> None:
        self._state = state
        self.model.show_state(self._name(), captions.status(state), state.phase)
        self.model.setToolTip(captions.description(state.model) if state.model else "")
        self.cancel_button.setVisible(state.phase == "loading")
        self._doing.setText(state.step if state.phase == "loading" else "")
        self._doing.setVisible(bool(self._doing.text()))
        self.speed.setText(captions.speed(state.tokens_per_s) if state.tokens_per_s > 0 else "")
        self.speed.setVisible(state.tokens_per_s > 0)
        self._show_context(state)
        share = state.done / state.total if state.total else None
        self._line.set_progress(state.phase in ("loading", "reading", "starting"), share)

    def set_recent(self, paths: list[str]) -> None:
        self._recent = paths[:RECENT]

    def open_menu(self) -> None:
        menu = self.menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.model.mapToGlobal(self.model.rect().bottomLeft()))

    def menu(self) -> QMenu:
        """Recent models, and ways to open another one."""
        menu = QMenu(self)
        for path in self._recent:
            action = self._entry(menu, "model", Path(path).name, lambda _=False, path=path: self.load.emit(path))
            action.setToolTip(path)
            action.setCheckable(False)
        if self._recent:
            menu.addSeparator()
        self._entry(menu, "folder", self.tr("Open model folder…"), self.choose_folder)
        self._entry(menu, "file", self.tr("Open GGUF file…"), self.choose_file)
        if self._state.source:
            menu.addSeparator()
            self._entry(menu, "retry", self.tr("Reload the model"), self.reload.emit)
        menu.setToolTipsVisible(True)
        return menu

    def choose_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, self.tr("Open model folder"), self._start_folder())
        if path:
            self.load.emit(path)

    def choose_file(self) -> None:
        kinds = self.tr("GGUF models (*.gguf);;All files (*)")
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Open GGUF file"), self._start_folder(), kinds)
        if path:
            self.load.emit(path)

    def _start_folder(self) -> str:
        return str(Path(self._recent[0]).parent) if self._recent else str(Path.home())

    def _entry(self, menu: QMenu, drawing: str, text: str, act: object) -> QAction:
        action = menu.addAction(icon(drawing, self._theme.colour("muted"), self._theme.px(18)), text)
        action.triggered.connect(act)
        return action

    def _name(self) -> str:
        state = self._state
        if state.model and state.phase != "loading":
            return state.model.name
        return Path(state.source).name if state.source else self.tr("Choose a model")

    def _show_context(self, state: EngineState) -> None:
        self.meter.setVisible(state.model is not None)
        if state.model is None:
            return
        used, room = captions.count(state.context_used), captions.count(state.model.context)
        words = self.tr("Context: {used} of {room} tokens used").format(used=used, room=room)
        self.meter.set_value(state.context_used / max(1, state.model.context), f"{used} / {room}", words)

    def _arrange(self) -> None:
        self._row = QHBoxLayout()
        self._row.addWidget(self.sidebar_button)
        self._row.addWidget(self.model)
        self._row.addWidget(self.cancel_button)
        self._row.addWidget(self._doing)
        self._row.addStretch(1)
        self._row.addWidget(self.speed)
        self._row.addWidget(self.meter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row)
        column.addWidget(self._line)

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(10), px(6), px(20), px(5))
        self._row.setSpacing(px(8))
        for label in (self._doing, self.speed):
            label.setFont(self._theme.font(-1))
