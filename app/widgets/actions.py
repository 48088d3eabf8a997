"""All that can be done from the keyboard: one table, from which actions, tooltips and the help sheet are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One action: its name in code, the group and words that people read, and its keys, the first of which is shown."""

    name: str
    group: str
    text: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key that one widget understands by itself; only for the help sheet."""

    group: str
    text: str
    keys: tuple[str, ...]


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Marks a text for lupdate, which knows this name; it is translated where it is shown."""
    return text


CHAT = QT_TRANSLATE_NOOP("Actions", "Chat")
ANSWER = QT_TRANSLATE_NOOP("Actions", "Answer")
VIEW = QT_TRANSLATE_NOOP("Actions", "Window")
ACTIONS = (
    ActionRow("new_chat", CHAT, QT_TRANSLATE_NOOP("Actions", "New chat"), ("Ctrl+N",)),
    ActionRow("focus_input", CHAT, QT_TRANSLATE_NOOP("Actions", "Go to the message field"), ("Ctrl+L", "Shift+Esc")),
    ActionRow("choose_model", CHAT, QT_TRANSLATE_NOOP("Actions", "Choose a model"), ("Ctrl+Shift+L",)),
    ActionRow("stop", ANSWER, QT_TRANSLATE_NOOP("Actions", "Stop"), ("Esc",)),
    ActionRow("regenerate", ANSWER, QT_TRANSLATE_NOOP("Actions", "Regenerate"), ("Ctrl+R",)),
    ActionRow("continue", ANSWER, QT_TRANSLATE_NOOP("Actions", "Continue the answer"), ("Alt+Return", "Alt+Enter")),
    ActionRow("copy_answer", ANSWER, QT_TRANSLATE_NOOP("Actions", "Copy the last answer"), ("Ctrl+Shift+C",)),
    ActionRow("copy_code", ANSWER, QT_TRANSLATE_NOOP("Actions", "Copy the last code block"), ("Ctrl+Shift+;",)),
    ActionRow("sidebar", VIEW, QT_TRANSLATE_NOOP("Actions", "Show or hide the list of chats"), ("Ctrl+B",)),
    ActionRow("zoom_in", VIEW, QT_TRANSLATE_NOOP("Actions", "Larger"), ("Ctrl+=", "Ctrl++")),
    ActionRow("zoom_out", VIEW, QT_TRANSLATE_NOOP("Actions", "Smaller"), ("Ctrl+-",)),
    ActionRow("zoom_reset", VIEW, QT_TRANSLATE_NOOP("Actions", "Usual size"), ("Ctrl+0",)),
    ActionRow("help", VIEW, QT_TRANSLATE_NOOP("Actions", "Keyboard shortcuts"), ("Ctrl+/",)),
)
WIDGET_KEYS = (
    KeyRow(CHAT, QT_TRANSLATE_NOOP("Actions", "Send"), ("Enter",)),
    KeyRow(CHAT, QT_TRANSLATE_NOOP("Actions", "New line"), ("Shift+Enter",)),
    KeyRow(CHAT, QT_TRANSLATE_NOOP("Actions", "Edit the last message (in the empty field)"), ("Up",)),
    KeyRow(CHAT, QT_TRANSLATE_NOOP("Actions", "Rename, delete (in the list of chats)"), ("F2", "Del")),
    KeyRow(VIEW, QT_TRANSLATE_NOOP("Actions", "Jump to the latest message (in the messages)"), ("End",)),
)


def translated(text: str) -> str:
    return QCoreApplication.translate("Actions", text)


def make_actions(window: QWidget, handlers: dict[str, Callable[[], object]]) -> dict[str, QAction]:
    """The actions of the table as QActions of the window, by name, each calling its handler."""
    made = {}
    for row in ACTIONS:
        action = QAction(translated(row.text), window)
        action.setObjectName(row.name)
        action.setShortcuts([QKeySequence(key) for key in row.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(row.name.startswith("zoom"))
        action.triggered.connect(lambda _=False, act=handlers[row.name]: act())
        window.addAction(action)
        made[row.name] = action
    return made


def with_key(text: str, action: QAction) -> str:
    """A tooltip: the words and the action's present key."""
    key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{text} ({key})" if key else text
