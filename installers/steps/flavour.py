"""Which build of torch fits the machine, and the ways to get it, in the order to try them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TORCH = "2.13.0"  # what our tests ran with; it exists as the builds below


@dataclass(frozen=True)
class Flavour:
    """name: the local part of the version and uv's name for its source. cuda: major version, 0 for the processor's
    build. driver: oldest major version of NVIDIA's driver. disk: GB that everything takes in the end."""

    name: str
    cuda: int
    driver: int
    disk: int


CPU = Flavour("cpu", 0, 0, 3)
CU126 = Flavour("cu126", 12, 525, 9)  # any CUDA 12 runs on any driver of that generation
CU130 = Flavour("cu130", 13, 580, 9)


@dataclass(frozen=True)
class Way:
    """Commands that end with torch in the environment. notice: what to tell when this way is taken."""

    commands: tuple[tuple[str, ...], ...]
    notice: str = ""


def choose(driver: str | None) -> tuple[Flavour, str]:
    """The build for this driver, and what to tell about it (empty: nothing)."""
    if driver is None:
        return CPU, ""
    major = int(driver.partition(".")[0])
    for flavour in (CU130, CU126):
        if major >= flavour.driver:
            return flavour, ""
    return CPU, (
        f"The NVIDIA driver is version {driver}, too old for torch's CUDA builds: the processor will be used. "
        f"Install driver {CU130.driver} or newer and run this again to use the card."
    )


def ways(flavour: Flavour, platform: str, machine: str, python: str, uv: str) -> Iterator[Way]:
    """How to get this build; python, uv: the environment's programs.

    First pip from the sources it is configured for: where they carry this very build it is found at once, elsewhere
    the refusal takes a second. Then what the default index has for this system, if it is the same build. Then uv,
    which knows PyTorch's own indexes by their names. At last, for the processor only, the default index's larger
    build, which runs there too.
    """
    pip = (python, "-m", "pip", "install")
    yield Way(((*pip, f"torch=={TORCH}+{flavour.name}"),))
    default = _of_default_index(platform, machine)
    if default == flavour:
        yield Way(((*pip, f"torch=={TORCH}"),))
    from_pytorch = (uv, "pip", "install", "--python", python, "--torch-backend", flavour.name, f"torch=={TORCH}")
    yield Way(((*pip, "uv"), from_pytorch))
    if flavour == CPU and default != CPU:
        notice = "Only torch's CUDA build could be had. It runs on the processor too, but takes 5 GB more of disk."
        yield Way(((*pip, f"torch=={TORCH}"),), notice)


def installed(site_packages: Path) -> Flavour | None:
    """The build in that environment; None: none, or an installation that was broken off."""
    records = list(site_packages.glob("torch-*.dist-info/RECORD"))  # written last
    version = site_packages / "torch/version.py"
    if not records or not version.is_file():
        return None
    cuda = re.search(r"^cuda\b.*=\s*['\"](\d+)", version.read_text(), re.MULTILINE)
    if cuda is None:
        return CPU
    return CU126 if cuda.group(1) == "12" else CU130


def _of_default_index(platform: str, machine: str) -> Flavour:
    return CU130 if platform == "linux" and machine == "x86_64" else CPU
