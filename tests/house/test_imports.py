"""Who may import whom: import-linter's contracts, and what they cannot see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.test_layout import ROOT, imports, sources

TORCH_FREE = (
    "engine.errors",
    "engine.params",
    "engine.settings",
    "engine.messages",
    "engine.spec",
    "engine.plan",
    "app",
)
KERNELS_MAY_USE = {*sys.stdlib_module_names, "kernels", "torch", "numpy", "triton", "cuda"}
PROCESSES = {"subprocess", "multiprocessing", "PySide6.QtCore.QProcess"}
PAGES = ("chat", "models", "quantize", "planner")


@pytest.mark.timeout(120)
def test_the_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("package", TORCH_FREE)
def test_importing_what_the_window_imports_brings_no_torch(package: str) -> None:
    modules = [module for source in sources() if (module := module_of(source)) and within(module, package)]
    heavy = "sorted({'torch', 'kernels'} & set(sys.modules))"
    code = f"import sys\nfor name in {modules!r}:\n    __import__(name)\nsys.exit(str({heavy}) if {heavy} else 0)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert modules
    assert result.returncode == 0, result.stderr


def test_kernels_use_only_torch_and_numpy() -> None:
    for source in sources():
        if source.parts[0] == "kernels":
            roots = {name.partition(".")[0] for name in imports(ROOT / source)}
            assert roots <= KERNELS_MAY_USE, source


def test_only_the_bridge_starts_processes() -> None:
    users = [source for source in sources() if source.parts[0] == "app" and imports(ROOT / source) & PROCESSES]
    assert all(source.parts[:2] == ("app", "bridge") for source in users), users


def test_pages_do_not_know_one_another() -> None:
    for source in sources():
        if source.parts[0] == "app" and source.parts[1] in PAGES:
            others = tuple(f"app.{page}" for page in PAGES if page != source.parts[1])
            assert not [name for name in imports(ROOT / source) if name.startswith(others)], source


def module_of(source: Path) -> str:
    """Empty for programs, which do their work when imported."""
    return "" if source.stem == "__main__" or "bench" in source.parts else ".".join(source.with_suffix("").parts)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
