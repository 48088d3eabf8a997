from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from app.theme.icons import FOLDER, SCALES, icon

APP = Path(__file__).parents[3] / "app"


@pytest.mark.parametrize("drawing", sorted(FOLDER.glob("*.svg")), ids=lambda path: path.stem)
def test_drawings_are_whole_and_take_any_colour(drawing: Path) -> None:
    assert QSvgRenderer(str(drawing)).isValid()
    assert "currentColor" in drawing.read_text(encoding="utf-8")


def test_an_icon_is_sharp_and_of_the_colour_asked_for(qapp: QApplication) -> None:
    made = icon("stop", QColor("#ff0000"), 18)
    sizes = sorted(size.width() for size in made.availableSizes())
    assert sizes == [18 * scale for scale in SCALES]
    image = made.pixmap(18, 18).toImage()
    assert QColor(image.pixel(image.width() // 2, image.height() // 2)) == QColor("#ff0000")


def test_every_icon_named_in_the_sources_is_drawn() -> None:
    named = set()
    for source in APP.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        named |= set(re.findall(r"(?:IconButton\(\w+(?:\._theme)?, |[^_]icon\(|set_icon\(|Pill\(\w+, )\"(\w+)\"", text))
    assert named
    assert named <= {drawing.stem for drawing in FOLDER.glob("*.svg")}
