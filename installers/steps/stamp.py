"""The stamp: what an environment was made for, so that a finished one is not made again."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

NAME = "tonnelle.json"
SOURCES = ("pyproject.toml", "kernels/cpu/**/*", "installers/**/*.py")
BUILT = (".pyc", ".so", ".pyd")


def fingerprint(root: Path, *facts: str) -> str:
    """Of the files that an environment depends on, and of facts such as Python's version and torch's build."""
    digest = hashlib.sha256("\0".join(facts).encode())
    for pattern in SOURCES:
        for file in sorted(path for path in root.glob(pattern) if path.is_file() and path.suffix not in BUILT):
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def is_valid(environment: Path, expected: str, *, tests: bool) -> bool:
    """Whether the environment is finished as expected, with what the tests need if they are to run."""
    try:
        stamp = json.loads((environment / NAME).read_text())
    except (OSError, ValueError):
        return False
    fits = isinstance(stamp, dict) and stamp.get("fingerprint") == expected
    return fits and (not tests or stamp.get("tests") is True)


def write(environment: Path, value: str, *, tests: bool) -> None:
    """All at once: an interrupted write leaves the old stamp, or none."""
    draft = environment / f"{NAME}.{os.getpid()}"
    draft.write_text(json.dumps({"fingerprint": value, "tests": tests}))
    draft.replace(environment / NAME)


def remove(environment: Path) -> None:
    (environment / NAME).unlink(missing_ok=True)
