"""Writes inline markdown tokens: emphasis, code, links, line breaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor

from app.chat.links import BARE, is_allowed
from app.chat.prose_style import ProseStyle

if TYPE_CHECKING:
    from markdown_it.token import Token

LINE_SEPARATOR = "\u2028"  # a line break within one block


def plain(tokens: Iterable[Token]) -> str:
    """The words of inline tokens, without code: what decides a paragraph's direction."""
    return "".join(token.content for token in tokens if token.type == "text")


class InlineWriter:
    """Inserts inline tokens at a cursor, each in a format derived from the one around it."""

    def __init__(self, style: ProseStyle) -> None:
        self._style = style

    def write(self, cursor: QTextCursor, tokens: Iterable[Token], format: QTextCharFormat) -> None:
        around = [format]
        for token in tokens:
            if token.type.endswith("_open"):
                around.append(self._opened(token, around[-1]))
            elif token.type.endswith("_close"):
                around.pop()
            elif token.type in ("softbreak", "hardbreak"):
                cursor.insertText(LINE_SEPARATOR, around[-1])
            elif token.type == "code_inline":
                cursor.insertText(token.content, self._style.code(around[-1]))
            elif token.type == "image":
                self._image(cursor, token, around[-1])
            elif around[-1].isAnchor():
                cursor.insertText(token.content, around[-1])
            else:
                self._words(cursor, token.content, around[-1])

    def _opened(self, token: Token, around: QTextCharFormat) -> QTextCharFormat:
        made = QTextCharFormat(around)
        if token.type == "strong_open":
            made.setFontWeight(QFont.Weight.Bold)
        elif token.type == "em_open":
            made.setFontItalic(True)
        elif token.type == "s_open":
            made.setFontStrikeOut(True)
        elif token.type == "link_open" and is_allowed(str(token.attrGet("href"))):
            return self._style.link(around, str(token.attrGet("href")))
        return made

    def _image(self, cursor: QTextCursor, token: Token, around: QTextCharFormat) -> None:
        """Pictures are never fetched: the description stands for them, as a link."""
        address = str(token.attrGet("src"))
        format = self._style.link(around, address) if is_allowed(address) else around
        cursor.insertText(token.content or address, format)

    def _words(self, cursor: QTextCursor, text: str, format: QTextCharFormat) -> None:
        """Text, in which bare web addresses become links."""
        at = 0
        for found in BARE.finditer(text) if "://" in text else ():
            cursor.insertText(text[at : found.start()], format)
            cursor.insertText(found[0], self._style.link(format, found[0]))
            at = found.end()
        cursor.insertText(text[at:], format)
