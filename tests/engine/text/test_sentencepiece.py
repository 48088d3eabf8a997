"""Merges from scores, against the algorithm itself written out plainly."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.text.sentencepiece import merges, sentencepiece

MARK = "\u2581"
PIECES = [
    f"{MARK}t",
    "he",
    "ll",
    f"{MARK}the",
    "hell",
    "lo",
    "hello",
    f"{MARK}{MARK}",
    f"{MARK}{MARK}{MARK}{MARK}",
    "ello",
]
PIECES += ["th", "e" + MARK, "the", "o" + MARK + "t", f"lo{MARK}", MARK, *"thelo"]
SCORES = {piece: -float(rank) for rank, piece in enumerate(PIECES)}
VOCAB = {token: id for id, token in enumerate(("<unk>", "<s>", *(f"<0x{n:02X}>" for n in range(256)), *PIECES))}


def joined(text: str, scores: Mapping[str, float]) -> list[str]:
    """Joins the neighbours whose union has the best score, the leftmost of equals, while there are any."""
    parts = list(text)
    while True:
        found = [(-scores[a + b], at) for at, (a, b) in enumerate(pairwise(parts)) if a + b in scores]
        if not found:
            return parts
        _, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


@given(st.text(alphabet="thelo "))
def test_the_same_pieces_as_the_algorithm(text: str) -> None:
    library = sentencepiece(VOCAB, SCORES, "<unk>", prefix=False)
    assert library.encode(text).tokens == joined(text.replace(" ", MARK), SCORES)


@given(st.text(alphabet="thelo é🌳"))
def test_a_prefix_and_bytes_for_what_has_no_piece(text: str) -> None:
    library = sentencepiece(VOCAB, SCORES, "<unk>", prefix=True)
    ids = library.encode(text).ids
    assert library.decode(ids) == text
    assert not text or library.encode(text).tokens[0].startswith(MARK)


def test_only_ordinary_pieces_come_about_by_joining() -> None:
    scores = {"<": -1.0, "s>": -2.0, ">": -3.0, "s": -4.0, "<s": -5.0}
    assert merges(scores) == [("s", ">"), ("<", "s")]
    assert ("<", "s>") not in merges(scores)


def test_merges_are_ordered_by_what_they_make() -> None:
    scores = {"a": -9.0, "b": -9.0, "ab": -1.0, "aba": -2.0, "ba": -3.0}
    assert merges(scores) == [("a", "b"), ("a", "ba"), ("ab", "a"), ("b", "a")]
