"""doctor: what this machine has and what is missing, in plain words, each with its remedy."""

from __future__ import annotations

import ctypes
import dataclasses
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Literal

from engine import __version__
from engine.plan.machine import Gpu, Machine
from engine.plan.probe import probe
from engine.spec.starter import find_starter

State = Literal["ok", "warn", "missing"]

AGAIN = "Run installers/bootstrap.py again."
LITTLE_RAM = 4 * 2**30
LITTLE_DISK = 5 * 10**9
QT_LIBRARIES = ("EGL.so.1", "GL.so.1", "glib-2.0.so.0", "dbus-1.so.3", "fontconfig.so.1", "xkbcommon.so.0")
SCREEN_LIBRARIES = (
    *("xcb-cursor.so.0", "xcb-icccm.so.4", "xcb-keysyms.so.1", "xcb-shape.so.0", "xkbcommon-x11.so.0"),
    *("wayland-cursor.so.0", "wayland-egl.so.1"),
)
FONTS = {"emoji": ("*ColorEmoji*",), "Chinese, Japanese and Korean": ("wqy-*", "NotoSansCJK*", "SourceHanSans*")}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. topic: a word or two. facts: what there is. remedy: a sentence, if something is amiss."""

    topic: str
    state: State
    facts: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Everything looked at, in the order to read it."""

    version: str
    findings: tuple[Finding, ...]

    @property
    def well(self) -> bool:
        return all(finding.state == "ok" for finding in self.findings)


def report(native: str, *, compiled: bool, machine: Machine | None = None) -> DoctorReport:
    """Looks at this machine; takes as long as importing torch. native: a phrase about our compiled kernels, and
    compiled: whether they are used; the caller asks `layers.processor`, which may know kernels."""
    return DoctorReport(__version__, tuple(_findings(_kernels(native, compiled), machine or probe())))


def render(report: DoctorReport) -> str:
    """For people: one line a finding, remedies under it, a last word."""
    marks = {"ok": "ok     ", "warn": "note   ", "missing": "missing"}
    lines = [f"Tonnelle {report.version}"]
    for finding in report.findings:
        lines.append(f"  {marks[finding.state]}  {finding.topic}: {finding.facts}")
        if finding.remedy:
            lines.append(f"{'':11}{finding.remedy}")
    lines.append(
        "All is well." if report.well else "What is marked above keeps something from working, or from working well."
    )
    return "\n".join(lines)


def as_json(report: DoctorReport) -> dict[str, Any]:
    return {**dataclasses.asdict(report), "well": report.well}


def _findings(kernels: Finding, machine: Machine) -> Iterator[Finding]:
    yield Finding("System", "ok", f"{platform.platform()}, {platform.machine()}")
    yield Finding("Python", "ok", f"{platform.python_version()} at {sys.executable}")
    yield Finding("Processor", "ok", f"{machine.cores} cores that we may use")
    yield kernels
    yield _memory(machine)
    yield from map(_card, machine.gpus)
    yield from (Finding("Graphics cards", "warn", notice) for notice in machine.notices)
    if not machine.gpus and not machine.notices:
        yield Finding("Graphics cards", "ok", "no NVIDIA card; models run on the processor")
    yield _torch(machine)
    yield _qt()
    if sys.platform == "linux":
        yield _libraries("Libraries of the window", QT_LIBRARIES, "missing")
        yield _libraries("Libraries of the screen", SCREEN_LIBRARIES, "warn")
        yield from _fonts()
    yield _starter()
    yield _disk()


def _kernels(native: str, compiled: bool) -> Finding:
    remedy = "" if compiled else f"Install a C++ compiler and Python's headers. {AGAIN}"
    return Finding("Fast kernels", "ok" if compiled else "warn", native, remedy)


def _memory(machine: Machine) -> Finding:
    facts = f"{machine.ram_free / 2**30:.1f} GiB free of {machine.ram_total / 2**30:.1f} GiB"
    if machine.ram_free < LITTLE_RAM:
        return Finding("Memory", "warn", facts, "Close other programs before you load larger models.")
    return Finding("Memory", "ok", facts)


def _card(gpu: Gpu) -> Finding:
    facts = f"{gpu.name} ({gpu.device}), {gpu.free / 2**30:.1f} GiB free of {gpu.total / 2**30:.1f} GiB"
    return (
        Finding("Graphics card", "ok", facts)
        if gpu.usable
        else Finding("Graphics card", "warn", facts, f"Not used: {gpu.reason}.")
    )


def _torch(machine: Machine) -> Finding:
    try:
        torch = import_module("torch")
    except Exception as error:  # a broken library fails in ways of its own
        return Finding("torch", "missing", f"cannot be loaded ({type(error).__name__}: {error})", AGAIN)
    cuda = torch.version.cuda
    facts = f"{torch.__version__}, {f'for CUDA {cuda}' if cuda else 'for the processor'}"
    if machine.usable_gpus and not torch.cuda.is_available():
        return Finding(
            "torch", "warn", f"{facts}, does not see the card", f"Restart the machine, or update the driver. {AGAIN}"
        )
    return Finding("torch", "ok", facts)


def _qt() -> Finding:
    """Read from its files: this process shows no window and loads no Qt."""
    try:
        return Finding("Qt", "ok", f"PySide6 {metadata.version('PySide6-Essentials')}")
    except metadata.PackageNotFoundError:
        return Finding("Qt", "missing", "PySide6 is not installed; the chat works in the terminal", AGAIN)


def _libraries(topic: str, names: tuple[str, ...], state: State) -> Finding:
    lacking = [f"lib{name}" for name in names if not _loads(f"lib{name}")]
    if lacking:
        return Finding(
            topic, state, f"not found: {', '.join(lacking)}", f"{AGAIN} It installs them, or tells the command."
        )
    return Finding(topic, "ok", "all found")


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _fonts() -> Iterator[Finding]:
    folders = [folder for name in FONT_FOLDERS if (folder := Path(name).expanduser()).is_dir()]
    for script, patterns in FONTS.items():
        if any(next(folder.rglob(pattern), None) for folder in folders for pattern in patterns):
            yield Finding(f"Font for {script}", "ok", "found")
        else:
            yield Finding(
                f"Font for {script}",
                "warn",
                "not found; it shows as boxes",
                f"{AGAIN} It installs one, or tells the command.",
            )


def _starter() -> Finding:
    file = find_starter()
    return (
        Finding("Starter model", "ok", str(file))
        if file
        else Finding("Starter model", "missing", "not installed", AGAIN)
    )


def _disk() -> Finding:
    free = shutil.disk_usage(Path.home()).free
    facts = f"{free / 1e9:.1f} GB free in {Path.home()}"
    return (
        Finding("Disk", "ok", facts)
        if free >= LITTLE_DISK
        else Finding("Disk", "warn", facts, "Models need a few GB each.")
    )
