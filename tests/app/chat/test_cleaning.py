from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.chat.cleaning import cleaned


def test_nul_and_controls_go() -> None:
    """C103."""
    assert cleaned("a\x00b\x07c\x1bd\te\n") == "abcd\te\n"


def test_lone_surrogates_become_the_replacement_character() -> None:
    """C103."""
    assert cleaned("a\ud800b\udc00") == "a\ufffdb\ufffd"
    assert cleaned("\ud83d\udc4b") == "👋"


def test_line_ends_are_one_kind() -> None:
    assert cleaned("a\r\nb\rc\u2028d\u2029e\x85f") == "a\nb\nc\nd\ne\nf"


@given(st.text())
def test_the_result_can_be_kept_and_is_clean_already(text: str) -> None:
    once = cleaned(text)
    once.encode("utf-8")
    assert cleaned(once) == once
