"""Hands a command line over to the engine's own, in this process: no window exists then, and no Qt is loaded."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence


def run_engine_command(arguments: Sequence[str]) -> int:
    """Runs `python -m engine …` and returns its exit code."""
    before = sys.argv
    sys.argv = ["tonnelle", *arguments]
    try:
        runpy.run_module("engine", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    finally:
        sys.argv = before
    return 0
