"""Markdown to tokens. The parser is made when the first answer is shown, not when the window starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


class MarkdownParser:
    """Parses the pieces of one answer; link definitions of earlier pieces hold in later ones.

    `characters` counts all that was ever given to it.
    """

    def __init__(self) -> None:
        self.characters = 0
        self._environment: dict[str, Any] = {}
        self._markdown: MarkdownIt | None = None

    def parse(self, text: str) -> list[Token]:
        """Block tokens of CommonMark with strikethrough; HTML is text. Tables are the segmenter's."""
        self.characters += len(text)
        return self._parser().parse(text, self._environment)

    def parse_inline(self, text: str) -> list[Token]:
        """One block token whose children are the inline tokens: a cell of a table."""
        self.characters += len(text)
        return self._parser().parseInline(text, self._environment)

    def _parser(self) -> MarkdownIt:
        if self._markdown is None:
            from markdown_it import MarkdownIt

            self._markdown = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
        return self._markdown


def close_open_marks(text: str) -> str:
    """Text of an unfinished piece with its open code span or strong emphasis closed, so that it does not flicker."""
    head, _, line = text.rpartition("\n")
    if line.count("`") % 2:
        line += "`"
    elif line.count("**") % 2:
        line = line[:-2] if line.endswith("**") else line.rstrip(" *") + "**"
    return f"{head}\n{line}" if head else line
