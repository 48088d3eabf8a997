from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.chat.links import is_allowed, open_link


@pytest.mark.parametrize("address", ["http://a.b", "HTTPS://a.b/c?d#e", "mailto:a@b.c"])
def test_web_and_mail_are_allowed(address: str) -> None:
    assert is_allowed(address)


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "javascript:alert(1)", "vscode://x", "//host/share", "", "smb://a", "data:text/html,x"],
)
def test_nothing_else_is(address: str) -> None:
    assert not is_allowed(address)


def test_only_allowed_links_reach_the_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    open_link(QUrl("file:///etc/passwd"))
    open_link(QUrl("https://example.org"))
    assert opened == ["https://example.org"]
