"""Pieces are the same however the text arrives, small, and what CommonMark says."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.chat.pieces import CodeClosed, CodeOpened, CodeText, Prose, TableClosed, TableOpened, TableRow, Update
from app.chat.segments import PIECE_LIMIT, Segmenter

SAMPLE = """Hello **world**
second line

1. First

   continuation

   ```python
   def f():
       pass
   ```

1. Second
   - nested
   - again
     more

| a | b |
|---|:-:|
| 1 | x \\| y |
| 2 |

> quote
> more

- ```sh
  ls
  ```

~~~
tilde ``` inside
~~~

---

    indented code

```
unclosed"""


def final(updates: list[Update]) -> list[Update]:
    """What remains: final prose, code text joined."""
    kept: list[Update] = []
    for update in updates:
        last = kept[-1] if kept else None
        if isinstance(update, CodeText) and isinstance(last, CodeText):
            kept[-1] = CodeText(last.text + update.text)
        elif not isinstance(update, Prose) or (update.final and update.text):
            kept.append(update)
    return kept


def read(text: str, *cuts: int) -> list[Update]:
    segmenter = Segmenter()
    updates: list[Update] = []
    places = [0, *sorted(cuts), len(text)]
    for start, end in pairwise(places):
        updates += segmenter.feed(text[start:end])
    return updates + segmenter.finish()


@given(st.lists(st.integers(0, len(SAMPLE)), max_size=60))
def test_the_pieces_do_not_depend_on_how_the_text_arrives(cuts: list[int]) -> None:
    assert final(read(SAMPLE, *cuts)) == final(read(SAMPLE))


@given(st.text(alphabet="ab `~|->#*1.\n\t:", max_size=120), st.lists(st.integers(0, 120), max_size=40))
def test_nor_for_any_other_text(text: str, cuts: list[int]) -> None:
    inside = [min(cut, len(text)) for cut in cuts]
    assert final(read(text, *inside)) == final(read(text))


@given(st.text(alphabet="ab `~|->\n", max_size=200))
def test_blocks_open_and_close_in_order(text: str) -> None:
    open_kind: type[object] | None = None
    for update in read(text, *range(len(text))):
        if isinstance(update, (CodeOpened, TableOpened)):
            assert open_kind is None
            open_kind = CodeClosed if isinstance(update, CodeOpened) else TableClosed
        elif isinstance(update, (CodeClosed, TableClosed)):
            assert type(update) is open_kind
            open_kind = None
        elif isinstance(update, CodeText):
            assert open_kind is CodeClosed
        elif isinstance(update, TableRow):
            assert open_kind is TableClosed
        else:
            assert open_kind is None
    assert open_kind is None


def test_a_fence_in_a_list_item_is_a_code_block_of_that_level() -> None:
    updates = final(read("1. do\n\n   ```sh\n   ls -l\n     x\n   ```\n2. done"))
    assert updates == [
        Prose("1. do", 0, True),
        CodeOpened("sh", 1),
        CodeText("ls -l\n  x\n"),
        CodeClosed(),
        Prose("2. done", 0, True),
    ]


def test_a_list_that_is_cut_goes_on_counting() -> None:
    updates = final(read("1. one\n\n1. two\n\n1. three\n\ntext\n\n1. anew"))
    assert [update.text for update in updates if isinstance(update, Prose)] == [
        "1. one", "2. two", "3. three", "text", "1. anew",
    ]  # fmt: skip


def test_text_of_a_nested_item_after_a_blank_line_keeps_its_level() -> None:
    updates = final(read("- a\n  - b\n\n    about b\n\n  about a\n\nnone"))
    assert updates == [
        Prose("- a\n  - b", 0, True),
        Prose("about b", 2, True),
        Prose("about a", 1, True),
        Prose("none", 0, True),
    ]


def test_a_table_gives_rows_as_wide_as_its_header() -> None:
    updates = final(read("before\n| a | b |\n|:--|--:|\n| 1 |\n| 2 | 3 | 4 |\n\nafter"))
    assert updates == [
        Prose("before", 0, True),
        TableOpened(("a", "b"), ("left", "right"), 0),
        TableRow(("1", "")),
        TableRow(("2", "3")),
        TableClosed(),
        Prose("after", 0, True),
    ]


def test_bars_alone_make_no_table() -> None:
    assert final(read("a | b\nc | d")) == [Prose("a | b\nc | d", 0, True)]


def test_a_header_is_not_shown_as_prose_before_its_table() -> None:
    segmenter = Segmenter()
    shown = [update for cut in "| a | b |\n|--" for update in segmenter.feed(cut)]
    assert shown == []


def test_what_was_shown_as_prose_and_is_none_is_taken_back() -> None:
    segmenter = Segmenter()
    assert segmenter.feed("a | b") == [Prose("a | b", 0, False)]
    updates = segmenter.feed("\n--|--\n")
    assert updates == [Prose("", 0, True), TableOpened(("a", "b"), ("", ""), 0)]


def test_a_fence_may_be_longer_than_the_one_inside() -> None:
    updates = final(read("````md\n```py\nx\n```\n````\nend"))
    assert updates == [CodeOpened("md", 0), CodeText("```py\nx\n```\n"), CodeClosed(), Prose("end", 0, True)]


def test_a_line_without_end_is_cut_into_pieces() -> None:
    """C098: 200 kB without a space."""
    text = "x" * 200_000
    pieces = [update for update in final(read(text, *range(0, len(text), 700))) if isinstance(update, Prose)]
    assert "".join(piece.text for piece in pieces) == text
    assert max(len(piece.text) for piece in pieces) <= PIECE_LIMIT


def test_open_pieces_stay_small_whatever_is_streamed() -> None:
    """C098: what is given out again with each update does not grow."""
    nested = "".join("  " * (n % 6) + f"- item {n} with some words\n" for n in range(3000))
    paragraph = "A sentence of a paragraph that never ends. " * 3000
    for text in (nested, paragraph, "> quoted line\n" * 4000, "word " * 20_000):
        segmenter = Segmenter()
        for start in range(0, len(text), 500):
            for update in segmenter.feed(text[start : start + 500]):
                if isinstance(update, Prose):
                    assert len(update.text) <= 2 * PIECE_LIMIT + 600
