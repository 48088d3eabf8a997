"""Machines that the installer may meet."""

from __future__ import annotations

from installers.steps.facts import Facts
from installers.steps.needs import needs_of


def facts(
    family: str = "debian",
    *,
    lacks: tuple[str, ...] = (),
    root: bool = False,
    python: tuple[int, int] = (3, 11),
    system_python: bool = True,
    libc: tuple[int, int] = (2, 36),
) -> Facts:
    """One where everything is present but `lacks`; ("*",) is all."""
    platform = "win32" if family == "windows" else "linux"
    keys = {need.key for need in needs_of(platform)}
    return Facts(
        platform=platform,
        machine="AMD64" if platform == "win32" else "x86_64",
        family=family,
        root=root,
        python=python,
        system_python=system_python,
        present=frozenset() if lacks == ("*",) else frozenset(keys - set(lacks)),
        libc=libc,
    )
