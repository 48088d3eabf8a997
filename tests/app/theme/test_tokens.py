"""Every text of both sets of colours is readable where it stands."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from app.theme.contrast import contrast
from app.theme.tokens import DARK, LIGHT, Syntax, Tokens

READABLE = 4.5  # WCAG 2.2, level AA
VISIBLE = 3.0  # of a focus ring or a control's edge: section 1.4.11
GROUNDS = {
    "text": ("rail", "sidebar", "window", "surface", "bubble", "hover", "pressed", "selection", "accent_soft", "code"),
    "muted": ("rail", "sidebar", "window", "surface", "hover", "accent_soft", "code_bar", "pressed", "bubble"),
    "accent": ("window", "surface", "bubble", "hover"),
    "on_accent": ("accent", "accent_strong"),
    "danger": ("window", "danger_soft"),
    "warning": ("window", "warning_soft"),
    "on_tooltip": ("tooltip",),
}
BOTH = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_text_is_readable_on_its_grounds(tokens: Tokens) -> None:
    low = {
        (ink, ground): ratio
        for ink, grounds in GROUNDS.items()
        for ground in grounds
        if (ratio := contrast(getattr(tokens, ink), getattr(tokens, ground))) < READABLE
    }
    assert low == {}


@BOTH
def test_code_is_readable(tokens: Tokens) -> None:
    low = {
        field.name: ratio
        for field in fields(Syntax)
        if (ratio := contrast(getattr(tokens.syntax, field.name), tokens.code)) < READABLE
    }
    assert low == {}


@BOTH
def test_focus_rings_are_visible(tokens: Tokens) -> None:
    for ground in ("rail", "sidebar", "window", "surface", "accent_soft", "code_bar", "danger_soft"):
        assert contrast(tokens.accent, getattr(tokens, ground)) >= VISIBLE, ground
    assert contrast(tokens.on_accent, tokens.accent) >= VISIBLE  # inside filled buttons
    assert contrast(tokens.on_tooltip, tokens.tooltip) >= VISIBLE


@BOTH
def test_every_colour_is_written_out(tokens: Tokens) -> None:
    colours = [getattr(tokens, field.name) for field in fields(Tokens) if field.name not in ("dark", "syntax")]
    colours += [getattr(tokens.syntax, field.name) for field in fields(Syntax)]
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)
