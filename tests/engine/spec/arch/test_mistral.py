"""Mistral's windows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.spec import read_spec
from engine.spec.model import ModelSpec
from tests import tiny_models


def read(folder: Path, window: Any) -> ModelSpec:
    values = tiny_models.config("MistralForCausalLM", sliding_window=window)
    return read_spec(tiny_models.write_config(folder, values))


def test_every_layer_has_the_window_that_the_file_gives(tmp_path: Path) -> None:
    assert [layer.attention.window for layer in read(tmp_path, 16).layers] == [16, 16, 16]
    assert [layer.attention.window for layer in read(tmp_path, None).layers] == [None] * 3


def test_c011_windows_in_a_list_are_refused_by_name(tmp_path: Path) -> None:
    """C011 (e): a window for each layer."""
    with pytest.raises(ConfigError, match="sliding_window"):
        read(tmp_path, [16, None, 16])
