"""The installed Qt is not one of those that ruin Python."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from 3.12 on")
def test_calls_into_qt_do_not_use_up_none(qtbot: QtBot) -> None:
    """PySide6 6.12.0 on Python 3.11 loses references of None with every call, and aborts after a minute."""
    before = sys.getrefcount(None)
    for _ in range(2000):
        QCoreApplication.processEvents()
    assert abs(sys.getrefcount(None) - before) < 100
