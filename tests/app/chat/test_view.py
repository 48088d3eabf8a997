"""The list of messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.chat.answer import Answer
from app.chat.code_block import CodeBlock
from app.chat.prose_block import ProseBlock
from app.chat.question import FIRST_SHOWN, Question
from app.chat.records import Message
from app.chat.stretch import MOST
from app.chat.view import MessageView
from app.theme.theme import Theme
from tests.app.fake_controller import MEASURED, READY


@pytest.fixture
def view(theme: Theme, qtbot: QtBot) -> Iterator[MessageView]:
    made = MessageView(theme)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.set_state(READY)
    made.show()
    yield made


def question(id: int, text: str = "A question?") -> Message:
    return Message(id, 1, "user", text, "complete", 0.0)


def answer(id: int, text: str = "An answer.") -> Message:
    return Message(id, 1, "assistant", text, "complete", 0.0, measured=MEASURED)


def streaming(id: int, text: str = "") -> Message:
    return Message(id, 1, "assistant", text, "streaming", 0.0)


def conversation(count: int) -> list[Message]:
    return [question(n) if n % 2 == 0 else answer(n, f"Answer {n}. " * 60) for n in range(count)]


def ids(view: MessageView) -> list[int]:
    return [row.message.id for row in view.rows]


def at_end(view: MessageView) -> bool:
    bar = view.verticalScrollBar()
    return bar.value() == bar.maximum()


def wheel(place: QWidget, up: bool) -> QWheelEvent:
    spot = QPointF(place.rect().center())
    turn = QPoint(0, 120 if up else -120)
    event = QWheelEvent(
        spot,
        place.mapToGlobal(spot),
        QPoint(),
        turn,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(place, event)
    return event


def prose_of(row: Answer) -> str:
    (block,) = row.body.blocks
    assert isinstance(block, ProseBlock)
    return block.toPlainText()


def test_messages_stand_below_one_another(view: MessageView) -> None:
    view.open(conversation(4))
    rows = view.rows
    assert [type(row) for row in rows] == [Question, Answer, Question, Answer]
    assert all(one.geometry().bottom() < other.y() for one, other in pairwise(rows))
    assert all(row.height() == row.heightForWidth(row.width()) for row in rows)


def test_a_long_chat_opens_at_its_end_with_few_widgets(view: MessageView, qtbot: QtBot) -> None:
    """C098: 1000 messages."""
    view.open(conversation(1000))
    assert len(view.rows) < 40
    assert ids(view)[-1] == 999
    assert at_end(view)
    qtbot.wait(50)
    assert at_end(view)
    assert len(view.rows) < 40


def test_earlier_messages_come_when_scrolling_up_and_what_is_seen_stays(view: MessageView, qtbot: QtBot) -> None:
    view.open(conversation(400))
    bar = view.verticalScrollBar()
    for _ in range(120):
        bar.setValue(bar.value() - 150)
        seen = next(row for row in view.rows if row.geometry().bottom() >= bar.value())
        place, id = seen.y() - bar.value(), seen.message.id
        QApplication.processEvents()
        assert next(row for row in view.rows if row.message.id == id).y() - bar.value() == place
        assert ids(view) == list(range(ids(view)[0], ids(view)[-1] + 1))
    assert ids(view)[0] < 380
    assert len(view.rows) <= MOST


def test_there_are_never_more_widgets_than_a_stretch(view: MessageView, qtbot: QtBot) -> None:
    """C098: memory does not grow with the chat."""
    view.open(conversation(300))
    bar = view.verticalScrollBar()
    for _ in range(150):
        bar.setValue(0)
        QApplication.processEvents()
    qtbot.waitUntil(lambda: ids(view)[0] == 0)
    assert len(view.rows) <= MOST
    assert view.jump.isVisible()
    view.jump_to_latest()
    assert ids(view)[-1] == 299
    assert at_end(view)
    assert not view.jump.isVisible()


def test_new_text_is_followed_at_the_end(view: MessageView, qtbot: QtBot) -> None:
    view.open([question(1), streaming(2)])
    for _ in range(60):
        view.extend(2, "A line of the answer.\n\n")
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 500)
    assert view.following
    assert at_end(view)


def test_one_notch_up_ends_following(view: MessageView, qtbot: QtBot) -> None:
    view.open([question(1), streaming(2, "A line.\n\n" * 80)])
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 500)
    wheel(view.viewport(), up=True)
    before = view.verticalScrollBar().value()
    assert not view.following
    assert view.jump.isVisible()
    for _ in range(40):
        view.extend(2, "Another line.\n\n")
    qtbot.wait(120)
    assert view.verticalScrollBar().value() == before
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.following
    assert at_end(view)
    assert not view.jump.isVisible()


def test_wheel_and_keys_over_text_are_left_to_the_list(view: MessageView, qtbot: QtBot) -> None:
    view.open([question(1), answer(2, "text\n\n```\n" + "code\n" * 200 + "```\n")])
    row = view.rows[-1]
    assert isinstance(row, Answer)
    prose, code = row.body.blocks
    assert isinstance(prose, ProseBlock)
    assert isinstance(code, CodeBlock)
    for place in (prose.viewport(), code.view.viewport()):
        assert not wheel(place, up=True).isAccepted()
    view.verticalScrollBar().setValue(0)
    for text in (prose, code.view):
        qtbot.keyClick(text, Qt.Key.Key_End)
        assert at_end(view)
        qtbot.keyClick(text, Qt.Key.Key_Home)
        assert view.verticalScrollBar().value() == 0


def test_text_that_comes_while_its_message_is_out_of_sight_is_not_lost(view: MessageView, qtbot: QtBot) -> None:
    view.open([*conversation(300), streaming(300)])
    bar = view.verticalScrollBar()
    for _ in range(150):
        bar.setValue(0)
        QApplication.processEvents()
    assert 300 not in ids(view)
    view.extend(300, "out of ")
    view.extend(300, "sight")
    view.jump_to_latest()
    row = view.rows[-1]
    assert row.content() == "out of sight"
    assert view.text_of(row.message) == "out of sight"


def test_a_sent_message_brings_the_view_to_the_end(view: MessageView) -> None:
    view.open(conversation(60))
    view.verticalScrollBar().setValue(0)
    view.add(question(100))
    view.add(streaming(101))
    assert view.following
    assert ids(view)[-2:] == [100, 101]


def test_only_the_newest_can_be_regenerated_or_edited(view: MessageView) -> None:
    view.open(conversation(4))
    offers = [(row.footer.regenerate_button.isHidden(), row.footer.edit_button.isHidden()) for row in view.rows]
    assert offers == [(True, True), (True, True), (True, False), (False, True)]
    view.add(question(10))
    assert [row.footer.edit_button.isHidden() for row in view.rows if isinstance(row, Question)] == [True, True, False]
    assert all(row.footer.regenerate_button.isHidden() for row in view.rows)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (replace(answer(2), state="stopped"), "Continue"),
        (replace(answer(2), measured=replace(MEASURED, reason="length")), "Continue"),
        (replace(answer(2), state="failed", error="It broke. Mend it."), "Continue"),
        (replace(answer(2, ""), state="failed", error="It broke. Mend it."), "Try again"),
        (answer(2), ""),
    ],
)
def test_what_did_not_end_can_go_on(view: MessageView, qtbot: QtBot, message: Message, words: str) -> None:
    view.open([question(1), message])
    button = view.rows[-1].footer.continue_button
    assert button.objectName() == ("continueButton" if words else "")
    assert (button.text() if button.isVisible() else "") == words
    if words:
        with qtbot.waitSignal(view.resume):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_removed_message_is_gone(view: MessageView) -> None:
    view.open(conversation(4))
    view.remove(3)
    view.remove(77)
    assert ids(view) == [0, 1, 2]
    assert view.last_answer() == view.messages[1]
    view.add(answer(9))
    assert ids(view) == [0, 1, 2, 9]


def test_a_message_that_settles_keeps_its_text(view: MessageView, qtbot: QtBot) -> None:
    view.open([question(1), streaming(2)])
    view.extend(2, "Some **text")
    view.change(replace(answer(2, "Some **text**"), state="stopped"))
    row = view.rows[-1]
    assert isinstance(row, Answer)
    assert row.content() == "Some **text**"
    assert prose_of(row) == "Some text"
    assert row.footer.caption.accessibleName().startswith("Stopped")


def test_an_answer_that_goes_on_is_of_one_piece(view: MessageView) -> None:
    view.open([question(1), replace(answer(2, "```\none"), state="stopped")])
    view.change(streaming(2, "```\none"))
    view.extend(2, "\ntwo\n```\nend")
    view.change(answer(2, "```\none\ntwo\n```\nend"))
    assert view.last_code() == "one\ntwo"


def test_another_text_takes_the_place_of_the_first(view: MessageView) -> None:
    view.open([question(1), answer(2, "first")])
    view.change(answer(2, "second"))
    row = view.rows[-1]
    assert isinstance(row, Answer)
    assert prose_of(row) == "second"


def test_own_text_is_shown_as_it_was_written(view: MessageView) -> None:
    text = "# no heading\n**stars**\n\n  two spaces <b>"
    view.open([question(1, text)])
    row = view.rows[0]
    assert isinstance(row, Question)
    assert row.bubble.text.toPlainText() == text


def test_a_very_long_question_is_shown_in_parts(view: MessageView, qtbot: QtBot) -> None:
    """C103."""
    view.open([question(1, "x" * 5_000_000)])
    row = view.rows[0]
    assert isinstance(row, Question)
    shown = len(row.bubble.text.toPlainText().replace("\n", ""))
    assert shown == FIRST_SHOWN
    assert row.content() == "x" * 5_000_000
    qtbot.mouseClick(row.bubble.more_button, Qt.MouseButton.LeftButton)
    assert len(row.bubble.text.toPlainText().replace("\n", "")) > shown


def test_a_bubble_is_as_narrow_as_its_text(view: MessageView) -> None:
    view.open([question(1, "short"), question(2, "long " * 100)])
    one, other = (row.bubble for row in view.rows if isinstance(row, Question))
    assert one.width() < 200 < other.width() < view.rows[1].width()
    assert one.geometry().right() == other.geometry().right()


def test_all_follows_the_theme(view: MessageView, theme: Theme) -> None:
    view.open([question(1, "text"), answer(2, "text\n\n```python\nx = 1\n```\n\n| a |\n|---|\n| 1 |\n")])
    before = view.rows[-1].height()
    theme.follow(Qt.ColorScheme.Dark)
    theme.set_zoom(140)
    assert view.rows[-1].height() > before
    assert not view.grab().toImage().isNull()


def test_while_an_answer_waits_it_says_for_what(view: MessageView) -> None:
    view.open([question(1), streaming(2)])
    view.set_state(replace(READY, phase="reading", done=10, total=100))
    row = view.rows[-1]
    assert isinstance(row, Answer)
    assert row.waiting.isVisible()
    assert "10" in row.waiting.text()
    view.change(answer(2))
    assert not row.waiting.isVisible()
