"""Some rows of a table in one text document; a long table is a column of such chunks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCell,
    QTextTableCellFormat,
    QTextTableFormat,
)
from PySide6.QtWidgets import QWidget

from app.chat.direction import direction
from app.chat.inline import InlineWriter, plain
from app.chat.links import open_link
from app.chat.parser import MarkdownParser
from app.chat.prose_style import ProseStyle
from app.widgets.text_view import TextView

SIDES = {
    "": Qt.AlignmentFlag.AlignLeading,
    "left": Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute,
    "right": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute,
    "center": Qt.AlignmentFlag.AlignHCenter,
}
ACROSS, DOWN = 12, 4  # pixels of padding at 100 %


class TableChunk(TextView):
    """Rows are added at its end; the columns are as wide as `set_widths` says. Signal: copy_all (the whole table)."""

    copy_all = Signal()

    def __init__(
        self, style: ProseStyle, parser: MarkdownParser, alignment: Sequence[str], name: str, parent: QWidget
    ) -> None:
        super().__init__(name, parent)
        self._style, self._parser, self._alignment = style, parser, alignment
        self._inline = InlineWriter(style)
        self._table: QTextTable | None = None
        self.anchorClicked.connect(open_link)

    @property
    def rows(self) -> int:
        return self._table.rows() if self._table else 0

    def add_row(self, cells: Sequence[str], header: bool) -> list[float]:
        """Append one row of markdown cells; the width each of them would like to have."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if self._table is None:
            self._table = cursor.insertTable(1, len(cells), self._format())
        else:
            self._table.appendRows(1)
        row = self._table.rows() - 1
        widths = [self._fill(self._table.cellAt(row, at), text, at, header) for at, text in enumerate(cells)]
        cursor.endEditBlock()
        return widths

    def table_format(self) -> QTextTableFormat:
        return self._table.format().toTableFormat() if self._table else QTextTableFormat()

    def cell_direction(self, row: int, column: int) -> Qt.LayoutDirection:
        """Of the first paragraph of a cell."""
        assert self._table is not None
        return self._table.cellAt(row, column).firstCursorPosition().blockFormat().layoutDirection()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.addSeparator()
        menu.addAction(self.tr("Copy table")).triggered.connect(self.copy_all)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def set_widths(self, widths: Sequence[float]) -> None:
        if self._table is None:
            return
        format = self.table_format()
        kind = QTextLength.Type.FixedLength
        format.setColumnWidthConstraints([QTextLength(kind, width) for width in widths])
        format.setWidth(QTextLength(kind, sum(widths)))
        self._table.setFormat(format)

    def _format(self) -> QTextTableFormat:
        made = QTextTableFormat()
        made.setCellSpacing(0)
        made.setCellPadding(0)
        made.setBorder(0)
        made.setMargin(0)
        return made

    def _fill(self, cell: QTextTableCell, text: str, column: int, header: bool) -> float:
        children = self._parser.parse_inline(text)[0].children or []
        words = self._characters(header)
        cell.setFormat(self._cell_format(header))
        cursor = cell.firstCursorPosition()
        block = self._style.block(0, 0, direction(plain(children)))
        block.setAlignment(SIDES[self._alignment[column] if column < len(self._alignment) else ""])
        cursor.setBlockFormat(block)
        self._inline.write(cursor, children, words)
        shown = "".join(child.content for child in children)
        return QFontMetricsF(words.font()).horizontalAdvance(shown[:400]) + 2 * self._style.px(ACROSS) + 4

    def _characters(self, header: bool) -> QTextCharFormat:
        made = self._style.body()
        if header:
            made.setFontWeight(QFont.Weight.DemiBold)
        return made

    def _cell_format(self, header: bool) -> QTextTableCellFormat:
        made = QTextTableCellFormat()
        across, down = self._style.px(ACROSS), self._style.px(DOWN)
        made.setLeftPadding(across)
        made.setRightPadding(across)
        made.setTopPadding(down)
        made.setBottomPadding(down)
        made.setBottomBorder(1)
        made.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        made.setBottomBorderBrush(self._style.colour("border_strong" if header else "border"))
        return made
