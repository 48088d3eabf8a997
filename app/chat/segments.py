"""Cuts a growing markdown answer into pieces, so that only the last piece is ever read again.

Each line is looked at once. A piece that has ended never changes, and one that has not is kept small,
so the work per update does not grow with the answer. A piece inside a list carries its level instead
of its indentation, which lets a fenced block in a list item become a code block of its own.
Blocks begin and end as in CommonMark 0.31 and the tables of GFM.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.chat.pieces import CodeClosed, CodeOpened, CodeText, Prose, TableClosed, TableOpened, TableRow, Update
from app.chat.rows import alignment, cells, is_delimiter

PIECE_LIMIT = 4000  # characters of prose after which a piece is ended by force
ITEM_LIMIT = 400  # characters after which the next list item begins a new piece
MARKER = re.compile(r"(?P<mark>[-+*]|(?P<number>\d{1,9})(?P<end>[.)]))(?P<gap> +|$)")
FENCE = re.compile(r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
RULE = re.compile(r"([-*_])( *\1){2,} *$")
UNDECIDED = re.compile(r"[-+*=#>_]+|\d{1,9}[.)]?|`{1,2}")


@dataclass(frozen=True, slots=True)
class _Item:
    """The list item that lines may belong to: column where its text begins, its number."""

    column: int
    number: int | None


class Segmenter:
    """Feed it text as it arrives; it returns what has changed. `finish` ends whatever is open."""

    def __init__(self) -> None:
        self._updates: list[Update] = []
        self._rest = ""  # the line that has not ended
        self._items: list[_Item] = []  # the list items around the present line, outermost first
        self._lines: list[str] = []  # of the open piece of prose, without the indentation of its items
        self._size = 0
        self._base = self._level = 0
        self._fence = ""  # of the open code block
        self._fence_indent = 0
        self._mid_line = False  # the open code block already has the beginning of this line
        self._columns = 0  # of the open table
        self._shown = False  # an open piece was given out; nothing may be left of it if it turns into something else

    def feed(self, text: str) -> list[Update]:
        *lines, rest = (self._rest + text).split("\n")
        self._rest = ""
        for line in lines:
            self._take(line)
        self._hold(rest)
        if not self._fence and not self._columns:
            self._show()
        return self._drain()

    def finish(self) -> list[Update]:
        if self._rest:
            rest, self._rest = self._rest, ""
            self._take(rest)
        self._end_prose()
        self._end_code()
        self._end_table()
        self._items.clear()
        return self._drain()

    def _drain(self) -> list[Update]:
        updates, self._updates = self._updates, []
        return updates

    # ---------------------------------------------------------------- lines

    def _take(self, line: str) -> None:
        if self._fence:
            self._take_code(line)
        elif not self._columns or not self._take_row(line):
            self._take_prose(self._cut(line.expandtabs(4)))

    def _hold(self, rest: str) -> None:
        """Keep the unfinished line until its kind is known, unless it is too long to wait for its end."""
        if self._fence:
            if self._mid_line or not (rest.isspace() or _is_closing(rest, self._fence, 1)):
                self._give_code(rest)
            else:
                self._rest = rest
        elif self._columns:
            self._rest = rest
        else:
            self._rest = self._cut(rest)

    def _cut(self, line: str) -> str:
        """End a piece inside a line that is longer than any line has reason to be; what remains of the line."""
        while len(line) > PIECE_LIMIT:
            space = line.rfind(" ", PIECE_LIMIT - 200, PIECE_LIMIT)
            at = space + 1 or PIECE_LIMIT
            self._take_prose(line[:at])
            self._end_prose()
            line = line[at:]
        return line

    # ---------------------------------------------------------------- code

    def _open_code(self, fence: re.Match[str], indent: int) -> None:
        self._end_prose()
        self._leave_items(indent)
        self._fence, self._fence_indent, self._mid_line = fence["fence"], indent, False
        words = fence["info"].split()
        self._updates.append(CodeOpened(words[0] if words else "", len(self._items)))

    def _take_code(self, line: str) -> None:
        if not self._mid_line and _is_closing(line, self._fence, len(self._fence)):
            self._end_code()
            return
        self._give_code(line)
        self._updates.append(CodeText("\n"))
        self._mid_line = False

    def _give_code(self, text: str) -> None:
        if not self._mid_line:
            text = text[min(self._fence_indent, len(text) - len(text.lstrip(" "))) :]
        if text:
            self._updates.append(CodeText(text))
            self._mid_line = True

    def _end_code(self) -> None:
        if self._fence:
            self._fence, self._mid_line = "", False
            self._updates.append(CodeClosed())

    # ---------------------------------------------------------------- tables

    def _open_table(self, header: str, delimiter: str) -> None:
        self._end_prose()
        self._columns = len(cells(header))
        self._updates.append(TableOpened(cells(header), alignment(delimiter), self._level))

    def _take_row(self, line: str) -> bool:
        if "|" not in line or FENCE.match(line.strip()):
            self._end_table()
            return False
        row = cells(line)[: self._columns]
        self._updates.append(TableRow((*row, *[""] * (self._columns - len(row)))))
        return True

    def _end_table(self) -> None:
        if self._columns:
            self._columns = 0
            self._updates.append(TableClosed())

    def _begins_table(self, text: str) -> bool:
        above = self._lines[-1] if self._lines else ""
        return "|" in above and is_delimiter(text) and len(cells(above)) == len(cells(text))

    # ---------------------------------------------------------------- prose

    def _take_prose(self, line: str) -> None:
        text = line.strip(" ")
        indent = len(line) - len(line.lstrip(" "))
        if not text:
            self._end_prose()
            return
        fence = FENCE.match(text)
        if fence and (indent < 4 or self._items):
            self._open_code(fence, indent)
            return
        if self._begins_table(text):
            self._open_table(self._lines.pop(), text)
            return
        marker = None if RULE.match(text) else MARKER.match(text)
        if self._size > PIECE_LIMIT or (marker and self._size > ITEM_LIMIT):
            self._end_prose()
        fence = FENCE.match(text[marker.end() :]) if marker else None
        if marker and fence:
            column = self._add(indent, text[: marker.end()], marker)
            self._open_code(fence, column)
        else:
            self._add(indent, text, marker)

    def _add(self, indent: int, text: str, marker: re.Match[str] | None) -> int:
        """Put one line into the piece; the column where its text begins."""
        left = self._leave_items(indent) if marker or not self._lines else None
        if not self._lines:
            self._level, self._base = len(self._items), self._column()
        column = indent
        if marker and indent < self._column() + 4:
            number = int(marker["number"]) if marker["number"] else None
            if number is not None and left is not None and left.number is not None:
                number = left.number + 1
                text = f"{number}{text[marker.end('number') :]}"
            gap = len(marker["gap"]) if len(marker["gap"]) in range(1, 5) else 1
            column = indent + len(marker["mark"]) + gap
            self._items.append(_Item(column, number))
        self._lines.append(" " * max(0, indent - self._base) + text)
        self._size += len(text) + 1
        return column

    def _column(self) -> int:
        return self._items[-1].column if self._items else 0

    def _leave_items(self, indent: int) -> _Item | None:
        """Forget the items that a line with this indentation is not part of; the outermost of them."""
        left = None
        while self._items and self._items[-1].column > indent:
            left = self._items.pop()
        return left

    def _end_prose(self) -> None:
        if self._lines or self._shown:
            self._updates.append(Prose("\n".join(self._lines), self._level, final=True))
        self._lines.clear()
        self._size, self._shown = 0, False

    def _show(self) -> None:
        """The open piece as it stands, with the unfinished line where that is surely prose."""
        rest = self._rest.expandtabs(4)
        text = rest.strip(" ")
        indent = len(rest) - len(rest.lstrip(" "))
        lines = list(self._lines)
        if lines and lines[-1].lstrip().startswith("|") and not text.strip("|:- "):
            lines.pop()  # a header whose table is about to begin
        if text and not text.startswith(("|", "```", "~~~")) and not UNDECIDED.fullmatch(text):
            lines.append(" " * max(0, indent - self._provisional(indent)[1]) + text)
        level = self._level if self._lines else self._provisional(indent)[0]
        if lines or self._shown:
            self._updates.append(Prose("\n".join(lines), level, final=False))
            self._shown = True

    def _provisional(self, indent: int) -> tuple[int, int]:
        """Level and base column of a line with this indentation."""
        if self._lines:
            return self._level, self._base
        around = [item.column for item in self._items if item.column <= indent]
        return len(around), around[-1] if around else 0


def _is_closing(line: str, fence: str, least: int) -> bool:
    """Whether the line holds nothing but at least so many of the fence's characters."""
    text = line.strip()
    return len(text) >= least and text == fence[0] * len(text)
