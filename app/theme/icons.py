"""Line icons from resources/icons, drawn in any colour and sharp at any scale."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).parents[2] / "resources" / "icons"
SCALES = (1, 2, 3)  # device pixel ratios for which a menu's icon is kept ready


def paint_icon(painter: QPainter, name: str, place: QRectF, colour: QColor) -> None:
    _renderer(name, colour).render(painter, place)


def icon(name: str, colour: QColor, size: int = 18) -> QIcon:
    """An icon for menus and actions, `size` logical pixels wide."""
    made = QIcon()
    renderer = _renderer(name, colour)
    for scale in SCALES:
        pixmap = QPixmap(size * scale, size * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        made.addPixmap(pixmap)
    return made


def _renderer(name: str, colour: QColor) -> QSvgRenderer:
    drawing = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(drawing.replace("currentColor", colour.name()).encode()))
