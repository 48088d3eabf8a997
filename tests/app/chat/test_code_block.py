from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat.code_block import CodeBlock
from app.chat.code_view import LONGEST_LINE
from app.theme.theme import Theme
from app.widgets.icon_button import IconButton


@pytest.fixture
def block(theme: Theme, qtbot: QtBot) -> Iterator[CodeBlock]:
    made = CodeBlock(theme, "python")
    qtbot.addWidget(made)
    made.resize(500, 200)
    yield made


def test_it_shows_what_it_is_given(block: CodeBlock) -> None:
    for part in ("def f", "():\n", "    pass\n", "\n", "x"):
        block.append(part)
        block.settle()
    block.finish()
    assert block.text == block.view.toPlainText() == "def f():\n    pass\n\nx"


def test_a_line_break_at_the_end_is_no_line(block: CodeBlock) -> None:
    block.append("one\n")
    assert block.view.document().blockCount() == 1
    block.append("two\n")
    block.finish()
    assert block.view.document().blockCount() == 2
    assert block.text == "one\ntwo"


def test_copy_gives_the_code_as_written(block: CodeBlock, qtbot: QtBot) -> None:
    long = "x" * (3 * LONGEST_LINE)
    block.append(f"{long}\n\tend\n")
    block.show()
    button = block.findChild(IconButton)
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == f"{long}\n\tend"
    assert button.accessibleName() == "Copied"


def test_over_long_lines_are_broken_on_the_screen_only(block: CodeBlock) -> None:
    """C098: 200 kB without a line break, in a code block."""
    for _ in range(200):
        block.append("x" * 1000)
        block.settle()
    assert block.view.document().blockCount() == 200_000 // LONGEST_LINE
    assert block.text == "x" * 200_000


def test_it_is_as_high_as_its_lines(block: CodeBlock) -> None:
    block.append("one")
    one = block.sizeHint().height()
    block.append("\ntwo\nthree")
    three = block.sizeHint().height()
    line = block.view.blockBoundingRect(block.view.document().firstBlock()).height()
    assert three - one == pytest.approx(2 * line, abs=1)


def test_a_line_in_another_script_may_be_higher(block: CodeBlock) -> None:
    block.append("a = '你好 👋🏽'\nb")
    total = sum(
        block.view.blockBoundingRect(block.view.document().findBlockByNumber(number)).height() for number in (0, 1)
    )
    assert block.view.sizeHint().height() >= total


def test_code_is_left_to_right_among_hebrew(block: CodeBlock) -> None:
    """C107."""
    block.append("שלום = 1  # עברית\n")
    option = block.view.document().defaultTextOption()
    assert option.textDirection() == Qt.LayoutDirection.LeftToRight
    assert block.layoutDirection() == Qt.LayoutDirection.LeftToRight


def test_lines_that_do_not_fit_scroll_sideways(block: CodeBlock, qtbot: QtBot) -> None:
    block.append("short")
    block.show()
    assert block.view.horizontalScrollBar().maximum() == 0
    before = block.heightForWidth(500)
    block.append(" and now much longer" * 20)
    qtbot.waitUntil(lambda: block.view.horizontalScrollBar().maximum() > 0)
    assert block.heightForWidth(500) > before
    assert block.heightForWidth(50_000) == before


def test_another_theme_and_zoom(block: CodeBlock, theme: Theme) -> None:
    block.append("x = 1\ny = 2\n")
    block.finish()
    before = block.sizeHint().height()
    theme.set_zoom(150)
    block.retheme(theme)
    assert block.sizeHint().height() > before
    assert not block.grab().toImage().isNull()
