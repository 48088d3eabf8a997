from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme.palette import palette
from app.theme.sheet import sheet
from app.theme.theme import LARGEST_ZOOM, SMALLEST_ZOOM, Theme
from app.theme.tokens import DARK, LIGHT


def test_it_follows_the_system(theme: Theme, qtbot: QtBot, qapp: QApplication) -> None:
    with qtbot.waitSignal(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.tokens is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    with qtbot.waitSignal(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.tokens is LIGHT


def test_the_same_scheme_again_changes_nothing(theme: Theme, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(theme.changed):
        theme.follow(Qt.ColorScheme.Light)


def test_zoom_stays_within_its_limits(theme: Theme) -> None:
    theme.set_zoom(1000)
    assert theme.zoom == LARGEST_ZOOM
    theme.set_zoom(1)
    assert theme.zoom == SMALLEST_ZOOM


def test_zoom_scales_lengths_and_fonts(theme: Theme, qtbot: QtBot) -> None:
    before = theme.font().pixelSize()
    with qtbot.waitSignal(theme.changed):
        theme.set_zoom(200)
    assert theme.px(10) == 20
    assert theme.font().pixelSize() == 2 * before
    assert theme.font(mono=True).pixelSize() == 2 * before


def test_palette_and_sheet_speak_of_the_tokens() -> None:
    made = palette(DARK)
    assert made.color(QPalette.ColorRole.Text) == QColor(DARK.text)
    assert made.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text) == QColor(DARK.muted)
    text = sheet(DARK, round)
    assert DARK.accent in text
    assert LIGHT.accent not in text
