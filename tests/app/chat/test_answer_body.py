"""Streaming into an answer: what each update costs depends on the new text alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.chat.answer_body import AnswerBody
from app.chat.code_block import CodeBlock
from app.chat.prose_block import ProseBlock
from app.chat.segments import PIECE_LIMIT
from app.chat.table_block import CHUNK, TableBlock
from app.theme.theme import Theme

UPDATE = 400  # characters that arrive between two updates


@pytest.fixture
def body(theme: Theme, qtbot: QtBot) -> Iterator[AnswerBody]:
    made = AnswerBody(theme)
    qtbot.addWidget(made)
    made.resize(700, 100)
    yield made


def stream(body: AnswerBody, text: str) -> list[int]:
    """Characters that each update gave to the parser."""
    costs = []
    for start in range(0, len(text), UPDATE):
        before = body.parsed_characters
        body.feed(text[start : start + UPDATE])
        body.flush()
        costs.append(body.parsed_characters - before)
    return costs


CASES = {
    "300-row table": "| a | b |\n|---|---|\n" + "".join(f"| row {n} | {n * n} |\n" for n in range(300)),
    "200 kB line without spaces": "x" * 200_000,
    "nested lists": "".join("  " * (n % 6) + f"- item {n} with some words\n" for n in range(3000)),
    "loose list": "".join(f"{n}. item\n\n   more of it\n\n" for n in range(1500)),
    "one paragraph": "A sentence that is followed by another one. " * 2500,
    "quote": "> line of a quote\n" * 4000,
}


@pytest.mark.parametrize("name", CASES)
def test_no_update_reads_more_than_the_last_piece(body: AnswerBody, name: str) -> None:
    """C098."""
    costs = stream(body, CASES[name])
    assert max(costs) <= 2 * PIECE_LIMIT + 2 * UPDATE
    assert sum(costs[-10:]) <= 10 * (2 * PIECE_LIMIT + 2 * UPDATE)


def test_code_is_never_read_as_markdown_and_never_set_anew(body: AnswerBody) -> None:
    """C098: one code block of 5000 lines, its fence never closed."""
    code = "".join(f"value_{n} = compute({n}, 'text')  # comment\n" for n in range(5000))
    changed: list[int] = []
    body.feed("```python\n")
    body.flush()
    block = body.blocks[0]
    assert isinstance(block, CodeBlock)
    block.view.document().contentsChange.connect(lambda at, gone, come: changed.append(gone + come))
    stream(body, code)
    assert body.parsed_characters == 0
    assert len(body.blocks) == 1
    assert block.text == code.removesuffix("\n")
    # Formats are set anew for the lines that have just ended, text is only ever added.
    assert max(changed) <= 2 * UPDATE


def test_a_table_grows_by_small_chunks(body: AnswerBody) -> None:
    """C098: no document of a long table has more rows than a chunk."""
    stream(body, CASES["300-row table"])
    table = body.blocks[0]
    assert isinstance(table, TableBlock)
    assert [chunk.rows for chunk in table.chunks[:-1]] == [CHUNK] * (len(table.chunks) - 1)
    assert sum(chunk.rows for chunk in table.chunks) == 301


def test_a_streamed_answer_ends_up_like_one_shown_at_once(theme: Theme, qtbot: QtBot, body: AnswerBody) -> None:
    sample = Path(__file__).with_name("sample.md").read_text(encoding="utf-8")
    whole = AnswerBody(theme)
    qtbot.addWidget(whole)
    whole.resize(700, 100)
    whole.feed(sample)
    whole.finish()
    for letter in sample:
        body.feed(letter)
        body.flush()
    body.finish()
    assert outline(body) == outline(whole)
    assert body.heightForWidth(700) == whole.heightForWidth(700)


def outline(body: AnswerBody) -> list[tuple[str, str]]:
    texts = []
    for block in body.blocks:
        if isinstance(block, CodeBlock):
            texts.append((block.language, block.text))
        elif isinstance(block, TableBlock):
            texts.append(("table", block.source()))
        elif isinstance(block, ProseBlock):
            texts.append(("prose", block.toPlainText()))
    return texts


def test_the_blocks_are_what_the_text_says(body: AnswerBody) -> None:
    body.feed("Look:\n\n1. Run\n\n   ```sh\n   ls\n   ```\n\n2. Done\n\n| a |\n|---|\n| 1 |\n")
    body.finish()
    assert outline(body) == [
        ("prose", "Look:\nRun"),
        ("sh", "ls"),
        ("prose", "Done"),
        ("table", "a\n1"),
    ]
    code, table = body.blocks[1], body.blocks[3]
    assert code.x() > table.x() == 0  # it stands under its list item


def test_updates_are_gathered(body: AnswerBody, qtbot: QtBot) -> None:
    body.feed("some ")
    body.feed("text")
    assert body.blocks == []
    qtbot.waitUntil(lambda: outline(body) == [("prose", "some text")])


def test_a_table_leaves_no_empty_prose_above_it(body: AnswerBody) -> None:
    body.feed("a | b")
    body.flush()
    assert outline(body) == [("prose", "a | b")]
    body.feed("\n--|--\n1 | 2\n")
    body.finish()
    assert outline(body) == [("table", "a\tb\n1\t2")]


def test_its_last_code_is_to_be_had(body: AnswerBody) -> None:
    assert body.last_code() is None
    body.feed("```\none\n```\n```\ntwo\n```\n")
    body.finish()
    assert body.last_code() == "two"


def test_height_follows_the_text(body: AnswerBody, qtbot: QtBot) -> None:
    body.feed("one line")
    body.flush()
    before = body.heightForWidth(700)
    with qtbot.waitSignal(body.restacked):
        body.feed("\n\nanother\n\nand another")
        body.flush()
    assert body.heightForWidth(700) > before
    assert body.heightForWidth(80) > body.heightForWidth(700)
