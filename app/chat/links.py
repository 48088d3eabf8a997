"""Which links a model's text may offer, and how they are opened."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

ALLOWED = ("http", "https", "mailto")
BARE = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}*_]")


def is_allowed(address: str) -> bool:
    """Only the web and mail: a model's text must not reach files or programs."""
    return QUrl(address).scheme().lower() in ALLOWED


def open_link(address: QUrl) -> None:
    """Show the address in the system's browser or mail program."""
    if is_allowed(address.toString()):
        QDesktopServices.openUrl(address)
