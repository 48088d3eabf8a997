from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from app.settings import environment
from app.settings.environment import has_display

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a desktop")


@pytest.mark.parametrize(
    ("environ", "there"),
    [
        ({}, False),
        ({"DISPLAY": ""}, False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"QT_QPA_PLATFORM": "offscreen"}, True),
        ({"DISPLAY": "another.machine:0"}, True),
        ({"DISPLAY": ":54321"}, False),
        ({"DISPLAY": "unix:54321.0"}, False),
        ({"DISPLAY": ":99999999999"}, False),
    ],
)
def test_what_names_a_display(environ: dict[str, str], there: bool) -> None:
    """A server that is named but does not listen is none: Qt would end the program."""
    assert has_display(environ) is there


def test_a_server_of_this_machine_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(tmp_path / "X7"))
    server.listen()
    called: list[object] = []
    connects = environment._connects

    def connect(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
        called.append(address)
        return connects(socket.AF_UNIX, str(tmp_path / "X7")) if address == "/tmp/.X11-unix/X7" else False

    monkeypatch.setattr(environment, "_connects", connect)
    assert has_display({"DISPLAY": ":7.0"})
    server.close()
    assert not has_display({"DISPLAY": ":7.0"})
    assert ("127.0.0.1", 6007) in called
