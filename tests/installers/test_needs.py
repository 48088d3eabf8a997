from __future__ import annotations

import pytest

from installers.steps import needs
from tests.installers.machines import facts

ALL = {
    "debian": (
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends python3.11-venv libegl1 libgl1 "
        "libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 "
        "libxcb-shape0 libxkbcommon-x11-0 libwayland-cursor0 libwayland-egl1 fonts-noto-color-emoji "
        "fonts-wqy-microhei g++ python3.11-dev"
    ),
    "fedora": (
        "sudo dnf install -y python3-pip libglvnd-egl libglvnd-glx glib2 dbus-libs fontconfig libxkbcommon "
        "xcb-util-cursor xcb-util-wm xcb-util-keysyms libxcb libxkbcommon-x11 libwayland-cursor libwayland-egl "
        "google-noto-color-emoji-fonts google-noto-sans-cjk-fonts gcc-c++ python3-devel"
    ),
    "arch": (
        "sudo pacman -Sy --needed --noconfirm python libglvnd glib2 dbus fontconfig libxkbcommon xcb-util-cursor "
        "xcb-util-wm xcb-util-keysyms libxcb libxkbcommon-x11 wayland noto-fonts-emoji wqy-microhei gcc"
    ),
    "windows": (
        "winget install --exact --id Microsoft.VCRedist.2015+.x64 ; winget install --exact --id "
        "Microsoft.VisualStudio.2022.BuildTools --override "
        '"--passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'
    ),
    "": "",
}


@pytest.mark.parametrize("family", ALL)
def test_the_one_command_on_a_bare_machine(family: str) -> None:
    bare = facts(family, lacks=("*",))
    names = needs.packages(needs.missing(bare.platform, bare.present), family, bare.python, system_python=True)
    assert needs.by_hand(names, family) == ALL[family]


def test_nothing_is_asked_for_where_all_is_there() -> None:
    assert needs.missing("linux", facts().present) == ()
    assert needs.install_commands((), "debian") == []
    assert needs.by_hand((), "debian") == ""


def test_only_what_is_missing_is_installed() -> None:
    lacking = needs.missing("linux", facts(lacks=("libEGL.so.1", "cjk")).present)
    assert needs.packages(lacking, "debian", (3, 12), system_python=True) == ("libegl1", "fonts-wqy-microhei")


def test_packages_follow_the_version_of_python() -> None:
    lacking = needs.missing("linux", facts(lacks=("headers", "ensurepip")).present)
    assert needs.packages(lacking, "debian", (3, 13), system_python=True) == ("python3.13-venv", "python3.13-dev")


def test_a_python_of_ones_own_is_not_mended_by_the_systems_packages() -> None:
    lacking = needs.missing("linux", facts(lacks=("headers", "ensurepip", "compiler")).present)
    assert needs.packages(lacking, "debian", (3, 13), system_python=False) == ("g++",)
