"""A table that can grow to any length: chunks of rows one below the other, all with the same columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.chat.parser import MarkdownParser
from app.chat.prose_style import ProseStyle
from app.chat.table_chunk import TableChunk
from app.theme.theme import Theme
from app.widgets.stack import Stack

CHUNK = 16  # rows; adding one lays out no more than these
WIDEST, NARROWEST, STEP = 340, 120, 20  # pixels at 100 %: how far wide columns give way before the table scrolls


class TableBlock(QScrollArea):
    """Scrolls sideways where its columns do not fit. They are measured on the first chunk, then stay."""

    def __init__(
        self, theme: Theme, parser: MarkdownParser, header: Sequence[str], alignment: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._style, self._parser = ProseStyle(theme), parser
        self._header, self._alignment = header, alignment
        self._rows: list[Sequence[str]] = []
        self._natural: list[float] = [0.0] * len(header)
        self._stack = Stack()
        self._chunks: list[TableChunk] = []
        self.setAccessibleName(self.tr("Table"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self._stack)
        self.viewport().setAutoFillBackground(False)
        self._stack.setAutoFillBackground(False)
        self._put(header, header=True)

    @property
    def chunks(self) -> Sequence[TableChunk]:
        return self._chunks

    def add_row(self, cells: Sequence[str]) -> None:
        self._rows.append(cells)
        self._put(cells, header=False)

    def source(self) -> str:
        """The table as tab-separated lines, for copying into a sheet."""
        return "\n".join("\t".join(row) for row in (self._header, *self._rows))

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.source())

    def retheme(self, theme: Theme) -> None:
        self._style = ProseStyle(theme)
        for chunk in self._chunks:
            self._stack.take(chunk)
        self._chunks.clear()
        self._natural = [0.0] * len(self._header)
        self._put(self._header, header=True)
        for row in self._rows:
            self._put(row, header=False)
        self.heightForWidth(self.width())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        widths = self._fitted(width)
        across = round(sum(widths))
        if across != self._stack.width():
            for chunk in self._chunks:
                chunk.set_widths(widths)
            self._stack.resize(across, self._stack.height())
        self._stack.restack()
        height = self._stack.heightForWidth(across)
        self._stack.resize(across, height)
        bar = self.horizontalScrollBar().sizeHint().height() if across > width else 0
        return height + bar

    def wheelEvent(self, event: QWheelEvent) -> None:
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def _put(self, cells: Sequence[str], header: bool) -> None:
        if not self._chunks or self._chunks[-1].rows >= CHUNK:
            chunk = TableChunk(self._style, self._parser, self._alignment, self.tr("Table"), self._stack)
            chunk.copy_all.connect(self.copy)
            self._chunks.append(chunk)
            self._stack.add(chunk)
        wished = self._chunks[-1].add_row(cells, header)
        if len(self._chunks) == 1:
            self._natural = [max(pair) for pair in zip(self._natural, wished, strict=True)]
        self._chunks[-1].set_widths(self._fitted(self.width()))

    def _fitted(self, width: int) -> list[float]:
        """Widths of the columns where this width is to be had."""
        cap = self._style.px(WIDEST)
        while cap > self._style.px(NARROWEST) and sum(min(cap, each) for each in self._natural) > width:
            cap -= self._style.px(STEP)
        return [min(cap, each) for each in self._natural]
