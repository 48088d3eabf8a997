from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.spec import starter
from engine.spec.starter import find_starter


def test_found_without_importing_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "a_starter"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (package / "model.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(starter, "MODULE", "a_starter")
    assert find_starter() == package / "model.gguf"
    assert "a_starter" not in sys.modules


def test_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter, "MODULE", "no_such_distribution")
    assert find_starter() is None
    (tmp_path / "an_empty_one").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(starter, "MODULE", "an_empty_one")
    assert find_starter() is None
