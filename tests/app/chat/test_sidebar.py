"""The list of conversations."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.chat import chat_delegate
from app.chat.chat_model import CHAT, ChatModel
from app.chat.records import Conversation
from app.chat.sidebar import Sidebar
from app.theme.theme import Theme

assert chat_delegate  # tested through the list
DAY = 86400


def chat(id: int, title: str, age: float = 0) -> Conversation:
    return Conversation(id, title, time.time() - age, time.time() - age)


def chats() -> list[Conversation]:
    return [chat(1, "one"), chat(2, "", DAY * 40), chat(3, "three", DAY * 80)]


@pytest.fixture
def sidebar(theme: Theme, qtbot: QtBot) -> Iterator[Sidebar]:
    made = Sidebar(theme)
    qtbot.addWidget(made)
    made.resize(260, 500)
    made.show_chats(chats())
    made.show()
    yield made


def titles(model: ChatModel) -> list[str]:
    return [str(model.index(row).data()) for row in range(model.rowCount())]


def current(sidebar: Sidebar) -> int | None:
    found = sidebar.list.chat_at(sidebar.list.currentIndex())
    return found.id if found else None


def test_chats_are_listed_newest_first_under_headings(sidebar: Sidebar) -> None:
    assert titles(sidebar.list.chats) == ["Today", "one", "Earlier", "New chat", "three"]


def test_headings_cannot_be_chosen(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.mark_open(1)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert current(sidebar) == 2
    assert sidebar.list.chats.index(0).flags() == Qt.ItemFlag.NoItemFlags


def test_a_click_or_enter_opens(sidebar: Sidebar, qtbot: QtBot) -> None:
    place = sidebar.list.visualRect(sidebar.list.chats.index_of(3)).center()
    with qtbot.waitSignal(sidebar.opened) as opened:
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.args == [3]
    with qtbot.waitSignal(sidebar.opened):
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Return)


def test_delete_deletes_and_backspace_does_not(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.mark_open(3)
    with qtbot.assertNotEmitted(sidebar.deleted):
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Backspace)
    with qtbot.waitSignal(sidebar.deleted) as deleted:
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert deleted.args == [3]


def rename(sidebar: Sidebar, qtbot: QtBot, text: str) -> None:
    sidebar.list.setFocus()
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText(text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()


def test_f2_renames(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.mark_open(3)
    with qtbot.waitSignal(sidebar.renamed) as renamed, qtbot.assertNotEmitted(sidebar.opened):
        rename(sidebar, qtbot, "  another name ")
    assert renamed.args == [3, "another name"]


def test_an_empty_title_is_none(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.mark_open(3)
    with qtbot.assertNotEmitted(sidebar.renamed):
        rename(sidebar, qtbot, "   ")


def test_a_new_list_waits_while_a_title_is_written(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.mark_open(3)
    qtbot.keyClick(sidebar.list, Qt.Key.Key_F2)
    sidebar.show_chats([chat(9, "nine"), *chats()])
    assert sidebar.list.is_editing()
    editor = sidebar.list.findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: "nine" in titles(sidebar.list.chats))


def test_the_menu_offers_both(sidebar: Sidebar, qtbot: QtBot) -> None:
    menu = sidebar.list.menu_for(sidebar.list.chats.index_of(1))
    assert menu is not None
    rename_action, delete = menu.actions()
    with qtbot.waitSignal(sidebar.deleted) as deleted:
        delete.trigger()
    assert deleted.args == [1]
    rename_action.trigger()
    assert sidebar.list.is_editing()
    assert sidebar.list.menu_for(sidebar.list.chats.index(0)) is None


def test_the_open_chat_stays_marked(sidebar: Sidebar) -> None:
    sidebar.mark_open(2)
    sidebar.show_chats([chat(9, "nine"), *chats()])
    assert current(sidebar) == 2
    sidebar.mark_open(None)
    assert current(sidebar) is None


def test_a_new_title_moves_nothing(sidebar: Sidebar, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(sidebar.list.chats.modelReset), qtbot.waitSignal(sidebar.list.chats.dataChanged):
        sidebar.show_chats([chat(1, "one more"), *chats()[1:]])
    assert "one more" in titles(sidebar.list.chats)


def test_without_chats_it_says_so(sidebar: Sidebar) -> None:
    sidebar.show_chats([])
    assert not sidebar.list.isVisible()
    sidebar.show_chats(chats())
    assert sidebar.list.isVisible()


def test_a_screen_reader_hears_title_and_time(sidebar: Sidebar) -> None:
    index = sidebar.list.chats.index_of(1)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "one, now"
    assert isinstance(index.data(CHAT), Conversation)


def test_it_is_painted_in_every_state(sidebar: Sidebar, theme: Theme) -> None:
    """C107: titles in either direction."""
    sidebar.show_chats([*chats(), chat(5, "שלום לכולם " * 10)])
    sidebar.mark_open(1)
    sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    light = sidebar.grab().toImage()
    theme.follow(Qt.ColorScheme.Dark)
    assert sidebar.grab().toImage() != light
