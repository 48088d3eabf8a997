"""What Tonnelle needs of the system, and in which of its packages that is; what to install is decided here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Kind = Literal["library", "font", "compiler", "headers", "ensurepip"]


@dataclass(frozen=True)
class Need:
    """key: the library's file name, or a word. why: what it is for. packages: by family; "" is part of another one.

    essential: without it nothing starts. patterns: of font files, any of which will do.
    """

    key: str
    kind: Kind
    why: str
    debian: str = ""
    fedora: str = ""
    arch: str = ""
    windows: str = ""
    essential: bool = False
    patterns: tuple[str, ...] = ()

    def package(self, family: str, python: tuple[int, int]) -> str:
        names = {"debian": self.debian, "fedora": self.fedora, "arch": self.arch, "windows": self.windows}
        return names.get(family, "").format(python=f"python{python[0]}.{python[1]}")


def _qt(key: str, debian: str, fedora: str, arch: str) -> Need:
    return Need(key, "library", "the window", debian, fedora, arch, essential=True)


def _screen(key: str, debian: str, fedora: str, arch: str) -> Need:
    return Need(key, "library", "the window on this screen", debian, fedora, arch)


# Verified on a bare Debian 12; the xcb ones are what its plugin links and the wheel does not carry.
LINUX = (
    Need("ensurepip", "ensurepip", "the Python environment", "{python}-venv", "python3-pip", "python", essential=True),
    _qt("libEGL.so.1", "libegl1", "libglvnd-egl", "libglvnd"),
    _qt("libGL.so.1", "libgl1", "libglvnd-glx", "libglvnd"),
    _qt("libglib-2.0.so.0", "libglib2.0-0", "glib2", "glib2"),
    _qt("libdbus-1.so.3", "libdbus-1-3", "dbus-libs", "dbus"),
    _qt("libfontconfig.so.1", "libfontconfig1", "fontconfig", "fontconfig"),
    _qt("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
    _screen("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
    _screen("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
    _screen("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
    _screen("libxcb-shape.so.0", "libxcb-shape0", "libxcb", "libxcb"),
    _screen("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
    _screen("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor", "wayland"),
    _screen("libwayland-egl.so.1", "libwayland-egl1", "libwayland-egl", "wayland"),
    Need(
        "emoji",
        "font",
        "emoji in answers",
        "fonts-noto-color-emoji",
        "google-noto-color-emoji-fonts",
        "noto-fonts-emoji",
        patterns=("*ColorEmoji*",),
    ),
    Need(
        "cjk",
        "font",
        "Chinese, Japanese and Korean text",
        "fonts-wqy-microhei",
        "google-noto-sans-cjk-fonts",
        "wqy-microhei",
        patterns=("wqy-*", "NotoSansCJK*", "SourceHanSans*"),
    ),
    Need("compiler", "compiler", "fast kernels for the processor", "g++", "gcc-c++", "gcc"),
    Need("headers", "headers", "fast kernels for the processor", "{python}-dev", "python3-devel", "python"),
)
WINDOWS = (
    Need("msvcp140", "library", "torch and the window", windows="Microsoft.VCRedist.2015+.x64", essential=True),
    Need(
        "compiler",
        "compiler",
        "fast kernels for the processor",
        windows="Microsoft.VisualStudio.2022.BuildTools --override "
        '"--passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"',
    ),
)


def needs_of(platform: str) -> tuple[Need, ...]:
    return {"linux": LINUX, "win32": WINDOWS}.get(platform, ())


def missing(platform: str, present: Collection[str]) -> tuple[Need, ...]:
    return tuple(need for need in needs_of(platform) if need.key not in present)


def packages(needs: Collection[Need], family: str, python: tuple[int, int], *, system_python: bool) -> tuple[str, ...]:
    """The system's packages for these needs, each once. A Python that is not the system's own brings its
    headers and ensurepip itself; the system's packages would not reach it."""
    own = () if system_python else ("headers", "ensurepip")
    names = (need.package(family, python) for need in needs if need.kind not in own)
    return tuple(dict.fromkeys(name for name in names if name))


def install_commands(names: Collection[str], family: str) -> list[list[str]]:
    """What installs these packages, as root; none where we do not know how."""
    if not names:
        return []
    if family == "debian":
        return [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *names]]
    if family == "fedora":
        return [["dnf", "install", "-y", *names]]
    if family == "arch":
        return [["pacman", "-Sy", "--needed", "--noconfirm", *names]]
    return []


def by_hand(names: Collection[str], family: str) -> str:
    """The one command for a person to type; empty where we do not know it."""
    if family == "windows":
        return " ; ".join(f"winget install --exact --id {name}" for name in names)
    return " && ".join("sudo " + " ".join(command) for command in install_commands(names, family))
