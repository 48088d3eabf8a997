"""Prose as it is written into a text document."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontInfo, QTextBlock, QTextListFormat
from pytestqt.qtbot import QtBot

from app.chat import inline, writer
from app.chat.parser import MarkdownParser
from app.chat.pieces import Prose
from app.chat.prose_block import ProseBlock
from app.chat.prose_style import BULLET, CODE_GROUND, INLINE_CODE, QUOTE, RULE, ProseStyle
from app.theme.theme import Theme
from app.theme.tokens import DARK

assert inline and writer  # what is tested here through the block
RIGHT, LEFT = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight


@pytest.fixture
def prose(theme: Theme, qtbot: QtBot) -> Iterator[ProseBlock]:
    made = ProseBlock(theme, MarkdownParser(), "Answer")
    qtbot.addWidget(made)
    yield made


def show(prose: ProseBlock, *texts: str, level: int = 0) -> list[QTextBlock]:
    for text in texts:
        prose.show_piece(Prose(text, level, True))
    return blocks(prose)


def blocks(prose: ProseBlock) -> list[QTextBlock]:
    found, block = [], prose.document().begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def test_emphasis_code_and_links(prose: ProseBlock) -> None:
    (block,) = show(prose, "a **bold** *leaning* `code` [link](https://example.org) ~~gone~~")
    assert block.text() == "a bold leaning code link gone"
    formats = {span.format.property(INLINE_CODE): span.format for span in block.textFormats()}
    assert True in formats
    weights = [span.format.fontWeight() for span in block.textFormats()]
    assert QFont.Weight.Bold in weights
    assert any(span.format.fontItalic() for span in block.textFormats())
    assert any(span.format.fontStrikeOut() for span in block.textFormats())
    assert [span.format.anchorHref() for span in block.textFormats() if span.format.isAnchor()] == [
        "https://example.org"
    ]


def test_a_line_break_of_the_model_stays_one(prose: ProseBlock) -> None:
    (block,) = show(prose, "roses are red\nviolets are blue")
    assert block.text() == "roses are red\u2028violets are blue"


def test_html_is_text(prose: ProseBlock) -> None:
    (block,) = show(prose, "a <b>b</b> <script>x</script> <img src='file:///etc/passwd'>")
    assert block.text() == "a <b>b</b> <script>x</script> <img src='file:///etc/passwd'>"


def test_pictures_are_links_and_are_not_fetched(prose: ProseBlock) -> None:
    (block,) = show(prose, "![a cat](https://example.org/cat.png) ![x](vscode://x) ![y](file:///y)")
    assert block.text() == "a cat x ![y](file:///y)"
    anchors = [span.format.anchorHref() for span in block.textFormats() if span.format.isAnchor()]
    assert anchors == ["https://example.org/cat.png"]
    assert prose.loadResource(2, "file:///etc/passwd") is None


def test_bare_addresses_become_links(prose: ProseBlock) -> None:
    (block,) = show(prose, "see https://example.org/a_b?c=1. And (http://example.com/x).")
    anchors = [span.format.anchorHref() for span in block.textFormats() if span.format.isAnchor()]
    assert anchors == ["https://example.org/a_b?c=1", "http://example.com/x"]


def test_other_schemes_are_no_links(prose: ProseBlock) -> None:
    (block,) = show(prose, "[a](ftp://example.org) [b](vscode://x) <javascript:alert(1)>")
    assert not [span for span in block.textFormats() if span.format.isAnchor()]


def test_headings_are_larger_by_rank(prose: ProseBlock) -> None:
    found = show(prose, "# one\n## two\n### three\n\ntext")
    spans = [block.textFormats()[0] for block in found]
    sizes = [span.format.font().pixelSize() for span in spans]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4


def test_lists_nest_and_count(prose: ProseBlock) -> None:
    found = show(prose, "- a\n  - b\n- c\n\n5. five\n6. six\n   more")
    assert [block.text() for block in found] == ["a", "b", "c", "five", "six\u2028more"]
    lists = [block.textList() for block in found]
    assert [each.format().indent() for each in lists] == [1, 2, 1, 1, 1]
    assert [block.blockFormat().property(BULLET) for block in found[:3]] == [0, 1, 0]
    assert lists[3].format().style() == QTextListFormat.Style.ListDecimal
    assert lists[3].itemText(found[3]) == "5."
    assert lists[3].itemText(found[4]) == "6."


def test_what_follows_in_an_item_is_indented_without_a_marker(prose: ProseBlock) -> None:
    found = show(prose, "1. first\n\n   second paragraph")
    assert found[1].textList() is None
    assert found[1].blockFormat().indent() == 1


def test_a_piece_inside_a_list_keeps_its_level(prose: ProseBlock) -> None:
    found = show(prose, "text", "- item", level=1)
    assert found[0].blockFormat().indent() == 1
    assert found[1].textList().format().indent() == 2


def test_an_item_may_be_empty(prose: ProseBlock) -> None:
    found = show(prose, "- ")
    assert found[0].textList() is not None


def test_quotes_rules_and_code_are_marked_for_painting(prose: ProseBlock) -> None:
    found = show(prose, "> a\n> > b", "---", "    code")
    assert [block.blockFormat().property(QUOTE) for block in found] == [1, 2, None, None]
    assert found[2].blockFormat().property(RULE)
    assert found[3].blockFormat().property(CODE_GROUND)
    assert found[3].text() == "code"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("שלום עולם", RIGHT),
        ("`code` שלום", RIGHT),
        ("123, שלום Python", RIGHT),
        ("Python שלום", LEFT),
        ("**مرحبا** with English terms", RIGHT),
        ("...", LEFT),
    ],
)
def test_direction_is_that_of_the_first_strong_letter(
    prose: ProseBlock, text: str, expected: Qt.LayoutDirection
) -> None:
    """C107: code is ignored; each paragraph is on its own."""
    found = show(prose, text, "plain English")
    assert found[0].blockFormat().layoutDirection() == expected
    assert found[1].blockFormat().layoutDirection() == LEFT


def test_list_items_have_their_own_direction(prose: ProseBlock) -> None:
    """C107."""
    found = show(prose, "1. שלום\n2. hello\n3. مرحبا")
    assert [block.blockFormat().layoutDirection() for block in found] == [RIGHT, LEFT, RIGHT]


def test_copying_gives_the_order_in_which_it_was_written(prose: ProseBlock) -> None:
    """C107."""
    show(prose, "שלום Python עולם 123")
    prose.selectAll()
    assert prose.textCursor().selectedText() == "שלום Python עולם 123"


def test_only_the_open_piece_is_read_again(theme: Theme, qtbot: QtBot) -> None:
    parser = MarkdownParser()
    prose = ProseBlock(theme, parser, "Answer")
    qtbot.addWidget(prose)
    prose.show_piece(Prose("first paragraph", 0, True))
    before = parser.characters
    for text in ("se", "second", "second **p"):
        prose.show_piece(Prose(text, 0, False))
    assert parser.characters - before == len("se") + len("second") + len("second **p**")
    assert prose.toPlainText() == "first paragraph\nsecond p"
    prose.show_piece(Prose("", 0, True))
    assert prose.toPlainText() == "first paragraph"


def test_replacing_the_open_piece_leaves_lists_and_margins_alone(prose: ProseBlock) -> None:
    show(prose, "1. one\n2. two")
    for text in ("3", "3. three", "3. three\n   > quoted", "text"):
        prose.show_piece(Prose(text, 0, False))
    prose.show_piece(Prose("3. three", 0, True))
    found = blocks(prose)
    assert [block.text() for block in found] == ["one", "two", "three"]
    assert found[1].textList().itemText(found[1]) == "2."
    assert found[2].textList().itemText(found[2]) == "3."
    assert found[0].blockFormat().topMargin() == 0


@pytest.mark.parametrize("first", ["---", "- "])
def test_an_empty_block_keeps_its_kind_below_open_pieces(prose: ProseBlock, first: str) -> None:
    before = show(prose, first)[0].blockFormat().properties()
    for text in ("t", "# text", "- text", "1. text"):
        prose.show_piece(Prose(text, 0, False))
    prose.show_piece(Prose("text", 0, True))
    found = blocks(prose)
    assert found[0].blockFormat().properties() == before
    assert (found[0].textList() is not None) == (first == "- ")
    assert found[1].textList() is None


def test_another_theme_is_taken_at_once(prose: ProseBlock, theme: Theme) -> None:
    show(prose, "final text")
    prose.show_piece(Prose("open text", 0, False))
    theme.follow(Qt.ColorScheme.Dark)
    prose.retheme(theme)
    colours = {span.format.foreground().color().name() for block in blocks(prose) for span in block.textFormats()}
    assert colours == {DARK.text}
    assert prose.toPlainText() == "final text\nopen text"
    prose.show_piece(Prose("open text grows", 0, True))
    assert prose.toPlainText() == "final text\nopen text grows"


def test_it_is_painted_without_complaint(prose: ProseBlock, qtbot: QtBot) -> None:
    show(prose, "> quote `code` שלום", "- a\n  - b\n    - c", "---", "    code", "שלום `code that is long` " * 20)
    prose.resize(300, prose.heightForWidth(300))
    prose.show()
    assert not prose.grab().toImage().isNull()


def test_inline_code_is_monospaced(theme: Theme) -> None:
    style = ProseStyle(theme)
    code = style.code(style.body())
    assert QFontInfo(code.font()).fixedPitch()
