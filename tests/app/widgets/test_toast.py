from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QEnterEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.theme.theme import Theme
from app.widgets import toast
from app.widgets.buttons import TextButton
from app.widgets.toast import STAY_MS, Toasts


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[QWidget]:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(600, 400)
    with qtbot.waitExposed(made):
        made.show()
    QCursor.setPos(made.mapToGlobal(QPoint(1, 1)))  # away from where toasts come
    yield made


def test_there_are_ten_seconds_to_undo() -> None:
    assert STAY_MS >= 10_000


def test_undo_is_done_once_and_the_toast_goes(theme: Theme, page: QWidget, qtbot: QtBot) -> None:
    undone: list[str] = []
    toasts = Toasts(theme, page)
    shown = toasts.show("Deleted", "Undo", lambda: undone.append("undone"))
    (button,) = shown.findChildren(TextButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert undone == ["undone"]
    assert toasts.visible() == []


def test_it_goes_by_itself(theme: Theme, page: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toast, "STAY_MS", 20)
    toasts = Toasts(theme, page)
    toasts.show("Done")
    qtbot.waitUntil(lambda: toasts.visible() == [])


def test_it_stays_while_it_is_pointed_at(
    theme: Theme, page: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toast, "STAY_MS", 20)
    toasts = Toasts(theme, page)
    shown = toasts.show("Done")
    spot = QPointF(5, 5)
    QApplication.sendEvent(shown, QEnterEvent(spot, spot, spot))
    qtbot.wait(60)
    assert toasts.visible() == [shown]
    QApplication.sendEvent(shown, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: toasts.visible() == [])


def test_several_stand_above_one_another(theme: Theme, page: QWidget) -> None:
    toasts = Toasts(theme, page)
    one, other = toasts.show("one"), toasts.show("other")
    assert one.geometry().bottom() < other.y()
    assert page.rect().contains(one.geometry())
    other.dismiss()
    assert toasts.visible() == [one]
    assert not one.grab().toImage().isNull()
