"""The line under a message: its caption and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from app.widgets.elided_label import ElidedLabel
from app.widgets.icon_button import IconButton


class Footer(QWidget):
    """Buttons keep their place and are drawn only while the message is pointed at, or the keyboard is on one.

    Signals: copy, regenerate, edit, resume (continue the answer).
    """

    copy = Signal()
    regenerate = Signal()
    edit = Signal()
    resume = Signal()

    def __init__(self, theme: Theme, right: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._always = False
        self.caption = ElidedLabel(self)
        self.caption.setProperty("tone", "muted")
        self.continue_button = TextButton(theme, self.tr("Continue"), parent=self)
        self.continue_button.clicked.connect(self.resume)
        self.copy_button = IconButton(theme, "copy", self.tr("Copy"), side=26)
        self.copy_button.clicked.connect(self.copy)
        self.regenerate_button = IconButton(theme, "retry", self.tr("Regenerate"), side=26)
        self.regenerate_button.clicked.connect(self.regenerate)
        self.edit_button = IconButton(theme, "edit", self.tr("Edit"), side=26)
        self.edit_button.clicked.connect(self.edit)
        self._buttons = (self.copy_button, self.edit_button, self.regenerate_button)
        self._arrange(right)
        for button in self._buttons:
            button.installEventFilter(self)
        self._restyle()
        theme.changed.connect(self._restyle)

    def offer(self, regenerate: bool, edit: bool, resume: str, always: bool) -> None:
        """Which actions there are; copying always is.

        resume: words of the button that goes on with the answer; none for no button.
        always: the actions are drawn also when the message is not pointed at.
        """
        self.regenerate_button.setVisible(regenerate)
        self.edit_button.setVisible(edit)
        self.continue_button.setVisible(bool(resume))
        self.continue_button.setObjectName("continueButton" if resume else "")  # there is but one at a time
        self.continue_button.say(resume or self.tr("Continue"))
        self._always = always
        self.reveal(False)

    def reveal(self, revealed: bool) -> None:
        for button in self._buttons:
            button.set_veiled(not (revealed or self._always))

    def show_copied(self, copied: bool) -> None:
        name = self.tr("Copied") if copied else self.tr("Copy")
        self.copy_button.set_icon("check" if copied else "copy", name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.reveal(event.type() == QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)

    def _arrange(self, right: bool) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        if right:
            row.addStretch()
        row.addWidget(self.caption)
        row.addWidget(self.continue_button)
        for button in self._buttons:
            row.addWidget(button)
        if not right:
            row.addStretch()

    def _restyle(self) -> None:
        self.caption.setFont(self._theme.font(-1))
        self.setMinimumHeight(self._theme.px(30))
