"""The main window: a rail of pages, the pages themselves, and the actions of the keyboard. No logic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QSize
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QStackedWidget, QWidget

from app.chat.page import ChatPage, Controller
from app.theme.icons import icon
from app.theme.theme import ZOOM_STEP, Theme
from app.widgets.actions import make_actions, with_key
from app.widgets.help_sheet import HelpSheet
from app.widgets.rail import Rail, RailEntry

USUAL = QSize(1180, 780)
SMALLEST = QSize(720, 480)


class Preferences(Protocol):
    """What the window remembers: its place (QWidget.saveGeometry), the sidebar's width (0: usual), zoom in per cent."""

    geometry: bytes
    sidebar_width: int
    zoom: int


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page of the window: how the rail shows it, and how it is made."""

    rail: RailEntry
    make: Callable[[], QWidget]


class MainWindow(QMainWindow):
    """Shows the pages that are built: for now the chat."""

    def __init__(self, controller: Controller, settings: Preferences) -> None:
        super().__init__()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._settings = settings
        self.theme = Theme(app, settings.zoom, self)
        self.chat_page = ChatPage(self.theme, controller)
        pages = (PageEntry(RailEntry(self.tr("Chat"), "chat"), lambda: self.chat_page),)
        self.rail = Rail(self.theme, [page.rail for page in pages])
        self._pages = QStackedWidget()
        for page in pages:
            self._pages.addWidget(page.make())
        self._arrange()
        self.shortcuts = make_actions(self, self._handlers())
        self._name_keys()
        self.theme.changed.connect(self._restyle)
        self._restyle()
        self._restore()
        self.chat_page.focus_input()

    def show_help(self) -> None:
        sheet = HelpSheet(self.theme, self.shortcuts, self)
        sheet.finished.connect(sheet.deleteLater)
        sheet.open()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.chat_page.save_draft()
        self._settings.geometry = bytes(self.saveGeometry().data())
        self._settings.sidebar_width = self.chat_page.splitter.side_width
        self._settings.zoom = self.theme.zoom
        super().closeEvent(event)

    def _handlers(self) -> dict[str, Callable[[], object]]:
        page, theme = self.chat_page, self.theme
        return {
            "new_chat": page.new_chat,
            "focus_input": page.focus_input,
            "choose_model": page.choose_model,
            "stop": page.escape,
            "regenerate": page.regenerate,
            "continue": page.continue_answer,
            "copy_answer": page.copy_answer,
            "copy_code": page.copy_code,
            "sidebar": page.toggle_sidebar,
            "zoom_in": lambda: theme.set_zoom(theme.zoom + ZOOM_STEP),
            "zoom_out": lambda: theme.set_zoom(theme.zoom - ZOOM_STEP),
            "zoom_reset": lambda: theme.set_zoom(100),
            "help": self.show_help,
        }

    def _name_keys(self) -> None:
        """Tooltips name the key of the action that does the same."""
        sidebar, header = self.chat_page.sidebar, self.chat_page.panel.header
        for button, name in (
            (sidebar.new_button, "new_chat"),
            (sidebar.hide_button, "sidebar"),
            (header.sidebar_button, "sidebar"),
            (header.model, "choose_model"),
            (self.rail.help_button, "help"),
        ):
            action = self.shortcuts[name]
            button.setToolTip(with_key(action.text(), action))

    def _arrange(self) -> None:
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self._pages, 1)
        self.setCentralWidget(whole)
        self.setWindowTitle("Tonnelle")
        self.rail.page_wanted.connect(self._pages.setCurrentIndex)
        self.rail.help_wanted.connect(self.show_help)
        self.rail.show_page(0)

    def _restyle(self) -> None:
        self.setStyleSheet(self.theme.sheet())
        self.setWindowIcon(icon("mark", self.theme.colour("accent"), 64))
        self.setMinimumSize(SMALLEST)

    def _restore(self) -> None:
        """Where it was; the usual size in the middle of the screen at first."""
        if not self._settings.geometry or not self.restoreGeometry(self._settings.geometry):
            free = QGuiApplication.primaryScreen().availableGeometry()
            self.resize(USUAL.boundedTo(free.size()))
            self.move(free.center() - self.rect().center())
        if self._settings.sidebar_width > 0:
            self.chat_page.splitter.set_side_width(self._settings.sidebar_width)
