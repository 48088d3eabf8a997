"""A problem that concerns no single answer, told above the messages until it is dismissed."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.theme.theme import Theme
from app.widgets.buttons import TextButton
from app.widgets.card import Card
from engine.errors import Problem


class Banner(Card):
    """`tell` shows a problem in place of an earlier one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "danger", parent=parent)
        self._problem: Problem | None = None
        copy = TextButton(theme, self.tr("Copy details"), parent=self)
        copy.clicked.connect(self.copy_details)
        dismiss = TextButton(theme, self.tr("Dismiss"), "quiet", self)
        dismiss.clicked.connect(self.hide)
        self.add_button(copy)
        self.add_button(dismiss)
        self.hide()

    def tell(self, problem: Problem) -> None:
        self._problem = problem
        self.say(problem.sentence, problem.remedy)
        self.show()

    def leave_to_others(self, problem: Problem | None) -> None:
        """This problem is told elsewhere."""
        if problem is not None and problem == self._problem:
            self.hide()

    def copy_details(self) -> None:
        if self._problem is not None:
            QGuiApplication.clipboard().setText(details(self._problem))


def details(problem: Problem) -> str:
    """All of a problem as text for a report."""
    lines = [problem.kind, problem.sentence, problem.remedy, *(f"{name}: {value}" for name, value in problem.details)]
    return "\n".join(line for line in lines if line)
