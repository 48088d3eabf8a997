"""What every message offers below its text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QCursor, QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.answer import Answer
from app.chat.footer import Footer
from app.chat.question import Question
from app.chat.records import Message
from app.chat.row import Row
from app.chat.waiting import Waiting
from app.theme.theme import Theme
from tests.app.fake_controller import MEASURED, READY

ASKED = Message(1, 1, "user", "A question", "complete", 0.0)
ANSWERED = Message(2, 1, "assistant", "An **answer**", "complete", 0.0, measured=MEASURED)


@pytest.fixture(params=[Question, Answer])
def row(request: pytest.FixtureRequest, theme: Theme, qtbot: QtBot) -> Iterator[Row]:
    made: Row = request.param(theme, ASKED if request.param is Question else ANSWERED)
    qtbot.addWidget(made)
    made.resize(600, made.heightForWidth(600))
    made.set_place(False, READY)
    QCursor.setPos(790, 790)  # away from the row
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    focused = made.focusWidget()
    if focused is not None:
        focused.clearFocus()
    yield made


def test_copy_gives_the_text_as_written(row: Row, qtbot: QtBot) -> None:
    qtbot.mouseClick(row.footer.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == row.message.content
    assert row.footer.copy_button.accessibleName() == "Copied"


def test_actions_are_seen_where_the_pointer_is(row: Row) -> None:
    assert row.footer.copy_button.is_veiled
    spot = QPointF(5, 5)
    QApplication.sendEvent(row, QEnterEvent(spot, spot, spot))
    assert not row.footer.copy_button.is_veiled
    QApplication.sendEvent(row, QEvent(QEvent.Type.Leave))
    assert row.footer.copy_button.is_veiled


def test_and_where_the_keyboard_is(row: Row) -> None:
    row.footer.copy_button.setFocus(Qt.FocusReason.TabFocusReason)
    assert not row.footer.copy_button.is_veiled
    row.footer.copy_button.clearFocus()
    assert row.footer.copy_button.is_veiled


def test_those_of_the_newest_answer_are_always_seen(theme: Theme, qtbot: QtBot) -> None:
    row = Answer(theme, ANSWERED)
    qtbot.addWidget(row)
    row.set_place(True, READY)
    assert not row.footer.copy_button.is_veiled


@pytest.mark.parametrize(("button", "signal"), [("regenerate_button", "regenerate"), ("edit_button", "edit")])
def test_buttons_tell_what_is_wanted(theme: Theme, qtbot: QtBot, button: str, signal: str) -> None:
    footer = Footer(theme, right=False)
    qtbot.addWidget(footer)
    footer.offer(regenerate=True, edit=True, resume="", always=True)
    footer.show()
    with qtbot.waitSignal(getattr(footer, signal)):
        qtbot.mouseClick(getattr(footer, button), Qt.MouseButton.LeftButton)
    assert footer.continue_button.isHidden()


def test_waiting_says_for_what(theme: Theme, qtbot: QtBot) -> None:
    waiting = Waiting(theme)
    qtbot.addWidget(waiting)
    waiting.say("Reading…")
    assert waiting.text() == "Reading…"
    theme.set_zoom(200)
    assert waiting.minimumHeight() == 60
