from __future__ import annotations

import sys
from typing import Any

import pytest

from installers.steps import facts, system
from installers.steps.needs import needs_of

RELEASES = {
    'ID=debian\nVERSION_ID="12"': "debian",
    "ID=ubuntu\nID_LIKE=debian": "debian",
    'ID=linuxmint\nID_LIKE="ubuntu debian"': "debian",
    "ID=fedora": "fedora",
    'ID="rocky"\nID_LIKE="rhel centos fedora"': "fedora",
    "ID=arch": "arch",
    "ID=endeavouros\nID_LIKE=arch": "arch",
    'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"': "",
    "": "",
}


@pytest.mark.parametrize("text", RELEASES)
def test_the_family_of_a_distribution(text: str) -> None:
    assert facts.family_of(text) == RELEASES[text]


def test_this_machine_runs_these_tests() -> None:
    here = facts.gather()
    assert (here.platform, here.python) == (sys.platform, sys.version_info[:2])
    assert "ensurepip" in here.present or sys.platform == "win32"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Qt brings its libraries")
def test_where_qt_loads_its_libraries_are_found() -> None:
    pytest.importorskip("PySide6.QtWidgets")
    here = facts.gather()
    assert {need.key for need in needs_of("linux") if need.why == "the window"} <= here.present
    assert here.libc >= system.OLDEST_LIBC


@pytest.mark.gpu
def test_a_driver_that_runs_a_card_is_found() -> None:
    version = facts.driver()
    assert version is not None
    assert version.partition(".")[0].isdecimal()


def test_without_the_drivers_library_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr("ctypes.CDLL", absent)
    assert facts.driver() is None


class Nvml:
    """The driver's library. state: what each call returns, 0 for success; cards: how many it counts."""

    def __init__(self, state: int, cards: int) -> None:
        self.state, self.cards, self.open = state, cards, 0

    def nvmlInit_v2(self) -> int:
        self.open += self.state == 0
        return self.state

    def nvmlShutdown(self) -> int:
        self.open -= 1
        return 0

    def nvmlSystemGetDriverVersion(self, text: Any, size: int) -> int:
        text.value = b"580.65.06"
        return self.state

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:
        count._obj.value = self.cards
        return self.state


@pytest.mark.parametrize(("state", "cards", "expected"), [(0, 1, "580.65.06"), (0, 0, None), (9, 1, None)])
def test_c101_a_driver_counts_only_if_it_runs_a_card(
    monkeypatch: pytest.MonkeyPatch, state: int, cards: int, expected: str | None
) -> None:
    """C101: a library that reports no devices, or does not start."""
    nvml = Nvml(state, cards)
    monkeypatch.setattr("ctypes.CDLL", lambda name: nvml)
    assert facts.driver() == expected
    assert nvml.open == 0


def test_a_library_that_does_not_exist_is_absent() -> None:
    assert not facts._loads("libtonnelle-none.so.9")
