"""The wires between what people see and the controller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.bridge.state import EngineState
from app.chat import banner, dead_card, panel, welcome
from app.chat.page import ChatPage
from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from engine.errors import DoesNotFit, EngineDied
from tests.app.fake_controller import CARD, READY, FakeController

assert all((banner, dead_card, panel, welcome))  # tested through the page
DIED = EngineDied(-9).problem()
DEAD = EngineState("dead", CARD.source, problem=DIED)


@pytest.fixture
def controller() -> FakeController:
    return FakeController()


@pytest.fixture
def page(theme: Theme, controller: FakeController, qtbot: QtBot) -> Iterator[ChatPage]:
    made = ChatPage(theme, controller)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    controller.start()
    controller.calls.clear()
    yield made


def say(page: ChatPage, qtbot: QtBot, text: str) -> None:
    page.panel.composer.editor.set_text(text)
    qtbot.keyClick(page.panel.composer.editor, Qt.Key.Key_Return)


def done(controller: FakeController) -> list[object]:
    """Names of what was asked, drafts left out."""
    return [call[0] for call in controller.calls if call[0] != "set_draft"]


def test_a_question_and_its_answer(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    assert page.panel.welcome.isVisible()
    say(page, qtbot, "What is 2 + 2?")
    assert ("send", "What is 2 + 2?") in controller.calls
    assert page.panel.view.isVisible()
    assert page.panel.composer.stop_button.isVisible()
    controller.set_state(replace(READY, phase="answering"))
    controller.say("It is **4**.")
    controller.settle()
    controller.set_state(READY)
    answer = page.panel.view.last_answer()
    assert answer is not None
    assert answer.content == "It is **4**."
    assert page.panel.composer.send_button.isVisible()


def test_a_text_that_is_not_taken_comes_back(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    controller.send = lambda text: None  # type: ignore[method-assign]  # busy with another chat
    say(page, qtbot, "kept")
    assert page.panel.composer.text() == "kept"
    assert len(page.toasts.visible()) == 1


def test_escape_leaves_an_edit_first_and_stops_then(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    page.escape()
    assert done(controller) == []
    say(page, qtbot, "question")
    controller.settle()
    page.edit_last()
    assert page.panel.composer.text() == "question"
    page.escape()
    assert not page.panel.composer.editing
    controller.set_state(replace(READY, phase="answering"))
    page.escape()
    assert done(controller) == ["send", "stop"]


def test_escape_ends_a_load(page: ChatPage, controller: FakeController) -> None:
    controller.set_state(EngineState("loading", "/m"))
    page.escape()
    assert done(controller) == ["stop"]


def test_an_edited_question(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    say(page, qtbot, "qestion")
    controller.settle()
    qtbot.keyClick(page.panel.composer.editor, Qt.Key.Key_Up)
    assert page.panel.composer.editing
    say(page, qtbot, "question")
    assert controller.calls[-1] == ("edit_last", "question")


def test_regenerate_and_continue_wait_for_the_end(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    say(page, qtbot, "question")
    controller.set_state(replace(READY, phase="answering"))
    page.regenerate()
    page.continue_answer()
    page.edit_last()
    assert done(controller) == ["send"]
    assert not page.panel.composer.editing
    controller.settle("stopped")
    controller.set_state(READY)
    page.continue_answer()
    page.regenerate()
    assert done(controller) == ["send", "continue_answer", "regenerate"]


def test_a_finished_answer_does_not_go_on(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    say(page, qtbot, "question")
    controller.settle()
    page.continue_answer()
    assert done(controller) == ["send"]


def test_a_dead_engine_is_one_click_away_from_going_on(
    page: ChatPage, controller: FakeController, qtbot: QtBot
) -> None:
    say(page, qtbot, "question")
    controller.say("half of the")
    controller.settle("failed", str(DIED), None)
    controller.problem.emit(DIED)
    controller.set_state(DEAD)
    assert page.panel.dead.isVisible()
    assert not page.panel.banner.isVisible()  # told once
    button = page.findChild(TextButton, "reloadButton")
    assert button is not None
    assert button.text() == "Reload and continue"
    assert page.panel.view.text_of(controller.messages[-1]) == "half of the"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done(controller) == ["send", "reload", "continue_answer"]
    controller.set_state(EngineState("loading", CARD.source))
    assert not page.panel.dead.isVisible()


def test_an_engine_that_died_between_answers_is_only_reloaded(
    page: ChatPage, controller: FakeController, qtbot: QtBot
) -> None:
    say(page, qtbot, "question")
    controller.settle()
    controller.set_state(DEAD)
    qtbot.mouseClick(page.panel.dead.reload_button, Qt.MouseButton.LeftButton)
    assert done(controller) == ["send", "reload"]


def test_details_can_be_copied(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    controller.problem.emit(DoesNotFit("cpu", 2**34, 2**30).problem())
    assert page.panel.banner.isVisible()
    copy, dismiss = page.panel.banner.findChildren(TextButton)
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    assert "needed: 17179869184" in text
    assert "DoesNotFit" in text
    qtbot.mouseClick(dismiss, Qt.MouseButton.LeftButton)
    assert not page.panel.banner.isVisible()


def test_a_deleted_chat_can_be_brought_back(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    chat = controller.seed("old")
    page.sidebar.deleted.emit(chat.id)
    (toast,) = page.toasts.visible()
    (undo,) = toast.findChildren(TextButton)
    qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)
    assert controller.calls[-1] == ("restore_chat", chat.id)
    assert page.toasts.visible() == []


def test_drafts_belong_to_their_chats(page: ChatPage, controller: FakeController) -> None:
    first = controller.conversation
    assert first is not None
    other = controller.seed("other", draft="its own draft")
    page.panel.composer.editor.set_text("unsent")
    page.sidebar.opened.emit(other.id)
    drafts = [call for call in controller.calls if call[0] in ("set_draft", "open_chat")]
    assert drafts == [("set_draft", "unsent"), ("open_chat", other.id)]
    assert page.panel.composer.text() == "its own draft"


def test_an_edit_is_given_up_when_another_chat_is_opened(
    page: ChatPage, controller: FakeController, qtbot: QtBot
) -> None:
    say(page, qtbot, "question")
    controller.settle()
    page.edit_last()
    other = controller.seed("other")
    page.sidebar.opened.emit(other.id)
    assert not page.panel.composer.editing
    assert controller.calls[-2:] == [("set_draft", ""), ("open_chat", other.id)]


def test_the_sidebar_can_be_hidden(page: ChatPage, qtbot: QtBot) -> None:
    page.splitter.set_side_width(300)
    qtbot.mouseClick(page.sidebar.hide_button, Qt.MouseButton.LeftButton)
    assert not page.sidebar.isVisible()
    assert page.panel.header.sidebar_button.isVisible()
    qtbot.mouseClick(page.panel.header.sidebar_button, Qt.MouseButton.LeftButton)
    assert page.sidebar.isVisible()
    assert page.splitter.side_width == 300


def test_the_sidebar_grows_with_its_text(page: ChatPage, theme: Theme) -> None:
    page.splitter.set_side_width(300)
    theme.set_zoom(120)
    assert page.splitter.side_width == 360
    theme.set_zoom(100)
    assert page.splitter.side_width == 300
    theme.set_zoom(200)
    assert page.splitter.side_width == page.width() // 2


def test_copying(page: ChatPage, controller: FakeController, qtbot: QtBot) -> None:
    page.copy_code()
    page.copy_answer()
    assert page.toasts.visible() == []
    say(page, qtbot, "question")
    controller.say("text\n\n```py\nx = 1\n```\n")
    controller.settle()
    page.copy_answer()
    assert QGuiApplication.clipboard().text() == "text\n\n```py\nx = 1\n```\n"
    page.copy_code()
    assert QGuiApplication.clipboard().text() == "x = 1"


def test_without_a_model_the_page_leads_to_one(page: ChatPage, controller: FakeController) -> None:
    controller.set_state(EngineState("empty"))
    buttons = [button for button in page.panel.welcome.findChildren(TextButton) if button.isVisible()]
    assert [button.text() for button in buttons] == ["Open model folder…", "Open GGUF file…"]
    controller.set_state(READY)
    assert not any(button.isVisible() for button in buttons)


def test_a_chat_that_is_open_already_is_shown(theme: Theme, controller: FakeController, qtbot: QtBot) -> None:
    controller.start()
    controller.send("question")
    page = ChatPage(theme, controller)
    qtbot.addWidget(page)
    assert [message.content for message in page.panel.view.messages] == ["question", ""]
