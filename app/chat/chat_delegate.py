"""Paints the rows of the list of chats."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.chat.chat_model import CHAT, WHEN
from app.chat.direction import direction
from app.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROW, HEADING = 36, 34


class ChatDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, self._theme.px(HEADING if index.data(CHAT) is None else ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place: QRect = option.rect
        state: QStyle.StateFlag = option.state
        if index.data(CHAT) is None:
            self._paint_heading(painter, place, str(index.data()))
        else:
            self._paint_ground(painter, place, state)
            self._paint_chat(painter, place, index, bool(state & QStyle.StateFlag.State_Selected))
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("New title"))
        editor.setMaxLength(200)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        place: QRect = option.rect
        px = self._theme.px
        editor.setGeometry(place.adjusted(px(8), px(2), -px(8), -px(2)))

    def _paint_heading(self, painter: QPainter, place: QRect, text: str) -> None:
        px = self._theme.px
        painter.setFont(self._theme.font(-2, QFont.Weight.DemiBold))
        painter.setPen(self._theme.colour("muted"))
        words = place.adjusted(px(18), 0, -px(12), -px(6))
        painter.drawText(words, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeading, text)

    def _paint_ground(self, painter: QPainter, place: QRect, state: QStyle.StateFlag) -> None:
        px, colour = self._theme.px, self._theme.colour
        ground = QRectF(place).adjusted(px(8), 1, -px(8), -1)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(colour("accent_soft"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(colour("hover"))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = state & QStyle.StateFlag.State_HasFocus
        painter.setPen(QPen(colour("accent"), 2) if ring else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1) if ring else ground, px(7), px(7))

    def _paint_chat(self, painter: QPainter, place: QRect, index: Index, selected: bool) -> None:
        px, colour = self._theme.px, self._theme.colour
        inner = place.adjusted(px(18), 0, -px(18), 0)
        painter.setFont(self._theme.font(-2))
        painter.setPen(colour("muted"))
        when = str(index.data(WHEN))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing, when)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(when) - px(10)
        painter.setFont(self._theme.font(0, QFont.Weight.Medium if selected else QFont.Weight.Normal))
        painter.setPen(colour("text"))
        title = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, room)
        painter.setLayoutDirection(direction(title))
        leading = QRect(inner.left(), inner.top(), room, inner.height())
        painter.drawText(leading, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
