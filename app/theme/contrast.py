"""How readable one colour is on another."""

from __future__ import annotations


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two "#rrggbb" colours, 1 (none) to 21 (black on white); WCAG 2.2, section 1.4.3."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of a "#rrggbb" colour, 0 to 1 (WCAG 2.2, definition "relative luminance")."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
