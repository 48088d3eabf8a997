from __future__ import annotations

import subprocess
import sys

import pytest

from app.chat.parser import MarkdownParser, close_open_marks


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("plain", "plain"),
        ("some **bold", "some **bold**"),
        ("some **bold** and", "some **bold** and"),
        ("some **", "some "),
        ("some `code", "some `code`"),
        ("done `code`", "done `code`"),
        ("**a**\nnext **b *", "**a**\nnext **b**"),
        ("first\n**second", "first\n**second**"),
    ],
)
def test_open_marks_are_closed(text: str, closed: str) -> None:
    assert close_open_marks(text) == closed


def test_link_definitions_hold_in_later_pieces() -> None:
    parser = MarkdownParser()
    parser.parse("[here]: https://example.org")
    children = parser.parse("see [here]")[1].children or []
    assert [child.attrGet("href") for child in children if child.type == "link_open"] == ["https://example.org"]


def test_it_counts_what_it_reads() -> None:
    parser = MarkdownParser()
    parser.parse("four")
    parser.parse_inline("five5")
    assert parser.characters == 9


def test_importing_the_window_reads_neither_markdown_nor_pygments() -> None:
    code = "import app.window, sys; sys.exit(bool({'markdown_it', 'pygments'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
