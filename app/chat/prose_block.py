"""A run of paragraphs, headings, lists and quotes in one text view."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QTextBlock, QTextLine
from PySide6.QtWidgets import QWidget

from app.chat.links import open_link
from app.chat.parser import MarkdownParser, close_open_marks
from app.chat.pieces import Prose
from app.chat.prose_style import BULLET, CODE_GROUND, INLINE_CODE, QUOTE, RULE, ProseStyle
from app.chat.writer import DocumentWriter
from app.theme.theme import Theme
from app.widgets.text_view import TextView


class ProseBlock(TextView):
    """Shows pieces of prose; only the last one, while it is not final, is ever parsed and laid out again."""

    def __init__(self, theme: Theme, parser: MarkdownParser, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._parser = parser
        self._final: list[Prose] = []
        self._open: Prose | None = None
        self._fixed = -1  # the document's end before the open piece
        self._restyle(theme)
        self.anchorClicked.connect(open_link)

    @property
    def characters(self) -> int:
        """Of markdown in the pieces that are final."""
        return sum(len(piece.text) for piece in self._final)

    @property
    def is_empty(self) -> bool:
        return not self._final and not (self._open and self._open.text)

    def show_piece(self, piece: Prose) -> None:
        """Take the place of the open piece, if there is one; else come below all others."""
        if piece == self._open:
            return
        if self._open is not None:
            self._writer.cut(self._fixed)
            self._open = None
        if piece.text:
            self._write(piece)

    def retheme(self, theme: Theme) -> None:
        pieces = [*self._final, *([self._open] if self._open else [])]
        self._final.clear()
        self._open = None
        self._restyle(theme)
        self.document().clear()
        for piece in pieces:
            self._write(piece)

    def _restyle(self, theme: Theme) -> None:
        self._style = ProseStyle(theme)
        self.document().setIndentWidth(self._style.list_indent)
        self.document().setDefaultFont(self._style.body().font())
        self._writer = DocumentWriter(self.document(), self._style)

    def _write(self, piece: Prose) -> None:
        self._fixed = self._writer.position()
        text = piece.text if piece.final else close_open_marks(piece.text)
        self._writer.write(self._parser.parse(text), piece.level)
        if piece.final:
            self._final.append(piece)
        self._open = None if piece.final else piece

    # ---------------------------------------------------------------- what rich text cannot draw

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for block in self._visible(event.rect().top(), event.rect().bottom()):
            self._decorate(painter, block)
        painter.end()
        super().paintEvent(event)

    def _visible(self, top: int, bottom: int) -> Iterator[QTextBlock]:
        layout = self.document().documentLayout()
        block = self.cursorForPosition(QPointF(0, max(0, top - 60)).toPoint()).block()
        while block.isValid():
            place = layout.blockBoundingRect(block)
            if place.top() > bottom:
                return
            yield block
            block = block.next()

    def _decorate(self, painter: QPainter, block: QTextBlock) -> None:
        format = block.blockFormat()
        place = self.document().documentLayout().blockBoundingRect(block)
        if format.hasProperty(QUOTE):
            self._paint_bars(painter, block, place, format.intProperty(QUOTE))
        if format.hasProperty(BULLET) and block.textList() is not None:
            self._paint_bullet(painter, block, place, format.intProperty(BULLET))
        if format.hasProperty(RULE):
            painter.fillRect(QRectF(place.left(), place.center().y(), place.width(), 1), self._style.colour("border"))
        if format.hasProperty(CODE_GROUND):
            painter.setBrush(self._style.colour("code"))
            painter.drawRoundedRect(place.adjusted(-4, -2, 4, 2), 6, 6)
        for spot in self._code_spots(block, place.topLeft()):
            painter.setBrush(self._style.colour("hover"))
            painter.drawRoundedRect(spot, 4, 4)

    def _paint_bars(self, painter: QPainter, block: QTextBlock, place: QRectF, depth: int) -> None:
        wide, step = self._style.px(3), self._style.quote_indent
        joined = block.previous().isValid() and block.previous().blockFormat().hasProperty(QUOTE)
        gap = block.blockFormat().topMargin()
        top = place.top() - (gap if joined else 0)
        right_to_left = block.blockFormat().layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.setBrush(self._style.colour("border_strong"))
        for at in range(depth):
            left = self.viewport().width() - at * step - wide if right_to_left else at * step
            painter.drawRect(QRectF(left, top, wide, place.bottom() - top))

    def _paint_bullet(self, painter: QPainter, block: QTextBlock, place: QRectF, depth: int) -> None:
        """A disc, a ring, then squares, in the middle of the first line's letters."""
        line = block.layout().lineAt(0)
        side, away = self._style.px(5), self._style.px(14)
        right_to_left = block.blockFormat().layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = line.x() + line.width() + away - side if right_to_left else line.x() - away
        letters = place.top() + line.y() + line.height() - line.descent() - self._style.x_height / 2
        spot = QRectF(place.left() + left, letters - side / 2, side, side)
        muted = self._style.colour("muted")
        painter.setBrush(Qt.BrushStyle.NoBrush if depth == 1 else muted)
        painter.setPen(QPen(muted, 1.2) if depth == 1 else Qt.PenStyle.NoPen)
        if depth < 2:
            painter.drawEllipse(spot)
        else:
            painter.drawRect(spot.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(Qt.PenStyle.NoPen)

    def _code_spots(self, block: QTextBlock, origin: QPointF) -> Iterator[QRectF]:
        """Where inline code stands, one rectangle for each line it reaches into."""
        layout = block.layout()
        for span in block.textFormats():
            if not span.format.hasProperty(INLINE_CODE):
                continue
            end = span.start + span.length
            line = layout.lineForTextPosition(span.start)
            while line.isValid() and line.textStart() < end:
                line_end = line.textStart() + line.textLength()
                yield _spot(line, max(span.start, line.textStart()), min(end, line_end)).translated(origin)
                number = line.lineNumber() + 1
                if number >= layout.lineCount():
                    break
                line = layout.lineAt(number)


def _spot(line: QTextLine, start: int, end: int) -> QRectF:
    """Around the letters from start to end of a line, a little wider than they are."""
    left, right = sorted((_x(line, start), _x(line, end)))
    letters = line.ascent() + line.descent()
    return QRectF(left - 2, line.y() + line.height() - letters - 1, right - left + 4, letters)


def _x(line: QTextLine, position: int) -> float:
    found = line.cursorToX(position)  # with the position it was found for, at least in some versions of PySide
    return float(found[0]) if isinstance(found, tuple) else float(str(found))
