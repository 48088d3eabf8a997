"""Colours of code, by pygments, worked out in small portions so that the window never waits.

While a block grows, each new line is read with the few lines above it; when it is whole, all of it is
read once more in slices of some milliseconds, which puts right what began further up (long strings).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from app.theme.tokens import Syntax

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]

Span = tuple[int, int, str]  # start and length in UTF-16 units, name of a colour in Syntax
AT_ONCE = 12_000  # characters that are read without a break
SLICE_S = 0.006

# The first prefix that fits a token type's dotted name decides.
COLOURS = (
    ("Comment", "comment"),
    ("Keyword.Constant", "constant"),
    ("Keyword.Type", "type"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Operator", "operator"),
    ("Punctuation", "operator"),
    ("Literal.Number", "number"),
    ("Literal", "string"),
    ("Name.Function", "function"),
    ("Name.Class", "type"),
    ("Name.Namespace", "type"),
    ("Name.Exception", "type"),
    ("Name.Builtin", "type"),
    ("Name.Decorator", "function"),
    ("Name.Tag", "tag"),
    ("Name.Attribute", "function"),
    ("Name.Constant", "constant"),
    ("Name.Variable", "constant"),
    ("Generic.Inserted", "inserted"),
    ("Generic.Deleted", "deleted"),
    ("Generic.Heading", "keyword"),
    ("Generic.Subheading", "function"),
    ("Generic.Prompt", "comment"),
)


class Highlighter(QSyntaxHighlighter):
    """Colours a document of code. `look_at` takes note of new whole lines; `complete` reads it all once more."""

    def __init__(self, document: QTextDocument, language: str, syntax: Syntax) -> None:
        super().__init__(document)
        self._lexer = lexer_of(language)
        self._formats = _formats(syntax)
        self._spans: list[list[Span]] = []
        self._pass: Iterator[tuple[int, list[Span]]] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._slice)

    def recolour(self, syntax: Syntax) -> None:
        self._formats = _formats(syntax)
        self.rehighlight()

    def look_at(self, first: int, lines: list[str]) -> None:
        """`lines` end with those that are new; the first of them is the document's line `first`."""
        text = "\n".join(lines)
        if self._lexer is None:
            return
        if len(text) > AT_ONCE:
            self._begin(text, first)
            return
        known = max(first, len(self._spans))
        for number, spans in spans_by_line(self._lexer, text, first):
            if number >= known:
                self._set(number, spans)

    def complete(self, text: str) -> None:
        """Read the whole text, in slices; at once where that is short work."""
        self._begin(text, 0)

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        if number < len(self._spans):
            for start, length, colour in self._spans[number]:
                self.setFormat(start, length, self._formats[colour])

    def _begin(self, text: str, first: int) -> None:
        if self._lexer is not None:
            self._pass = spans_by_line(self._lexer, text, first)
            self._slice()

    def _slice(self) -> None:
        ends = time.perf_counter() + SLICE_S
        while self._pass is not None and time.perf_counter() < ends:
            line = next(self._pass, None)
            if line is None:
                self._pass = None
            else:
                self._set(*line)
        if self._pass is not None:
            self._timer.start()
        else:
            self._timer.stop()

    def _set(self, number: int, spans: list[Span]) -> None:
        while len(self._spans) <= number:
            self._spans.append([])
        if self._spans[number] != spans:
            self._spans[number] = spans
            self.rehighlightBlock(self.document().findBlockByNumber(number))


def lexer_of(language: str) -> Lexer | None:
    """The lexer of a fence's language; None where the language is not named or not known."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    if not language:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def spans_by_line(lexer: Lexer, text: str, first: int) -> Iterator[tuple[int, list[Span]]]:
    """The coloured spans of each line of the text, in order, as far as the lexer has been drawn."""
    number, column = first, 0
    spans: list[Span] = []
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        colour = colour_of(str(kind))
        for at, part in enumerate(value.split("\n")):
            if at:
                yield number, spans
                number, column, spans = number + 1, 0, []
            length = _utf16(part)
            if colour and length:
                spans.append((column, length, colour))
            column += length
    yield number, spans


@lru_cache(maxsize=512)
def colour_of(kind: str) -> str:
    """The name in Syntax for a pygments token type such as "Token.Keyword.Type"; "" for plain text."""
    name = kind.removeprefix("Token.")
    return next((colour for prefix, colour in COLOURS if name.startswith(prefix)), "")


def _utf16(text: str) -> int:
    """Length as Qt counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _formats(syntax: Syntax) -> dict[str, QTextCharFormat]:
    formats = {}
    for name in Syntax.__dataclass_fields__:
        formats[name] = QTextCharFormat()
        formats[name].setForeground(QColor(getattr(syntax, name)))
    formats["comment"].setFontItalic(True)
    formats["keyword"].setFontWeight(QFont.Weight.Medium)
    return formats
