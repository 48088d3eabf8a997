from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat import table_chunk
from app.chat.parser import MarkdownParser
from app.chat.table_block import CHUNK, TableBlock
from app.theme.theme import Theme

assert table_chunk  # tested through the table
RIGHT, LEFT = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight


@pytest.fixture
def holder(qtbot: QtBot) -> Iterator[QWidget]:
    made = QWidget()
    qtbot.addWidget(made)
    yield made


def make(theme: Theme, holder: QWidget, header: tuple[str, ...], alignment: tuple[str, ...] = ()) -> TableBlock:
    return TableBlock(theme, MarkdownParser(), header, alignment or ("",) * len(header), holder)


def test_cells_are_markdown(theme: Theme, holder: QWidget) -> None:
    table = make(theme, holder, ("*a*", "b"))
    table.add_row(("`x` **y**", "[z](https://example.org)"))
    text = table.chunks[0].toPlainText()
    assert [part for part in text.split("\n") if part] == ["a", "b", "x y", "z"]


def test_chunks_of_a_long_table_have_the_same_columns(theme: Theme, holder: QWidget) -> None:
    table = make(theme, holder, ("name", "number"))
    for number in range(3 * CHUNK):
        table.add_row((f"row {number}", str(number)))
    height = table.heightForWidth(600)
    widths = [[length.rawValue() for length in chunk.table_format().columnWidthConstraints()] for chunk in table.chunks]
    assert len(widths) == 4
    assert all(each == widths[0] for each in widths)
    assert height == sum(chunk.height() for chunk in table.chunks)


def test_columns_give_way_before_the_table_scrolls(theme: Theme, holder: QWidget) -> None:
    table = make(theme, holder, ("a", "b"))
    table.add_row(("many words in a cell " * 8, "and as many again in this " * 8))
    wide, narrow = table.heightForWidth(900), table.heightForWidth(300)
    assert narrow > wide
    table.resize(300, narrow)
    assert table.horizontalScrollBar().maximum() == 0


def test_many_columns_scroll_sideways(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    table = make(theme, holder, tuple(f"a long heading {n}" for n in range(12)))
    height = table.heightForWidth(300)
    table.resize(300, height)
    holder.show()
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() > 0)


def test_it_is_copied_as_tab_separated_lines(theme: Theme, holder: QWidget) -> None:
    table = make(theme, holder, ("a", "b"))
    table.add_row(("1", "2"))
    assert table.source() == "a\tb\n1\t2"


def test_each_cell_has_its_own_direction(theme: Theme, holder: QWidget) -> None:
    """C107."""
    table = make(theme, holder, ("שלום", "name"))
    directions = [table.chunks[0].cell_direction(0, column) for column in (0, 1)]
    assert directions == [RIGHT, LEFT]


def test_another_theme_keeps_the_rows(theme: Theme, holder: QWidget) -> None:
    table = make(theme, holder, ("a",))
    for number in range(CHUNK + 3):
        table.add_row((str(number),))
    theme.follow(Qt.ColorScheme.Dark)
    table.retheme(theme)
    assert sum(chunk.rows for chunk in table.chunks) == CHUNK + 4
    assert not table.grab().toImage().isNull()
