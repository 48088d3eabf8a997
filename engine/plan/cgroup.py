"""What a container or a service manager lets this process use (Linux control groups, version 2).

A limit may sit at any level above the process, so every level counts and the narrowest wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


class ControlGroup:
    """The groups of this process, nearest first; on systems without them there are no limits.

    root: where the hierarchy is mounted. membership: the file that tells the process's group.
    """

    def __init__(self, root: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")) -> None:
        self._levels = tuple(_levels(root, membership))

    def cpus(self) -> float | None:
        """Processors' worth of time; None: no limit."""
        quotas = [words for level in self._levels if len(words := _read(level / "cpu.max").split()) == 2]
        return min((int(quota) / int(period) for quota, period in quotas if quota != "max"), default=None)

    def memory(self) -> tuple[int, int] | None:
        """(limit, still free) in bytes of the level with the least left; None: no limit."""
        limits = [(level, int(text)) for level in self._levels if (text := _read(level / "memory.max")).isdecimal()]
        return min(((limit, limit - _held(level)) for level, limit in limits), key=lambda pair: pair[1], default=None)


def _levels(root: Path, membership: Path) -> Iterator[Path]:
    lines = _read(membership).splitlines()
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None:
        return
    level = root / own
    yield level
    while level != root and root in level.parents:
        level = level.parent
        yield level


def _held(level: Path) -> int:
    """Bytes in use, without cached files that the kernel gives back under pressure."""
    current = int(_read(level / "memory.current") or 0)
    statistics = dict(line.split() for line in _read(level / "memory.stat").splitlines())
    return max(0, current - int(statistics.get("inactive_file", 0)))


def _read(path: Path) -> str:
    """The file's text; empty if this kernel has no such file or hides it from us."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
