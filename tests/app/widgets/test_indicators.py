"""What shows progress, fullness and waiting."""

from __future__ import annotations

from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QWidget
from pytestqt.qtbot import QtBot

from app.theme.theme import Theme
from app.widgets.dots import Dots
from app.widgets.elided_label import ElidedLabel
from app.widgets.meter import Meter
from app.widgets.progress_line import ProgressLine


class Calm(QProxyStyle):
    """A system that asks for no motion."""

    def styleHint(  # type: ignore[override]
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        data: object = None,
    ) -> int:
        if hint == QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return super().styleHint(hint, option, widget)


def test_the_line_fills(theme: Theme, qtbot: QtBot) -> None:
    line = ProgressLine(theme)
    qtbot.addWidget(line)
    line.resize(100, 3)
    accent = theme.colour("accent")
    line.set_progress(True, 0.5)
    image = line.grab().toImage()
    assert image.pixelColor(20, 1) == accent
    assert image.pixelColor(80, 1) != accent
    line.set_progress(False, None)
    assert line.grab().toImage().pixelColor(20, 1) != accent


def test_an_unknown_amount_runs_along(theme: Theme, qtbot: QtBot) -> None:
    line = ProgressLine(theme)
    qtbot.addWidget(line)
    line.resize(100, 3)
    line.show()
    line.set_progress(True, None)
    before = line.grab().toImage()
    qtbot.waitUntil(lambda: line.grab().toImage() != before)


def test_dots_move_while_they_are_seen(theme: Theme, qtbot: QtBot) -> None:
    dots = Dots(theme)
    qtbot.addWidget(dots)
    dots.show()
    before = dots.grab().toImage()
    qtbot.waitUntil(lambda: dots.grab().toImage() != before)
    dots.hide()
    assert not dots.is_moving


def test_nothing_moves_where_motion_is_unwanted(theme: Theme, qtbot: QtBot) -> None:
    calm = Calm()
    dots, line = Dots(theme), ProgressLine(theme)
    for widget in (dots, line):
        qtbot.addWidget(widget)
        widget.setStyle(calm)
        widget.show()
    line.set_progress(True, None)
    assert not dots.is_moving
    assert not line.is_moving


def test_the_meter_says_what_it_shows(theme: Theme, qtbot: QtBot) -> None:
    meter = Meter(theme)
    qtbot.addWidget(meter)
    meter.set_value(0.5, "50 / 100", "Context: 50 of 100 tokens used")
    assert meter.toolTip() == meter.accessibleName() == "Context: 50 of 100 tokens used"
    half = meter.grab().toImage()
    meter.set_value(3.0, "50 / 100", "Context: full")
    assert meter.grab().toImage() != half


def test_a_label_gives_way_and_tells_the_rest(theme: Theme, qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.say("some words that take their room")
    label.resize(label.sizeHint())
    assert label.text() == "some words that take their room"
    label.resize(60, 20)
    assert label.text().endswith("…")
    assert label.toolTip() == label.accessibleName() == "some words that take their room"
    label.say("")
    assert label.isHidden()
