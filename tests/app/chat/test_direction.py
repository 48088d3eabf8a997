from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.chat.direction import direction

RIGHT, LEFT = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello", LEFT),
        ("שלום", RIGHT),
        ("1. مرحبا", RIGHT),
        ("«hello» שלום", LEFT),
        ("", LEFT),
        ("?!", LEFT),
        ("中文", LEFT),
    ],
)
def test_the_first_strong_letter_decides(text: str, expected: Qt.LayoutDirection) -> None:
    """C107."""
    assert direction(text) == expected
