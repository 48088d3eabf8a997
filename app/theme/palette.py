"""Tokens as a QPalette, for everything that Qt paints by itself."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from app.theme.tokens import Tokens


def palette(tokens: Tokens) -> QPalette:
    role = QPalette.ColorRole
    made = QPalette()
    for which, colour in (
        (role.Window, tokens.window),
        (role.WindowText, tokens.text),
        (role.Base, tokens.surface),
        (role.AlternateBase, tokens.sidebar),
        (role.Text, tokens.text),
        (role.PlaceholderText, tokens.muted),
        (role.Button, tokens.surface),
        (role.ButtonText, tokens.text),
        (role.BrightText, tokens.danger),
        (role.Highlight, tokens.selection),
        (role.HighlightedText, tokens.text),
        (role.Accent, tokens.accent),
        (role.Link, tokens.accent),
        (role.LinkVisited, tokens.accent),
        (role.ToolTipBase, tokens.tooltip),
        (role.ToolTipText, tokens.on_tooltip),
        (role.Light, tokens.surface),
        (role.Midlight, tokens.border),
        (role.Mid, tokens.border),
        (role.Dark, tokens.border_strong),
        (role.Shadow, tokens.border_strong),
    ):
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.muted))
    return made
