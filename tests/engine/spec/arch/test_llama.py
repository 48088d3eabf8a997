"""What a Llama leaves to its file."""

from __future__ import annotations

from pathlib import Path

from engine.spec import read_spec
from tests import tiny_models


def test_biases_are_those_that_the_file_switches_on(tmp_path: Path) -> None:
    for attention, mlp in ((False, False), (True, False), (False, True)):
        values = tiny_models.config(attention_bias=attention, mlp_bias=mlp)
        layer = read_spec(tiny_models.write_config(tmp_path, values)).layers[0]
        assert (layer.attention.qkv_bias, layer.attention.o_bias, layer.mlp.bias) == (attention, attention, mlp)


def test_a_window_in_the_file_means_nothing_to_it(tmp_path: Path) -> None:
    spec = read_spec(tiny_models.write_config(tmp_path, tiny_models.config(sliding_window=16)))
    assert [layer.attention.window for layer in spec.layers] == [None] * 3
