"""python -m kernels.bench: the processor's kernels against torch and the definitions, in one run.

TONNELLE_CPU_ISA chooses the instruction set. NOTES.md has predictions and what was measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping

import torch

import kernels
from kernels.bench import attention, exl3, linear, small, step
from kernels.bench.timing import Row, line, race
from kernels.runtime.cpu_library import library

SECTIONS: Mapping[str, Callable[[], Iterator[Row]]] = {
    "exl3": exl3.rows,
    "linear": linear.rows,
    "attention": attention.rows,
    "small": small.rows,
    "step": step.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser("python -m kernels.bench", description=__doc__.split("\n\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all if none")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    kernels.set_threads(options.threads)
    bandwidth = _bandwidth()
    print(f"{kernels.native_status()}; the memory gives {bandwidth / 1e9:.1f} GB/s")
    for name in options.sections or SECTIONS:
        print(name)
        for row in SECTIONS[name]():
            print(line(row, bandwidth), flush=True)


def _bandwidth() -> float:
    """Bytes a second: of our read kernel, or of a sum by torch, over as much as the model has."""
    buffer = torch.zeros(2**28, dtype=torch.uint8)
    isa = library().isa
    words = buffer.view(torch.int64)
    run = (lambda: words.sum()) if isa is None else (lambda: isa.read(buffer.data_ptr(), buffer.numel()))
    return buffer.numel() / race({"read": run})["read"]


if __name__ == "__main__":
    main()
