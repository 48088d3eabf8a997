from __future__ import annotations

import pytest

from app.theme.contrast import contrast, luminance


def test_black_on_white_is_the_most_there_is() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#ffffff", "#000000") == pytest.approx(21.0)


def test_a_colour_on_itself_has_none() -> None:
    assert contrast("#2a7a55", "#2a7a55") == pytest.approx(1.0)


def test_green_is_brighter_than_blue() -> None:
    assert luminance("#00ff00") == pytest.approx(0.7152)
    assert luminance("#0000ff") == pytest.approx(0.0722)
