"""The window's only reader of environment variables."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping

_LOCAL_X = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")


def has_display(environ: Mapping[str, str] | None = None) -> bool:
    """Whether a window can be shown. Windows and macOS always have a desktop; elsewhere a variable names it.

    An X server of this machine is also called: Qt ends the program when a variable names one that is gone.
    """
    if sys.platform in ("win32", "darwin"):
        return True
    source = os.environ if environ is None else environ  # noqa: TID251  (the one place)
    if source.get("QT_QPA_PLATFORM") or source.get("WAYLAND_DISPLAY"):
        return True
    display = source.get("DISPLAY", "")
    local = _LOCAL_X.fullmatch(display)
    return _answers(int(local[1])) if local else bool(display)


def _answers(number: int) -> bool:
    """Whether an X server listens, at any of the places where Qt would look for it."""
    path = f"/tmp/.X11-unix/X{number}"
    return any(
        _connects(family, address)
        for family, address in (
            (socket.AF_UNIX, f"\0{path}"),
            (socket.AF_UNIX, path),
            (socket.AF_INET, ("127.0.0.1", 6000 + number)),
        )
    )


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as line:
        line.settimeout(1.0)
        try:
            line.connect(address)
        except (OSError, OverflowError):
            return False
        return True
