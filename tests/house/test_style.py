"""ruff and mypy have nothing to say."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.house.test_layout import ROOT


@pytest.mark.timeout(300)  # the first run of mypy reads all of torch and PySide6
@pytest.mark.parametrize("tool", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]], ids=" ".join)
def test_tool(tool: list[str]) -> None:
    result = subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
