from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.widgets.announce import announce


@pytest.mark.parametrize("listens", [True, False])
def test_words_are_spoken_where_somebody_listens(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, listens: bool) -> None:
    told: list[tuple[QAccessible.Event, str]] = []

    def tell(event: QAccessibleEvent) -> None:
        told.append((event.type(), event.message()))  # type: ignore[attr-defined]

    monkeypatch.setattr(QAccessible, "isActive", lambda: listens)
    monkeypatch.setattr(QAccessible, "updateAccessibility", tell)
    widget = QWidget()
    qtbot.addWidget(widget)
    announce(widget, "Finished")
    assert told == ([(QAccessible.Event.Announcement, "Finished")] if listens else [])
