"""The look in force: tokens, zoom and fonts, following the system's light or dark setting."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from app.theme.palette import palette
from app.theme.sheet import sheet
from app.theme.tokens import DARK, LIGHT, Tokens

SMALLEST_ZOOM, LARGEST_ZOOM, ZOOM_STEP = 80, 200, 10
SMALLEST_BASE = 13  # pixels; some desktops name a font too small for a page of prose


class Theme(QObject):
    """Emits `changed` after its tokens or zoom have changed; widgets then repaint or render again."""

    changed = Signal()

    def __init__(self, app: QApplication, zoom: int = 100, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._zoom = _clamp(zoom)
        if app.style().objectName().lower() != "fusion":
            app.setStyle("Fusion")  # looks the same on every desktop; setting it again would polish all widgets anew
        self._system_dark = app.style().standardPalette().color(QPalette.ColorRole.Window).lightness() < 128
        self._tokens = self._wanted(app.styleHints().colorScheme())
        app.styleHints().colorSchemeChanged.connect(self.follow)
        self._apply()

    @property
    def tokens(self) -> Tokens:
        return self._tokens

    @property
    def zoom(self) -> int:
        """Per cent, 80 to 200."""
        return self._zoom

    def set_zoom(self, zoom: int) -> None:
        if _clamp(zoom) != self._zoom:
            self._zoom = _clamp(zoom)
            self._apply()
            self.changed.emit()

    def follow(self, scheme: Qt.ColorScheme) -> None:
        """Take the light or dark tokens as the system says."""
        wanted = self._wanted(scheme)
        if wanted is not self._tokens:
            self._tokens = wanted
            self._apply()
            self.changed.emit()

    def px(self, length: float) -> int:
        """A length in pixels at the present zoom."""
        return round(length * self._zoom / 100)

    def colour(self, name: str) -> QColor:
        """The token of this name, for a painter."""
        return QColor(getattr(self._tokens, name))

    def font(self, delta: float = 0, weight: QFont.Weight = QFont.Weight.Normal, mono: bool = False) -> QFont:
        """The system's font (or fixed-width font), `delta` pixels larger than its base size at 100 %."""
        kind = QFontDatabase.SystemFont.FixedFont if mono else QFontDatabase.SystemFont.GeneralFont
        made = QFontDatabase.systemFont(kind)
        made.setPixelSize(self.px(self._base() + delta))
        made.setWeight(weight)
        if mono:
            made.setStyleHint(QFont.StyleHint.Monospace)
        return made

    def sheet(self) -> str:
        return sheet(self._tokens, self.px)

    def _base(self) -> int:
        general = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        return max(SMALLEST_BASE, QFontInfo(general).pixelSize())

    def _wanted(self, scheme: Qt.ColorScheme) -> Tokens:
        if scheme == Qt.ColorScheme.Unknown:
            return DARK if self._system_dark else LIGHT
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT

    def _apply(self) -> None:
        self._app.setPalette(palette(self._tokens))
        self._app.setFont(self.font())


def _clamp(zoom: int) -> int:
    return max(SMALLEST_ZOOM, min(LARGEST_ZOOM, zoom))
