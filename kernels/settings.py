"""KernelSettings: what the environment may change about the kernels, and the only reader of it here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

ISAS = ("generic", "avx2", "avx512", "avx512vnni")


@dataclass(frozen=True, slots=True)
class KernelSettings:
    """native: use the compiled processor kernels where they are installed (TONNELLE_NATIVE, 0 or 1).

    isa: instruction set to use instead of the processor's best (TONNELLE_CPU_ISA, one of ISAS); None: its best.
    """

    native: bool = True
    isa: str | None = None


def read(environ: Mapping[str, str] | None = None) -> KernelSettings:
    """The settings of this process; an empty variable counts as unset. ValueError names one we cannot use."""
    source = os.environ if environ is None else environ
    native = source.get("TONNELLE_NATIVE", "").strip() or "1"
    isa = source.get("TONNELLE_CPU_ISA", "").strip().lower() or None
    if native not in ("0", "1"):
        raise ValueError(f"TONNELLE_NATIVE must be 0 or 1, not {native!r}")
    if isa is not None and isa not in ISAS:
        raise ValueError(f"TONNELLE_CPU_ISA must be one of {', '.join(ISAS)}, not {isa!r}")
    return KernelSettings(native == "1", isa)
