from __future__ import annotations

from pathlib import Path

import pytest

from installers.steps import flavour
from installers.steps.flavour import CPU, CU126, CU130, TORCH, Flavour, choose, installed, ways
from tests.installers.fake_runner import install_torch


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        (None, CPU),
        ("470.256.02", CPU),
        ("524.9", CPU),
        ("525.60.13", CU126),
        ("535.183.01", CU126),
        ("579.99", CU126),
        ("580.65.06", CU130),
        ("591.1", CU130),
    ],
)
def test_the_driver_decides(driver: str | None, expected: Flavour) -> None:
    assert choose(driver)[0] == expected


def test_a_driver_too_old_is_told() -> None:
    assert "470.256.02" in choose("470.256.02")[1]
    assert choose(None)[1] == choose("580.1")[1] == ""


def commands(chosen: Flavour, platform: str, machine: str = "x86_64") -> list[str]:
    return [" && ".join(map(" ".join, way.commands)) for way in ways(chosen, platform, machine, "PY", "UV")]


PIP = "PY -m pip install"
FROM_UV = f"{PIP} uv && UV pip install --python PY --torch-backend {{}} torch=={TORCH}"


def test_cpu_on_linux() -> None:
    assert commands(CPU, "linux") == [
        f"{PIP} torch=={TORCH}+cpu",
        FROM_UV.format("cpu"),
        f"{PIP} torch=={TORCH}",
    ]


@pytest.mark.parametrize(("platform", "machine"), [("win32", "AMD64"), ("linux", "aarch64")])
def test_cpu_where_the_default_index_has_it(platform: str, machine: str) -> None:
    assert commands(CPU, platform, machine) == [
        f"{PIP} torch=={TORCH}+cpu",
        f"{PIP} torch=={TORCH}",
        FROM_UV.format("cpu"),
    ]


def test_cuda_on_linux_is_what_the_default_index_has() -> None:
    assert commands(CU130, "linux") == [f"{PIP} torch=={TORCH}+cu130", f"{PIP} torch=={TORCH}", FROM_UV.format("cu130")]


@pytest.mark.parametrize("chosen", [CU126, CU130])
def test_cuda_on_windows_comes_by_uv(chosen: Flavour) -> None:
    assert commands(chosen, "win32", "AMD64") == [f"{PIP} torch=={TORCH}+{chosen.name}", FROM_UV.format(chosen.name)]


def test_only_the_larger_build_for_the_processor_needs_a_word() -> None:
    assert [bool(way.notice) for way in ways(CPU, "linux", "x86_64", "PY", "UV")] == [False, False, True]


@pytest.mark.parametrize(("cuda", "expected"), [(None, CPU), ("12.6", CU126), ("13.0", CU130)])
def test_what_is_installed_is_read_from_its_files(tmp_path: Path, cuda: str | None, expected: Flavour) -> None:
    install_torch(tmp_path, "2.13.0", cuda)
    assert installed(tmp_path) == expected


def test_an_installation_that_was_broken_off_is_none(tmp_path: Path) -> None:
    install_torch(tmp_path, "2.13.0", None)
    next(tmp_path.glob("torch-*/RECORD")).unlink()
    assert installed(tmp_path) is None
    assert installed(tmp_path / "absent") is None


def test_uv_knows_these_builds() -> None:
    """Its spelling, from its own help."""
    import subprocess

    uv = pytest.importorskip("uv", reason="uv is only installed where it was needed")
    text = subprocess.run(
        [uv.find_uv_bin(), "pip", "install", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert all(name in text for name in ("--torch-backend", flavour.CU126.name, flavour.CU130.name))
