"""The whole window."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListView, QMenu, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.bridge.state import EngineState
from app.widgets.actions import ACTIONS
from app.widgets.help_sheet import HelpSheet
from app.window import MainWindow
from engine.errors import DoesNotFit, EngineDied
from tests.app.fake_controller import CARD, READY, FakeController

CONTROL = Qt.KeyboardModifier.ControlModifier
TEXT = "Text\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n"


@dataclass
class Remembered:
    geometry: bytes = b""
    sidebar_width: int = 0
    zoom: int = 100


@pytest.fixture
def controller() -> FakeController:
    return FakeController()


@pytest.fixture
def window(controller: FakeController, qtbot: QtBot) -> Iterator[MainWindow]:
    made = MainWindow(controller, Remembered())
    made.theme.follow(Qt.ColorScheme.Light)
    qtbot.addWidget(made)
    made.show()
    controller.start()
    yield made


def everything(window: MainWindow, controller: FakeController) -> None:
    """All that the window can show at a time."""
    controller.seed("another chat", ("user", "question"), age_s=100_000)
    controller.send("question")
    controller.say(TEXT)
    controller.settle("failed", "It broke. Mend it.", None)
    controller.problem.emit(DoesNotFit("cpu", 2**34, 2**30).problem())
    controller.notice.emit("Deleted", "Undo", lambda: None)
    window.chat_page.panel.composer.editor.pasted_long.emit("x" * 100_000)
    window.chat_page.panel.composer.begin_edit("question")
    controller.set_state(EngineState("dead", CARD.source, problem=EngineDied(1).problem()))


def widgets(window: MainWindow) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.isVisible()]


def test_the_names_that_others_look_for(window: MainWindow, controller: FakeController) -> None:
    everything(window, controller)
    controller.set_state(READY)
    wanted = {
        "composerInput", "sendButton", "stopButton", "reloadButton", "continueButton", "newChatButton",
        "chatList", "modelButton",
    }  # fmt: skip
    found = [widget.objectName() for widget in window.findChildren(QWidget)]
    assert wanted <= set(found)
    assert all(found.count(name) == 1 for name in wanted)


def test_every_control_has_a_name(window: MainWindow, controller: FakeController) -> None:
    everything(window, controller)
    skipped = (QScrollBar, QMenu)
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(widget, skipped)
        and not widget.accessibleName()
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []


def test_a_screen_reader_finds_role_and_name(window: MainWindow, controller: FakeController) -> None:
    everything(window, controller)
    button = window.chat_page.panel.dead.reload_button
    interface = QAccessible.queryAccessibleInterface(button)
    assert interface.role() == QAccessible.Role.Button
    assert interface.text(QAccessible.Text.Name) == "Reload and continue"


def test_tab_reaches_all_controls(window: MainWindow, controller: FakeController, qtbot: QtBot) -> None:
    controller.seed("another chat", age_s=100_000)
    controller.send("question")
    controller.say(TEXT)
    controller.settle("stopped")
    window.chat_page.panel.composer.editor.set_text("text")
    QApplication.processEvents()
    reached: list[QWidget] = []
    for _ in range(60):
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Tab)
        focused = window.focusWidget()
        assert focused is not None
        if focused in reached:
            break
        reached.append(focused)
    names = {widget.accessibleName() for widget in reached}
    assert {"Chat", "New chat", "Chats", "Message", "Send", "Messages", "Copy", "Regenerate", "Continue"} <= names
    assert any(name.startswith("Model:") for name in names)


@pytest.mark.parametrize("scheme", [Qt.ColorScheme.Light, Qt.ColorScheme.Dark])
@pytest.mark.parametrize("zoom", [80, 100, 200])
def test_all_of_it_is_painted(
    window: MainWindow, controller: FakeController, scheme: Qt.ColorScheme, zoom: int
) -> None:
    everything(window, controller)
    window.theme.follow(scheme)
    window.theme.set_zoom(zoom)
    QApplication.processEvents()
    image = window.grab().toImage()
    corner = image.pixelColor(image.width() - 3, image.height() - 3)
    assert corner == window.theme.colour("window")


@pytest.mark.parametrize("size", [(1024, 640), (720, 480)])
def test_nothing_is_cut_in_a_small_window(
    window: MainWindow, controller: FakeController, size: tuple[int, int]
) -> None:
    controller.send("question")
    controller.say(TEXT)
    controller.settle("stopped")
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    for widget in widgets(window):
        if isinstance(widget, QLabel) and widget.text():
            assert widget.width() > 0
    composer = window.chat_page.panel.composer
    assert window.rect().contains(composer.mapTo(window, composer.rect().bottomRight()))
    assert composer.send_button.width() == composer.send_button.sizeHint().width()


def test_the_field_has_the_focus_at_start(window: MainWindow) -> None:
    assert window.focusWidget() is window.chat_page.panel.composer.editor


@pytest.mark.parametrize(
    ("keys", "call"),
    [("Ctrl+N", "new_chat"), ("Esc", "stop"), ("Ctrl+R", "regenerate"), ("Alt+Return", "continue_answer")],
)
def test_keys_do_what_the_table_says(
    window: MainWindow, controller: FakeController, keys: str, call: str, qtbot: QtBot
) -> None:
    controller.send("question")
    if call == "stop":
        controller.set_state(EngineState("loading", "/m"))
    else:
        controller.settle("stopped")
    controller.calls.clear()
    QTest.keySequence(window.chat_page.panel.composer.editor, QKeySequence(keys))
    assert call in [made[0] for made in controller.calls]


def test_the_sidebar_and_the_field_by_key(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keySequence(window, QKeySequence("Ctrl+B"))
    assert not window.chat_page.sidebar.isVisible()
    QTest.keySequence(window, QKeySequence("Ctrl+B"))
    chats = window.findChild(QListView, "chatList")
    assert chats is not None
    chats.setFocus()
    QTest.keySequence(window, QKeySequence("Ctrl+L"))
    assert window.focusWidget() is window.chat_page.panel.composer.editor


def test_zoom_by_key(window: MainWindow) -> None:
    before = window.chat_page.panel.composer.editor.font().pixelSize()
    QTest.keySequence(window, QKeySequence("Ctrl+="))
    assert window.theme.zoom == 110
    assert window.chat_page.panel.composer.editor.font().pixelSize() > before
    QTest.keySequence(window, QKeySequence("Ctrl+-"))
    QTest.keySequence(window, QKeySequence("Ctrl+-"))
    assert window.theme.zoom == 90
    QTest.keySequence(window, QKeySequence("Ctrl+0"))
    assert window.theme.zoom == 100


def test_escape_closes_the_help_before_it_stops(window: MainWindow, controller: FakeController, qtbot: QtBot) -> None:
    controller.set_state(EngineState("loading", "/m"))
    QTest.keySequence(window, QKeySequence("Ctrl+/"))
    (sheet,) = window.findChildren(HelpSheet)
    qtbot.waitUntil(sheet.isVisible)
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert "stop" not in [call[0] for call in controller.calls]


@pytest.mark.qt_log_ignore("^This plugin does not support (raise|grabbing the keyboard)", extend=True)
def test_the_menu_of_models_by_key(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keySequence(window, QKeySequence("Ctrl+Shift+L"))
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    assert popup.actions()[0].text() == "SmolLM2-135M-Instruct.gguf"
    popup.close()


def test_tooltips_name_the_keys(window: MainWindow) -> None:
    assert window.chat_page.sidebar.new_button.toolTip() == "New chat (Ctrl+N)"
    assert window.rail.help_button.toolTip() == "Keyboard shortcuts (Ctrl+/)"


def test_every_action_of_the_table_is_there(window: MainWindow) -> None:
    assert set(window.shortcuts) == {row.name for row in ACTIONS}


def test_place_width_and_zoom_come_back(controller: FakeController, qtbot: QtBot) -> None:
    memory = Remembered()
    first = MainWindow(controller, memory)
    qtbot.addWidget(first)
    first.show()
    first.resize(760, 555)
    first.theme.set_zoom(120)
    first.chat_page.splitter.set_side_width(251)
    first.close()
    second = MainWindow(controller, memory)
    qtbot.addWidget(second)
    second.show()
    assert (second.width(), second.height()) == (760, 555)
    assert second.chat_page.splitter.side_width == 251
    assert second.theme.zoom == 120


def test_a_place_that_cannot_be_read_is_the_usual_one(controller: FakeController, qtbot: QtBot) -> None:
    window = MainWindow(controller, Remembered(geometry=b"nonsense"))
    qtbot.addWidget(window)
    window.show()
    assert window.width() >= 720


def test_the_draft_is_kept_when_the_window_closes(window: MainWindow, controller: FakeController) -> None:
    window.chat_page.panel.composer.editor.set_text("unsent")
    window.close()
    assert controller.calls[-1] == ("set_draft", "unsent")


def test_the_theme_is_followed_while_an_answer_streams(window: MainWindow, controller: FakeController) -> None:
    controller.send("question")
    controller.say(TEXT)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    controller.say("more\n")
    controller.settle()
    QApplication.processEvents()
    assert window.theme.tokens.dark
    assert window.chat_page.panel.view.rows[-1].content() == TEXT + "more\n"


def test_the_window_imports_neither_torch_nor_what_is_slow() -> None:
    heavy = {"torch", "numpy", "transformers", "tokenizers", "PySide6.QtNetwork", "PySide6.QtQml"}
    code = f"import app.window, sys; found = {heavy} & set(sys.modules); sys.exit(str(found) if found else 0)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
