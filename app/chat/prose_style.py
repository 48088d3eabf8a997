"""How prose looks: character and block formats made from the theme."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextFormat

from app.theme.theme import Theme

INLINE_CODE = QTextFormat.Property.UserProperty + 1  # set on characters: a rounded ground is painted behind them
QUOTE = QTextFormat.Property.UserProperty + 2  # set on blocks: how many bars are painted before them
RULE = QTextFormat.Property.UserProperty + 3  # set on blocks: a line is painted in place of text
CODE_GROUND = QTextFormat.Property.UserProperty + 4  # set on blocks: a rounded ground is painted behind them
BULLET = QTextFormat.Property.UserProperty + 5  # set on blocks: a bullet of this depth is painted before them

PROSE_DELTA = 2  # pixels by which prose is larger than the controls' text
HEADING_DELTA = {1: 9, 2: 6, 3: 4, 4: 2, 5: 2, 6: 2}
LINE_HEIGHT = 145  # per cent


class ProseStyle:
    """Formats for the theme's present tokens and zoom."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    @property
    def list_indent(self) -> int:
        return self._theme.px(26)

    @property
    def x_height(self) -> float:
        """Of prose, in pixels: how high its small letters are."""
        return QFontMetricsF(self._theme.font(PROSE_DELTA)).xHeight()

    @property
    def quote_indent(self) -> int:
        return self._theme.px(16)

    def body(self) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(self._theme.font(PROSE_DELTA))
        made.setForeground(self._theme.colour("text"))
        return made

    def heading(self, rank: int) -> QTextCharFormat:
        made = self.body()
        made.setFont(self._theme.font(HEADING_DELTA[rank], QFont.Weight.DemiBold))
        return made

    def code(self, around: QTextCharFormat) -> QTextCharFormat:
        """Inline code within text of another format."""
        made = QTextCharFormat(around)
        mono = self._theme.font(mono=True)
        made.setFontFamilies([mono.family()])
        made.setProperty(QTextFormat.Property.FontPixelSize, round(around.font().pixelSize() * 0.9))
        made.setFontFixedPitch(True)
        made.setProperty(INLINE_CODE, True)
        return made

    def code_block(self) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(self._theme.font(mono=True))
        made.setForeground(self._theme.colour("text"))
        return made

    def marker(self) -> QTextCharFormat:
        """Of a list item's bullet or number."""
        made = self.body()
        made.setForeground(self._theme.colour("muted"))
        return made

    def link(self, around: QTextCharFormat, address: str) -> QTextCharFormat:
        made = QTextCharFormat(around)
        made.setAnchor(True)
        made.setAnchorHref(address)
        made.setForeground(self._theme.colour("accent"))
        made.setFontUnderline(True)
        return made

    def quoted(self, around: QTextCharFormat) -> QTextCharFormat:
        made = QTextCharFormat(around)
        made.setForeground(self._theme.colour("muted"))
        return made

    def block(self, gap: float, quotes: int, direction: Qt.LayoutDirection) -> QTextBlockFormat:
        """A block `gap` pixels (at 100 %) below the one above it, inside so many quotes."""
        made = QTextBlockFormat()
        made.setTopMargin(self._theme.px(gap))
        made.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        made.setLayoutDirection(direction)
        if quotes:
            made.setProperty(QUOTE, quotes)
            indent = quotes * self.quote_indent
            if direction == Qt.LayoutDirection.RightToLeft:
                made.setRightMargin(indent)
            else:
                made.setLeftMargin(indent)
        return made

    def colour(self, name: str) -> QColor:
        return self._theme.colour(name)

    def px(self, length: float) -> int:
        return self._theme.px(length)
