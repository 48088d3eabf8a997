"""The colours of the window, by meaning. Two sets: light and dark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Syntax:
    """Colours of highlighted code, all readable on `Tokens.code`."""

    comment: str
    keyword: str
    string: str
    number: str
    function: str
    type: str
    constant: str
    operator: str
    tag: str
    inserted: str
    deleted: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """One set of colours, each "#rrggbb".

    Surfaces from back to front: rail, sidebar, window, surface (input, menus), bubble (own messages), code.
    Text: text, muted (captions), on_accent, danger, warning. Lines: border, border_strong.
    hover, pressed, selection: backgrounds under text.
    """

    dark: bool
    rail: str
    sidebar: str
    window: str
    surface: str
    bubble: str
    code: str
    code_bar: str
    border: str
    border_strong: str
    text: str
    muted: str
    accent: str
    accent_strong: str
    accent_soft: str
    on_accent: str
    danger: str
    danger_soft: str
    warning: str
    warning_soft: str
    hover: str
    pressed: str
    selection: str
    tooltip: str
    on_tooltip: str
    syntax: Syntax


LIGHT = Tokens(
    dark=False,
    rail="#eceeea",
    sidebar="#f3f5f2",
    window="#fcfcfb",
    surface="#ffffff",
    bubble="#ecf1ed",
    code="#f5f6f4",
    code_bar="#eceeea",
    border="#e1e4df",
    border_strong="#c5cac2",
    text="#1d211e",
    muted="#5c635d",
    accent="#26704e",
    accent_strong="#1c5b3e",
    accent_soft="#dcece3",
    on_accent="#ffffff",
    danger="#a8321f",
    danger_soft="#fbebe7",
    warning="#7d5600",
    warning_soft="#fbf2dc",
    hover="#e6e9e4",
    pressed="#dbdfd8",
    selection="#bfe0cd",
    tooltip="#2a2f2b",
    on_tooltip="#f3f5f2",
    syntax=Syntax(
        comment="#666e67",
        keyword="#8a3ea0",
        string="#2b7040",
        number="#9a4a0a",
        function="#1f5fa8",
        type="#0d6e79",
        constant="#9a4a0a",
        operator="#4d544e",
        tag="#a8321f",
        inserted="#2b7040",
        deleted="#a8321f",
    ),
)

DARK = Tokens(
    dark=True,
    rail="#121412",
    sidebar="#161816",
    window="#1b1e1b",
    surface="#242824",
    bubble="#2b312c",
    code="#141614",
    code_bar="#1f221f",
    border="#2f342f",
    border_strong="#4a514b",
    text="#e5e8e4",
    muted="#a0a8a0",
    accent="#72c79c",
    accent_strong="#8ed6b1",
    accent_soft="#23392d",
    on_accent="#0c2016",
    danger="#f2917f",
    danger_soft="#3b2420",
    warning="#e0b95c",
    warning_soft="#372e1a",
    hover="#292e2a",
    pressed="#333933",
    selection="#2f5a44",
    tooltip="#e5e8e4",
    on_tooltip="#1b1e1b",
    syntax=Syntax(
        comment="#8b948c",
        keyword="#cf9be3",
        string="#93cf9f",
        number="#e9a86a",
        function="#84b8ee",
        type="#6fcbd0",
        constant="#e9a86a",
        operator="#b4bbb4",
        tag="#f2917f",
        inserted="#93cf9f",
        deleted="#f2917f",
    ),
)
