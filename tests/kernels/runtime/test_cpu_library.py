"""Finding the compiled module, and living without it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kernels.runtime.cpu_library import find
from kernels.settings import ISAS, KernelSettings
from tests.kernels.processor import isas

NAMES = [isa.name for isa in isas()]


def python(code: str, **environ: str) -> str:
    """What a fresh interpreter prints."""
    environment = {**os.environ, **environ}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(not NAMES, reason="the compiled module is not built")
def test_the_best_instruction_set_or_the_one_asked_for() -> None:
    assert NAMES[0] == "generic"
    best = find(KernelSettings()).isa
    assert best is not None and best.name == NAMES[-1]
    for name in NAMES:
        asked = find(KernelSettings(isa=name)).isa
        assert asked is not None and asked.name == name


@pytest.mark.skipif(not NAMES, reason="the compiled module is not built")
def test_an_instruction_set_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels import _native

    generic = isas()[:1]
    monkeypatch.setattr(_native, "usable", lambda: generic)
    for name in set(ISAS) - {"generic"}:
        with pytest.raises(ValueError, match=f"TONNELLE_CPU_ISA is {name}, but this processor can use only generic"):
            find(KernelSettings(isa=name))


def test_switched_off() -> None:
    library = find(KernelSettings(native=False))
    assert library.isa is None and "TONNELLE_NATIVE=0" in library.absent


@pytest.mark.parametrize(("module", "says"), [("None", "are not built"), ("Broken()", "cannot be loaded: no libstdc")])
def test_not_built_and_not_loadable_are_told_apart(module: str, says: str) -> None:
    """In an interpreter of its own, where the module cannot be imported: everything still computes."""
    code = f"""
import sys, torch
class Broken:
    def find_spec(self, name, path, target=None):
        if name == "kernels._native":
            raise {"ModuleNotFoundError(name)" if module == "None" else "ImportError('no libstdc++')"}
sys.meta_path.insert(0, Broken())
import kernels
kernels.set_threads(1)
x, w = torch.ones(1, 4), torch.ones(3, 4)
assert kernels.native_isa() is None
assert kernels.linear(x, w).tolist() == [[4.0] * 3]
print(kernels.explain("linear", x, w).taken, "|", kernels.native_status())
"""
    taken, status = python(code).split(" | ")
    assert taken == "torch's matmul"
    assert says in status and status.endswith("; PyTorch computes instead")


def test_importing_kernels_loads_nothing_compiled() -> None:
    code = "import sys, kernels; print(sorted(m for m in sys.modules if m.startswith(('kernels._', 'triton'))))"
    assert python(code) == "[]"


@pytest.mark.skipif(not NAMES, reason="the compiled module is not built")
def test_a_process_ends_while_workers_sleep() -> None:
    code = """
import torch, kernels
kernels.set_threads(4)
kernels.linear(torch.ones(1, 64), torch.ones(9000, 64))
print(kernels.native_isa(), kernels.native_status())
"""
    assert python(code, TONNELLE_CPU_ISA="generic") == "generic compiled for generic, 4 threads"
