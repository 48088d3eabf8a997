"""Timing contenders against each other in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One case: seconds of each contender, ours first. bytes: that the case must read; 0: not the point."""

    case: str
    seconds: Mapping[str, float]
    bytes: int = 0


def race(contenders: Mapping[str, Callable[[], object]], rounds: int = 7) -> dict[str, float]:
    """Best of the rounds for each, in seconds. They take turns, so that a busy moment of the machine hits all."""
    best = dict.fromkeys(contenders, float("inf"))
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def repeated(run: Callable[[], object], times: int) -> Callable[[], None]:
    def all_of_them() -> None:
        for _ in range(times):
            run()

    return all_of_them


def line(row: Row, bandwidth: float) -> str:
    """bandwidth: bytes a second that the memory gives, to which GB/s are compared."""
    ours = next(iter(row.seconds.values()))
    times = "  ".join(f"{name} {_time(seconds)}" for name, seconds in row.seconds.items())
    ratios = ", ".join(f"{seconds / ours:.2f}" for seconds in list(row.seconds.values())[1:])
    rate = f"  {row.bytes / ours / 1e9:.1f} GB/s ({row.bytes / ours / bandwidth:.2f})" if row.bytes else ""
    return f"  {row.case:<22} {times}  ratio {ratios}{rate}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:8.2f} ms" if seconds > 1e-3 else f"{seconds * 1e6:8.1f} µs"
