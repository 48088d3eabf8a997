"""Where the person writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.state import EngineState
from app.chat.attached import AttachedText
from app.chat.composer import Composer
from app.chat.editor import LONG_CHARACTERS, LONG_LINES
from app.theme.theme import Theme
from tests.app.fake_controller import READY

ENTER, SHIFT = Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def composer(theme: Theme, qtbot: QtBot) -> Iterator[Composer]:
    made = Composer(theme)
    qtbot.addWidget(made)
    made.resize(600, 60)
    made.set_state(READY)
    made.show()
    made.editor.setFocus()
    yield made


def paste(composer: Composer, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    composer.editor.insertFromMimeData(data)


def test_enter_sends_and_clears(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.editor, "hello")
    with qtbot.waitSignal(composer.sent) as sent:
        qtbot.keyClick(composer.editor, ENTER)
    assert sent.args == ["hello"]
    assert composer.text() == ""


def test_shift_enter_breaks_the_line(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.editor, "a")
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.editor, ENTER, SHIFT)
    qtbot.keyClicks(composer.editor, "b")
    assert composer.text() == "a\nb"


def test_blank_text_is_not_sent(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.editor, "  ")
    assert not composer.send_button.isEnabled()
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.editor, ENTER)


def test_enter_that_ends_a_composition_does_not_send(composer: Composer, qtbot: QtBot) -> None:
    """C106."""
    QApplication.sendEvent(composer.editor, QInputMethodEvent("にほん", []))
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.editor, ENTER)
    commit = QInputMethodEvent()
    commit.setCommitString("日本")
    QApplication.sendEvent(composer.editor, commit)
    assert composer.text() == "日本"
    with qtbot.waitSignal(composer.sent) as sent:
        qtbot.keyClick(composer.editor, ENTER)
    assert sent.args == ["日本"]


def test_a_composition_that_was_given_up_leaves_enter_free(composer: Composer, qtbot: QtBot) -> None:
    """C106."""
    qtbot.keyClicks(composer.editor, "a")
    QApplication.sendEvent(composer.editor, QInputMethodEvent("´", []))
    QApplication.sendEvent(composer.editor, QInputMethodEvent("", []))
    with qtbot.waitSignal(composer.sent):
        qtbot.keyClick(composer.editor, ENTER)


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000_000, "a line of the log\n" * 200_000, "👋🏽" * 125_000],
    ids=["5 MB in one line", "200k lines", "1 MB of emoji"],
)
def test_a_very_large_paste_stays_out_of_the_field(composer: Composer, qtbot: QtBot, text: str) -> None:
    """C103: the field never lays it out; it is sent whole."""
    qtbot.keyClicks(composer.editor, "Look:")
    paste(composer, text)
    assert composer.editor.toPlainText() == "Look:"
    assert [each.text for each in composer.attached] == [text]
    with qtbot.waitSignal(composer.sent) as sent:
        qtbot.keyClick(composer.editor, ENTER)
    assert sent.args == ["Look:\n\n" + text.strip("\n")]
    assert composer.attached == []


def test_pasted_text_is_cleaned(composer: Composer) -> None:
    """C103."""
    data = QMimeData()
    data.setData("text/plain", b"a\x00b\r\nc")
    composer.editor.insertFromMimeData(data)
    assert composer.text() == "ab\nc"


def test_only_plain_text_is_pasted(composer: Composer) -> None:
    """C103: rich text with pictures."""
    data = QMimeData()
    data.setHtml("<b>bold</b> <img src='x.png'>")
    data.setText("bold")
    data.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    composer.editor.insertFromMimeData(data)
    assert composer.text() == "bold"
    pictures = QMimeData()
    pictures.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    assert not composer.editor.canInsertFromMimeData(pictures)


def test_a_paste_at_the_limit_goes_into_the_field(composer: Composer) -> None:
    paste(composer, "y" * LONG_CHARACTERS)
    assert len(composer.editor.toPlainText()) == LONG_CHARACTERS
    paste(composer, "\n" * (LONG_LINES + 1))
    assert len(composer.attached) == 1


def test_a_pasted_text_can_be_taken_away(composer: Composer, qtbot: QtBot) -> None:
    paste(composer, "z" * (LONG_CHARACTERS + 1))
    (attached,) = composer.attached
    assert isinstance(attached, AttachedText)
    assert composer.send_button.isEnabled()
    attached.removed.emit()
    assert composer.text() == ""
    assert not composer.send_button.isEnabled()


def test_the_clipboard_is_pasted_by_its_key(composer: Composer, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText("from\u2028outside")
    qtbot.keyClick(composer.editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert composer.text() == "from\noutside"


def test_send_gives_way_to_stop(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.editor, "next")
    composer.set_state(replace(READY, phase="answering"))
    assert composer.stop_button.isVisible()
    assert not composer.send_button.isVisible()
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.editor, ENTER)
    assert composer.text() == "next"
    with qtbot.waitSignal(composer.stopped):
        qtbot.mouseClick(composer.stop_button, Qt.MouseButton.LeftButton)
    composer.set_state(READY)
    assert composer.send_button.isVisible()
    assert composer.send_button.isEnabled()


def test_an_answer_that_waits_for_the_model_can_be_stopped(composer: Composer) -> None:
    composer.set_state(EngineState("loading", "/m"), waiting=True)
    assert composer.stop_button.isVisible()


@pytest.mark.parametrize("phase", ["empty", "dead"])
def test_nothing_is_sent_where_nobody_answers(composer: Composer, qtbot: QtBot, phase: str) -> None:
    composer.set_state(EngineState(phase))  # type: ignore[arg-type]
    qtbot.keyClicks(composer.editor, "hello")
    with qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.editor, ENTER)
    assert composer.text() == "hello"
    assert not composer.send_button.isEnabled()
    assert composer.send_button.toolTip() != ""


def test_up_in_the_empty_field_recalls(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(composer.recalled):
        qtbot.keyClick(composer.editor, Qt.Key.Key_Up)
    qtbot.keyClicks(composer.editor, "text")
    with qtbot.assertNotEmitted(composer.recalled):
        qtbot.keyClick(composer.editor, Qt.Key.Key_Up)


def test_an_edit_keeps_the_draft(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.editor, "draft")
    composer.begin_edit("old question")
    assert composer.text() == "old question"
    with qtbot.waitSignal(composer.draft_changed) as draft:
        composer.save_draft()
    assert draft.args == ["draft"]
    composer.cancel_edit()
    assert (composer.text(), composer.editing) == ("draft", False)


def test_an_edit_is_sent_as_one(composer: Composer, qtbot: QtBot) -> None:
    composer.begin_edit("old")
    composer.editor.set_text("new")
    with qtbot.waitSignal(composer.edited) as edited, qtbot.assertNotEmitted(composer.sent):
        qtbot.keyClick(composer.editor, ENTER)
    assert edited.args == ["new"]
    assert not composer.editing


def test_drafts_are_handed_on_after_a_pause(composer: Composer, qtbot: QtBot) -> None:
    drafts: list[str] = []
    composer.draft_changed.connect(drafts.append)
    with qtbot.waitSignal(composer.draft_changed):
        qtbot.keyClicks(composer.editor, "abc")
    assert drafts == ["abc"]


def test_opening_a_chat_is_no_change_of_its_draft(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(composer.draft_changed, wait=400):
        composer.open("its draft")
    assert composer.text() == "its draft"


def test_a_long_draft_comes_back_beside_the_field(composer: Composer) -> None:
    """C103."""
    composer.open("x" * (LONG_CHARACTERS + 1))
    assert composer.editor.toPlainText() == ""
    assert len(composer.attached) == 1
    composer.open("short")
    assert composer.attached == []


def test_it_grows_with_its_text_up_to_a_share_of_the_page(composer: Composer) -> None:
    composer.set_room(500)
    one = composer.editor.height()
    composer.editor.set_text("a\nb\nc")
    three = composer.editor.height()
    composer.editor.set_text("line\n" * 100)
    assert one < three < composer.editor.height() <= 200
    composer.editor.set_text("")
    assert composer.editor.height() == one


def test_it_is_painted_without_complaint(composer: Composer) -> None:
    paste(composer, "a long text " * 3000)
    composer.begin_edit("x")
    assert not composer.grab().toImage().isNull()
    assert composer.childAt(QPoint(300, 30)) is not None


def test_typing_can_be_undone(composer: Composer, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.editor, "abc")
    qtbot.keyClick(composer.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.text() == ""


def test_each_paragraph_takes_its_own_direction(composer: Composer, qtbot: QtBot) -> None:
    """C107: also in the field."""
    composer.editor.set_text("שלום\nhello")
    first = composer.editor.document().firstBlock()
    assert first.textDirection() == Qt.LayoutDirection.RightToLeft
    assert first.next().textDirection() == Qt.LayoutDirection.LeftToRight
