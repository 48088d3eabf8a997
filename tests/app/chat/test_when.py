from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from PySide6.QtCore import QLocale

from app.chat.when import ago, period

NOW = datetime(2024, 5, 15, 14, 0).timestamp()  # a Wednesday


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_GB"))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("moment", "short", "heading"),
    [
        (datetime(2024, 5, 15, 13, 59, 30), "now", "Today"),
        (datetime(2024, 5, 15, 13, 35), "25 min", "Today"),
        (datetime(2024, 5, 15, 3, 0), "11 h", "Today"),
        (datetime(2024, 5, 14, 23, 0), "Tue", "Yesterday"),
        (datetime(2024, 5, 10), "Fri", "Last seven days"),
        (datetime(2024, 4, 1), "1 Apr", "Earlier"),
        (datetime(2022, 4, 1), "Apr 2022", "Earlier"),
        (datetime(2024, 5, 15, 15, 0), "now", "Today"),  # a clock that was set back
    ],
)
def test_how_long_ago(moment: datetime, short: str, heading: str) -> None:
    assert (ago(moment.timestamp(), NOW), period(moment.timestamp(), NOW)) == (short, heading)
