from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from app.chat.highlight import AT_ONCE, Highlighter, colour_of, lexer_of, spans_by_line
from app.theme.tokens import DARK, LIGHT


def test_languages_are_known_by_their_usual_names() -> None:
    for name in ("python", "py", "Python", "js", "cpp", "rust", "bash", "sh", "json", "html", "diff"):
        assert lexer_of(name) is not None, name
    assert lexer_of("") is None
    assert lexer_of("no such language") is None


@pytest.mark.parametrize(
    ("kind", "colour"),
    [
        ("Token.Keyword", "keyword"),
        ("Token.Keyword.Type", "type"),
        ("Token.Literal.String.Doc", "string"),
        ("Token.Literal.Number.Integer", "number"),
        ("Token.Name.Function.Magic", "function"),
        ("Token.Comment.Single", "comment"),
        ("Token.Name", ""),
        ("Token.Text.Whitespace", ""),
    ],
)
def test_colours_by_kind(kind: str, colour: str) -> None:
    assert colour_of(kind) == colour


def test_spans_are_in_units_of_qt() -> None:
    """An emoji counts as two."""
    lexer = lexer_of("python")
    assert lexer is not None
    lines = dict(spans_by_line(lexer, 'x = "👋"  # hi\nreturn', 10))
    starts = {colour: (start, length) for start, length, colour in lines[10]}
    assert starts["string"][0] + starts["string"][1] <= len('x = "') + 3
    assert starts["comment"] == (10, 4)
    assert lines[11] == [(0, 6, "keyword")]


def colours(document: QTextDocument, line: int) -> set[str]:
    layout = document.findBlockByNumber(line).layout()
    return {span.format.foreground().color().name() for span in layout.formats()}


def test_new_lines_are_coloured_with_those_above(qtbot: QtBot) -> None:
    document = QTextDocument("x = 1\nreturn x\n")
    highlighter = Highlighter(document, "python", LIGHT.syntax)
    highlighter.look_at(0, ["x = 1"])
    highlighter.look_at(0, ["x = 1", "return x"])
    assert LIGHT.syntax.number in colours(document, 0)
    assert LIGHT.syntax.keyword in colours(document, 1)


def test_the_whole_puts_right_what_a_part_could_not_know(qtbot: QtBot) -> None:
    lines = ['"""', "return is a word here", '"""', "return x"]
    document = QTextDocument("\n".join(lines))
    highlighter = Highlighter(document, "python", LIGHT.syntax)
    highlighter.look_at(1, lines[1:2])
    assert LIGHT.syntax.keyword in colours(document, 1)
    highlighter.complete("\n".join(lines))
    qtbot.waitUntil(lambda: colours(document, 1) == {LIGHT.syntax.string})
    assert LIGHT.syntax.keyword in colours(document, 3)


def test_long_code_is_read_in_slices(qtbot: QtBot) -> None:
    text = "\n".join(f"value_{n} = {n}" for n in range(4000))
    assert len(text) > AT_ONCE
    document = QTextDocument(text)
    highlighter = Highlighter(document, "python", LIGHT.syntax)
    highlighter.complete(text)
    assert colours(document, 3999) == set()  # the window comes first
    qtbot.waitUntil(lambda: LIGHT.syntax.number in colours(document, 3999), timeout=20_000)


def test_another_theme(qtbot: QtBot) -> None:
    document = QTextDocument("return 1")
    highlighter = Highlighter(document, "python", LIGHT.syntax)
    highlighter.complete("return 1")
    highlighter.recolour(DARK.syntax)
    assert DARK.syntax.keyword in colours(document, 0)


def test_unknown_languages_stay_plain(qtbot: QtBot) -> None:
    document = QTextDocument("return 1")
    highlighter = Highlighter(document, "klingon", LIGHT.syntax)
    highlighter.look_at(0, ["return 1"])
    highlighter.complete("return 1")
    assert colours(document, 0) == set()
