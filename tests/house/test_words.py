"""What no file may say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.test_layout import ROOT

WRITTEN = {".md", ".py", ".toml", ".txt", ".cpp", ".h", ".cu", ".cuh", ""}
LEFT_OUT = {".git", ".venv", "build", "dist", "shared"}
BANNED = {
    "a package registry's host": r"\b(pypi|pythonhosted|anaconda|conda|npmjs|pytorch|deb\.debian)\.(org|com)\b",
    "a path of one machine": r"(?<![\w.])/work/\w",
}


def texts() -> list[Path]:
    files = [file for file in ROOT.rglob("*") if file.suffix in WRITTEN and file.is_file()]
    return [file for file in files if not LEFT_OUT & set(file.relative_to(ROOT).parts) and not hidden(file)]


def hidden(file: Path) -> bool:
    """Caches of tools."""
    return any(part.startswith(".") and part != ".ci" for part in file.relative_to(ROOT).parts[:-1])


@pytest.mark.parametrize("what", BANNED)
def test_no_file_names(what: str) -> None:
    pattern = re.compile(BANNED[what])
    found = [str(file.relative_to(ROOT)) for file in texts() if file != Path(__file__) and pattern.search(read(file))]
    assert not found


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="ignore")
