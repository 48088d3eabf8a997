"""Rows of a markdown table (GFM 0.29, section 4.10)."""

from __future__ import annotations

import re

DELIMITER = re.compile(r"\|? *:?-+:? *(\| *:?-+:? *)*\|?$")
BAR = re.compile(r"(?<!\\)\|")


def is_delimiter(line: str) -> bool:
    """Whether the line may stand below a table's header."""
    return "-" in line and DELIMITER.match(line) is not None


def cells(line: str) -> tuple[str, ...]:
    """The cells of one row, without the bars around them; a bar after a backslash is text."""
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(cell.strip().replace("\\|", "|") for cell in BAR.split(inner))


def alignment(delimiter: str) -> tuple[str, ...]:
    """The alignment that each cell of the delimiter row asks for; "" where it asks for none."""
    return tuple(_side(cell) for cell in cells(delimiter))


def _side(cell: str) -> str:
    left, right = cell.startswith(":"), cell.endswith(":")
    if left and right:
        return "center"
    return "right" if right else "left" if left else ""
