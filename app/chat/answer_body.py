"""An answer's text as blocks, growing while it streams."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QMargins, QTimer
from PySide6.QtWidgets import QWidget

from app.chat.code_block import CodeBlock
from app.chat.parser import MarkdownParser
from app.chat.pieces import (
    CodeClosed,
    CodeOpened,
    CodeText,
    Prose,
    TableClosed,
    TableOpened,
    TableRow,
    Update,
)
from app.chat.prose_block import ProseBlock
from app.chat.prose_style import ProseStyle
from app.chat.segments import Segmenter
from app.chat.table_block import TableBlock
from app.theme.theme import Theme
from app.widgets.stack import Stack

GAP = 12
FRAME_MS = 33  # an update at most this often
SHARE = 4  # and never more than a quarter of the time spent on updates
BLOCK_LIMIT = 12_000  # characters of markdown after which prose goes on in another text view

Block = ProseBlock | CodeBlock | TableBlock


class AnswerBody(Stack):
    """`feed` gathers text and shows it some 30 times a second; what it costs depends on the new text alone."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._parser = MarkdownParser()
        self._segmenter = Segmenter()
        self._waiting: list[str] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)
        self._code: CodeBlock | None = None
        self._table: TableBlock | None = None
        self._prose: ProseBlock | None = None
        self._levels: dict[QWidget, int] = {}
        self.set_spacing(theme.px(GAP), QMargins())

    @property
    def parsed_characters(self) -> int:
        """All that was ever given to the markdown parser: a measure of the work done."""
        return self._parser.characters

    @property
    def blocks(self) -> list[QWidget]:
        return self.widgets

    def feed(self, text: str) -> None:
        self._waiting.append(text)
        if not self._timer.isActive():
            self._timer.start(FRAME_MS)

    def flush(self) -> None:
        """Show what has been gathered."""
        self._timer.stop()
        if not self._waiting:
            return
        began = time.perf_counter()
        text = "".join(self._waiting)
        self._waiting.clear()
        self._apply(self._segmenter.feed(text))
        spent = time.perf_counter() - began
        if spent * 1000 * SHARE > FRAME_MS:
            self._timer.start(round(spent * 1000 * SHARE))

    def finish(self) -> None:
        """No more text comes; what is open is closed and read a last time."""
        self.flush()
        self._timer.stop()
        self._apply(self._segmenter.finish())

    def last_code(self) -> str | None:
        codes = [block for block in self.widgets if isinstance(block, CodeBlock)]
        return codes[-1].text if codes else None

    def retheme(self) -> None:
        for block in self.widgets:
            if isinstance(block, (ProseBlock, CodeBlock, TableBlock)):
                block.retheme(self._theme)
        self.set_spacing(self._theme.px(GAP), QMargins())

    # ---------------------------------------------------------------- updates to blocks

    def _apply(self, updates: Iterable[Update]) -> None:
        for update in _joined(updates):
            self._change(update)
        if self._code is not None:
            self._code.settle()
        self.restack()

    def _change(self, update: Update) -> None:
        match update:
            case Prose():
                self._prose_block().show_piece(update)
            case CodeOpened(language, level):
                self._code = CodeBlock(self._theme, language, self)
                self._begin(self._code, level)
            case CodeText(text) if self._code:
                self._code.append(text)
            case CodeClosed() if self._code:
                self._code.finish()
                self._code = None
            case TableOpened(header, alignment, level):
                self._table = TableBlock(self._theme, self._parser, header, alignment, self)
                self._begin(self._table, level)
            case TableRow(cells) if self._table:
                self._table.add_row(cells)
            case TableClosed():
                self._table = None

    def _prose_block(self) -> ProseBlock:
        if self._prose is None or self._prose.characters > BLOCK_LIMIT:
            self._prose = ProseBlock(self._theme, self._parser, self.tr("Answer"), self)
            self.add(self._prose)
        return self._prose

    def _begin(self, block: Block, level: int) -> None:
        self._drop_empty_prose()
        self._prose = None
        self._levels[block] = level
        self.add(block)

    def _drop_empty_prose(self) -> None:
        """A line that was shown as prose and turned out to begin this block leaves nothing behind."""
        if self._prose is not None and self._prose.is_empty:
            self.take(self._prose)

    def sides(self, widget: QWidget, inner: int) -> tuple[int, int]:
        left = min(self._levels.get(widget, 0) * ProseStyle(self._theme).list_indent, inner // 2)
        return left, inner - left


def _joined(updates: Iterable[Update]) -> list[Update]:
    """Neighbouring pieces of code text as one."""
    joined: list[Update] = []
    for update in updates:
        last = joined[-1] if joined else None
        if isinstance(update, CodeText) and isinstance(last, CodeText):
            joined[-1] = CodeText(last.text + update.text)
        else:
            joined.append(update)
    return joined
