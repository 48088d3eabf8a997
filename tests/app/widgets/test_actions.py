from __future__ import annotations

from collections import Counter

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.theme.theme import Theme
from app.widgets.actions import ACTIONS, WIDGET_KEYS, make_actions, with_key
from app.widgets.help_sheet import HelpSheet, KeyCap


def test_no_two_actions_share_a_key() -> None:
    keys = Counter(QKeySequence(key).toString() for row in ACTIONS for key in row.keys)
    assert all(keys)
    assert [key for key, times in keys.items() if times > 1] == []


def test_names_are_unique() -> None:
    assert len({row.name for row in ACTIONS}) == len(ACTIONS)


def test_actions_call_their_handlers(qtbot: QtBot) -> None:
    called: list[str] = []
    window = QWidget()
    qtbot.addWidget(window)
    handlers = {row.name: lambda name=row.name: called.append(name) for row in ACTIONS}
    actions = make_actions(window, handlers)
    for action in actions.values():
        action.trigger()
    assert called == [row.name for row in ACTIONS]
    assert all(action in window.actions() for action in actions.values())


def test_a_rebound_key_shows_everywhere(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = make_actions(window, {row.name: lambda: None for row in ACTIONS})
    actions["new_chat"].setShortcut(QKeySequence("Ctrl+J"))
    assert with_key("New chat", actions["new_chat"]) == "New chat (Ctrl+J)"
    actions["stop"].setShortcuts([])
    assert with_key("Stop", actions["stop"]) == "Stop"
    sheet = HelpSheet(theme, actions, window)
    caps = {cap.accessibleName() for cap in sheet.findChildren(KeyCap)}
    assert "Ctrl+J" in caps
    assert "Ctrl+N" not in caps


def test_the_sheet_lists_every_action(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = make_actions(window, {row.name: lambda: None for row in ACTIONS})
    sheet = HelpSheet(theme, actions, window)
    words = {label.text() for label in sheet.findChildren(QLabel)}
    assert {row.text for row in ACTIONS} | {row.text for row in WIDGET_KEYS} <= words
    assert not sheet.grab().toImage().isNull()
