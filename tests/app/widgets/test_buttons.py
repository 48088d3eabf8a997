from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.theme.theme import Theme
from app.widgets.buttons import LOOKS, TextButton
from app.widgets.icon_button import IconButton
from app.widgets.pill import Pill


def show(holder: QWidget, qtbot: QtBot) -> None:
    """With the keyboard elsewhere."""
    elsewhere = QWidget(holder)
    elsewhere.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    elsewhere.setFocus()
    with qtbot.waitActive(holder):
        holder.show()
        holder.activateWindow()


def pictures(widget: QWidget) -> list[object]:
    """As it is, with the keyboard on it, and disabled."""
    plain = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    assert widget.hasFocus()
    focused = widget.grab().toImage()
    widget.setEnabled(False)
    return [plain, focused, widget.grab().toImage()]


@pytest.mark.parametrize("kind", LOOKS)
def test_focus_is_seen_on_words(theme: Theme, qtbot: QtBot, kind: str) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    button = TextButton(theme, "Go on", kind, holder)  # type: ignore[arg-type]
    button.resize(button.sizeHint())
    show(holder, qtbot)
    plain, focused, disabled = pictures(button)
    assert plain != focused
    assert plain != disabled


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("on_tooltip", [False, True])
def test_focus_is_seen_on_icons(theme: Theme, qtbot: QtBot, filled: bool, on_tooltip: bool) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    button = IconButton(theme, "copy", "Copy", filled=filled, on_tooltip=on_tooltip, parent=holder)
    button.resize(button.sizeHint())
    show(holder, qtbot)
    plain, focused, _ = pictures(button)
    assert plain != focused


def test_a_veiled_button_shows_itself_to_the_keyboard(theme: Theme, qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    button = IconButton(theme, "copy", "Copy", parent=holder)
    button.resize(button.sizeHint())
    show(holder, qtbot)
    shown = button.grab().toImage()
    button.set_veiled(True)
    veiled = button.grab().toImage()
    assert veiled != shown
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.grab().toImage() != veiled


def test_an_icon_has_a_name_and_a_tooltip(theme: Theme, qtbot: QtBot) -> None:
    button = IconButton(theme, "copy", "Copy code")
    qtbot.addWidget(button)
    button.set_icon("check", "Copied")
    assert (button.accessibleName(), button.toolTip()) == ("Copied", "Copied")


def test_pointing_at_a_button_shows(theme: Theme, qtbot: QtBot) -> None:
    button = IconButton(theme, "copy", "Copy")
    qtbot.addWidget(button)
    button.show()
    plain = button.grab().toImage()
    spot = QPointF(5, 5)
    QApplication.sendEvent(button, QEnterEvent(spot, spot, spot))
    pointed = button.grab().toImage()
    QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
    assert pointed != plain
    assert button.grab().toImage() == plain


def test_sizes_follow_words_and_zoom(theme: Theme, qtbot: QtBot) -> None:
    button, pill = TextButton(theme, "Go"), Pill(theme, "down", "Jump")
    qtbot.addWidget(button)
    qtbot.addWidget(pill)
    short = button.sizeHint()
    button.say("Go on and on")
    assert button.sizeHint().width() > short.width()
    assert button.accessibleName() == "Go on and on"
    theme.set_zoom(200)
    assert button.sizeHint().height() > 1.8 * short.height()
    assert pill.sizeHint().height() == 64
    assert not pill.grab().toImage().isNull()
