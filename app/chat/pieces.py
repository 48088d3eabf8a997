"""What changes in an answer as it grows: the words between the segmenter and the blocks on the screen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prose:
    """The whole text of the present piece, as markdown. level: of the list it stands in. final: it has ended."""

    text: str
    level: int
    final: bool


@dataclass(frozen=True, slots=True)
class CodeOpened:
    """A fenced code block begins; `language` is its info string's first word."""

    language: str
    level: int


@dataclass(frozen=True, slots=True)
class CodeText:
    """More text of the open code block."""

    text: str


@dataclass(frozen=True, slots=True)
class CodeClosed:
    """The open code block is whole."""


@dataclass(frozen=True, slots=True)
class TableOpened:
    """Header cells, as markdown, and the alignment of each column: "left", "right", "center" or ""."""

    header: tuple[str, ...]
    alignment: tuple[str, ...]
    level: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """One more row of the open table, cells as markdown; as many as the header has."""

    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The open table is whole."""


Update = Prose | CodeOpened | CodeText | CodeClosed | TableOpened | TableRow | TableClosed
