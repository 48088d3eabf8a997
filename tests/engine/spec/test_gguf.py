"""Descriptions in GGUF metadata."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import ConfigError, CorruptFile, NotAModel, UnknownArchitecture
from engine.spec import read_spec
from engine.spec.model import ModelSpec
from tests import tiny_models

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in tiny_models.OWN if name != "MistralForCausalLM"),
    ("LlamaForCausalLM", {"tie_word_embeddings": True, "rms_norm_eps": 1e-6, "rope_theta": 500000.0}),
    ("LlamaForCausalLM", {"attention_bias": True, "mlp_bias": True, "head_dim": 32}),
]


def read(folder: Path, changes: dict[str, Any] | None = None, **extra: Any) -> ModelSpec:
    return read_spec(tiny_models.write_gguf(folder / "a.gguf", tiny_models.config(**(changes or {})), **extra))


@pytest.mark.parametrize(("architecture", "changes"), CASES, ids=str)
def test_the_file_says_what_the_folder_says(architecture: str, changes: dict[str, Any], tmp_path: Path) -> None:
    values = tiny_models.config(architecture, **changes)
    folder = read_spec(tiny_models.write_config(tmp_path / "folder", values))
    assert read_spec(tiny_models.write_gguf(tmp_path / "a.gguf", values)) == folder


def test_mistral_files_call_themselves_llama(tmp_path: Path) -> None:
    values = tiny_models.config("MistralForCausalLM")
    spec = read_spec(tiny_models.write_gguf(tmp_path / "a.gguf", values))
    assert spec.architecture == "LlamaForCausalLM"
    assert spec.layers == read_spec(tiny_models.write_config(tmp_path / "folder", values)).layers


def test_the_vocabulary_is_as_large_as_the_embedding(tmp_path: Path) -> None:
    """Embeddings are padded: neither a count in the metadata nor the tokens say it."""
    assert read(tmp_path, extra={"{arch}.vocab_size": 77}).vocab == 80


def test_linear_scaling(tmp_path: Path) -> None:
    extra: dict[str, int | float | str] = {"{arch}.rope.scaling.type": "linear", "{arch}.rope.scaling.factor": 2.0}
    rope = read(tmp_path, extra=extra).layers[0].attention.rope
    assert (rope.method, rope.factor) == ("linear", 2.0)


def test_yarn_with_all_that_it_may_say(tmp_path: Path) -> None:
    """Its attention factor multiplies the method's own."""
    extra: dict[str, int | float | str] = {
        "{arch}.rope.scaling.type": "yarn",
        "{arch}.rope.scaling.factor": 4.0,
        "{arch}.rope.scaling.original_context_length": 64,
        "{arch}.rope.scaling.yarn_beta_fast": 16.0,
        "{arch}.rope.scaling.yarn_beta_slow": 2.0,
        "{arch}.rope.scaling.attn_factor": 0.5,
    }
    spec = read(tmp_path, {"max_position_embeddings": 64}, extra=extra)
    rope = spec.layers[0].attention.rope
    assert (spec.context, rope.original, rope.beta_fast, rope.beta_slow) == (256, 64, 16.0, 2.0)
    assert rope.attention_factor == pytest.approx(0.5 * (1 + 0.1 * math.log(4)))


def test_c001_an_unknown_scaling_is_refused_by_name(tmp_path: Path) -> None:
    """C001: never unscaled in silence."""
    with pytest.raises(ConfigError, match="'spiral' is not known"):
        read(tmp_path, extra={"{arch}.rope.scaling.type": "spiral"})


def test_llama_files_of_which_only_a_part_of_each_head_rotates_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"rope\.dimension_count"):
        read(tmp_path, extra={"{arch}.rope.dimension_count": 8})
    assert read(tmp_path, extra={"{arch}.rope.dimension_count": 16}).layers[0].attention.rope.dim == 16


def test_a_mixture_of_experts_is_not_taken_for_a_llama(tmp_path: Path) -> None:
    with pytest.raises(UnknownArchitecture, match="llama with experts"):
        read(tmp_path, extra={"{arch}.expert_count": 8})


def test_one_of_several_parts_is_refused_as_that(tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match="one of 3 parts"):
        read(tmp_path, extra={"split.count": 3})


def test_a_missing_count_is_named(tmp_path: Path) -> None:
    values = tiny_models.config(num_key_value_heads=2)
    whole = tiny_models.write_gguf(tmp_path / "a.gguf", values).read_bytes()
    (tmp_path / "b.gguf").write_bytes(whole.replace(b"llama.block_count", b"llama.block_c0unt"))
    with pytest.raises(ConfigError, match="num_hidden_layers: is missing"):
        read_spec(tmp_path / "b.gguf")


def test_divisors_that_are_not_all_there_are_damage(tmp_path: Path) -> None:
    path = tiny_models.write_gguf(tmp_path / "a.gguf", tiny_models.config(), more={"rope_freqs.weight": np.ones(8)})
    assert read_spec(path).layers[0].attention.rope.long == (1.0,) * 8
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CorruptFile, match="rope_freqs"):
        read_spec(path)
