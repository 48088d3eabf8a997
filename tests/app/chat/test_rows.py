from __future__ import annotations

import pytest

from app.chat.rows import alignment, cells, is_delimiter


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("| a | b |", ("a", "b")),
        ("a|b", ("a", "b")),
        (r"| a \| b | c |", ("a | b", "c")),
        ("|  |", ("",)),
        (r"| a \|", ("a |",)),
    ],
)
def test_cells(line: str, expected: tuple[str, ...]) -> None:
    assert cells(line) == expected


def test_delimiters() -> None:
    assert all(is_delimiter(line) for line in ("|---|---|", "--|--", "|:-:|", ":--"))
    assert not any(is_delimiter(line) for line in ("| a |", "||", "", "|--|x|", "- item | b"))


def test_alignment() -> None:
    assert alignment("|:--|--:|:-:|---|") == ("left", "right", "center", "")
