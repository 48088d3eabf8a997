"""What an empty chat shows: a greeting, and the way to a model where there is none."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.bridge.state import EngineState
from app.theme.icons import paint_icon
from app.theme.theme import Theme
from app.widgets.buttons import TextButton


class Mark(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(60), self._theme.px(60))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = min(self.width(), self.height())
        place = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        paint_icon(painter, "mark", place, self._theme.colour("accent"))


class Welcome(QWidget):
    """Signals: folder_wanted, file_wanted."""

    folder_wanted = Signal()
    file_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = QLabel(self.tr("What is on your mind?"))
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._hint = QLabel()
        self._hint.setProperty("tone", "muted")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._hint.setWordWrap(True)
        folder = TextButton(theme, self.tr("Open model folder…"))
        folder.clicked.connect(self.folder_wanted)
        file = TextButton(theme, self.tr("Open GGUF file…"))
        file.clicked.connect(self.file_wanted)
        self._buttons = QWidget()
        row = QHBoxLayout(self._buttons)
        row.addStretch()
        row.addWidget(folder)
        row.addWidget(file)
        row.addStretch()
        column = QVBoxLayout(self)
        column.addStretch(5)
        column.addWidget(Mark(theme))
        column.addWidget(self._title)
        column.addWidget(self._hint)
        column.addWidget(self._buttons)
        column.addStretch(6)
        column.setSpacing(10)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_state(self, state: EngineState) -> None:
        without = state.phase == "empty"
        self._buttons.setVisible(without)
        self._title.setText(self.tr("Choose a model to begin") if without else self.tr("What is on your mind?"))
        self._hint.setText(self._hint_for(state))

    def _hint_for(self, state: EngineState) -> str:
        if state.phase == "empty":
            return self.tr("A folder from Hugging Face, or a single GGUF file. It stays on this machine.")
        if state.phase in ("starting", "loading"):
            return self.tr("The model is loading. You can write meanwhile.")
        return self.tr("Everything you write stays on this machine.")

    def _restyle(self) -> None:
        self._title.setFont(self._theme.font(9, QFont.Weight.DemiBold))
        self._hint.setFont(self._theme.font(1))
