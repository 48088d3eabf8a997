"""Qwen's windows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import transformers

from engine.errors import ConfigError
from engine.spec import read_spec
from tests import tiny_models


@pytest.mark.parametrize("architecture", ["Qwen2ForCausalLM", "Qwen3ForCausalLM"])
@pytest.mark.parametrize(
    "switch",
    [
        {"use_sliding_window": False, "sliding_window": 16, "max_window_layers": 0},
        {"sliding_window": 16, "max_window_layers": 0},
        {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 0},
        {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 2},
        {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 4},
        {"use_sliding_window": True, "sliding_window": None, "max_window_layers": 0},
        {"use_sliding_window": True, "sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"] * 2},
    ],
    ids=str,
)
def test_c010_each_layer_has_the_window_that_transformers_gives_it(
    architecture: str, switch: dict[str, Any], tmp_path: Path
) -> None:
    """C010: the switch, and the layer from which windows start."""
    tiny_models.write_config(tmp_path, tiny_models.config(architecture, num_hidden_layers=4, **switch))
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    theirs = [config.sliding_window if kind == "sliding_attention" else None for kind in config.layer_types]
    assert [layer.attention.window for layer in read_spec(tmp_path).layers] == theirs


@pytest.mark.parametrize("kinds", [["full_attention"], ["chunked_attention"] * 3, "full_attention"])
def test_c011_kinds_of_layers_that_do_not_fit_are_refused(kinds: Any, tmp_path: Path) -> None:
    """C011: too few, unknown, not a list."""
    switch = {"use_sliding_window": True, "sliding_window": 16, "layer_types": kinds}
    with pytest.raises(ConfigError, match="layer_types"):
        read_spec(tiny_models.write_config(tmp_path, tiny_models.config("Qwen2ForCausalLM", **switch)))
