"""The direction of a paragraph: that of its first strong letter (Unicode UAX 9, rules P2 and P3)."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt

LOOK_AT = 2000  # characters; a paragraph without a strong letter so far is left-to-right


def direction(text: str) -> Qt.LayoutDirection:
    for letter in text[:LOOK_AT]:
        strength = unicodedata.bidirectional(letter)
        if strength == "L":
            return Qt.LayoutDirection.LeftToRight
        if strength in ("R", "AL"):
            return Qt.LayoutDirection.RightToLeft
    return Qt.LayoutDirection.LeftToRight
