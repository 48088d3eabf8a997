"""Finding and loading the compiled module `kernels._native`, once a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import torch

from kernels.settings import KernelSettings, read

if TYPE_CHECKING:
    from kernels._native import Isa

DTYPES: Mapping[torch.dtype, int] = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2}  # as kernels.h numbers them


@dataclass(frozen=True, slots=True)
class CpuLibrary:
    """isa: the kernels to use, None if there are none; then `absent` says why."""

    isa: Isa | None
    absent: str = ""


@cache
def library() -> CpuLibrary:
    """Of this process, by its settings."""
    return find(read())


def find(settings: KernelSettings) -> CpuLibrary:
    """Loads the module. ValueError: an instruction set was asked for that this processor or build lacks."""
    if not settings.native:
        return CpuLibrary(None, "the compiled kernels are switched off by TONNELLE_NATIVE=0")
    try:
        import kernels._native as native
    except ModuleNotFoundError:
        return CpuLibrary(None, "the compiled kernels are not built")
    except ImportError as error:
        return CpuLibrary(None, f"the compiled kernels cannot be loaded: {error}")
    usable = {isa.name: isa for isa in native.usable()}
    wanted = settings.isa or list(usable)[-1]
    if wanted not in usable:
        raise ValueError(f"TONNELLE_CPU_ISA is {wanted}, but this processor can use only {', '.join(usable)}")
    return CpuLibrary(usable[wanted])


def native_isa() -> str | None:
    """The instruction set whose kernels are used, one of `settings.ISAS`; None if PyTorch computes everything."""
    isa = library().isa
    return isa.name if isa else None


def native_status() -> str:
    """One phrase for people: which compiled kernels are used, or why none."""
    isa, absent = native_isa(), library().absent
    return f"compiled for {isa}, {torch.get_num_threads()} threads" if isa else f"{absent}; PyTorch computes instead"
