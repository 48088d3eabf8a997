"""Facts about the machine that the set-up decides by; gathering them changes nothing."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from installers.steps.needs import Need, needs_of

FAMILIES = {"debian": "debian", "ubuntu": "debian", "fedora": "fedora", "rhel": "fedora", "arch": "arch"}


@dataclass(frozen=True)
class Facts:
    """platform: as sys.platform. family: of the system's packages, "" if we do not know it. python: its version.
    system_python: it is the system's own, so that its headers and venv are the system's packages.
    present: keys of the needs that are satisfied. libc: version of glibc, (0, 0) elsewhere."""

    platform: str
    machine: str
    family: str
    root: bool
    python: tuple[int, int]
    system_python: bool
    present: frozenset[str]
    libc: tuple[int, int]


def gather() -> Facts:
    importlib.invalidate_caches()  # what a package manager has just installed counts
    linux = sys.platform == "linux"
    family = family_of(_os_release()) if linux else "windows" if sys.platform == "win32" else ""
    return Facts(
        platform=sys.platform,
        machine=platform.machine(),
        family=family,
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
        python=sys.version_info[:2],
        system_python=linux and sys.base_prefix == "/usr",
        present=frozenset(need.key for need in needs_of(sys.platform) if _is_present(need, family)),
        libc=_libc() if linux else (0, 0),
    )


def family_of(os_release: str) -> str:
    """The family by ID, then by ID_LIKE, of the text of /etc/os-release."""
    lines = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    names = [lines.get("ID", ""), *lines.get("ID_LIKE", "").strip('"').split()]
    return next((FAMILIES[name.strip('"')] for name in names if name.strip('"') in FAMILIES), "")


def driver() -> str | None:
    """Version of NVIDIA's driver if it runs a card here, read from its management library in a few milliseconds."""
    name = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
    try:
        nvml = ctypes.CDLL(name)
    except OSError:
        return None
    version, count = ctypes.create_string_buffer(96), ctypes.c_uint(0)
    if nvml.nvmlInit_v2() != 0:
        return None
    try:
        failed = nvml.nvmlSystemGetDriverVersion(version, 96) or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    finally:
        nvml.nvmlShutdown()
    return None if failed or not count.value else version.value.decode()


def _os_release() -> str:
    path = Path("/etc/os-release")
    return path.read_text() if path.is_file() else ""


def _libc() -> tuple[int, int]:
    name, version = platform.libc_ver()
    major, _, minor = version.partition(".")
    return (int(major), int(minor)) if name == "glibc" and minor.isdecimal() else (0, 0)


def _is_present(need: Need, family: str) -> bool:
    if need.kind == "library":
        return _loads(need.key)
    if need.kind == "font":
        return any(_font(pattern) for pattern in need.patterns)
    if need.kind == "compiler":
        return _compiler_on_windows() if family == "windows" else any(map(shutil.which, ("c++", "g++", "clang++")))
    if need.kind == "headers":
        return (Path(sysconfig.get_path("include")) / "Python.h").is_file()
    return importlib.util.find_spec("ensurepip") is not None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _font(pattern: str) -> bool:
    home = Path.home()
    folders = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".fonts", home / ".local/share/fonts")
    return any(next(folder.rglob(pattern), None) is not None for folder in folders if folder.is_dir())


def _compiler_on_windows() -> bool:
    finder = Path(os.environ.get("PROGRAMFILES(X86)", "")) / "Microsoft Visual Studio/Installer/vswhere.exe"
    if not finder.is_file():
        return shutil.which("cl") is not None
    tools = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    query = [str(finder), "-products", "*", "-requires", tools, "-property", "installationPath"]
    return bool(subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip())
