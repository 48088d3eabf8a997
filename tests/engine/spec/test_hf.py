"""Reading a Hugging Face folder's description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import AdapterOnly, ConfigError, CorruptFile, NotAModel, UnknownArchitecture
from engine.spec import read_spec
from tests.broken_checkpoints import CONFIG, write_config


def test_a_plain_folder(tmp_path: Path) -> None:
    spec = read_spec(write_config(tmp_path))
    assert (spec.hidden, spec.vocab, len(spec.layers), spec.context) == (64, 80, 2, 128)
    attention = spec.layers[0].attention
    assert (attention.heads, attention.kv_heads, attention.head_dim, attention.scale) == (4, 2, 16, 0.25)
    assert (spec.bos_id, spec.stop_ids, spec.tied, spec.dtype) == (1, {2}, False, "float32")


def test_a_file_without_a_word_on_its_type_is_float32(tmp_path: Path) -> None:
    assert read_spec(write_config(tmp_path, "torch_dtype")).dtype == "float32"
    assert read_spec(write_config(tmp_path, "torch_dtype", dtype="bfloat16")).dtype == "bfloat16"


@pytest.mark.parametrize(
    ("generation", "stops"),
    [
        ({"eos_token_id": [2, 5, 7]}, {2, 5, 7}),
        ({"eos_token_id": 5}, {2, 5}),
        ({"eos_token_id": None}, {2}),
        ({}, {2}),
        (None, {2}),
    ],
)
def test_c008_end_tokens_of_all_files_count(generation: dict[str, Any] | None, stops: set[int], tmp_path: Path) -> None:
    """C008: a list, one, null, an empty file, no file."""
    write_config(tmp_path)
    if generation is not None:
        (tmp_path / "generation_config.json").write_text(json.dumps(generation))
    assert read_spec(tmp_path).stop_ids == stops


def test_c008_end_tokens_of_the_config_may_be_a_list_or_null(tmp_path: Path) -> None:
    """C008: lists and null in config.json."""
    assert read_spec(write_config(tmp_path, eos_token_id=[2, 9])).stop_ids == {2, 9}
    assert read_spec(write_config(tmp_path, eos_token_id=None)).stop_ids == frozenset()
    with pytest.raises(ConfigError, match="eos_token_id"):
        read_spec(write_config(tmp_path, eos_token_id="two"))


def test_c011_a_nested_text_section_wins_over_stale_copies(tmp_path: Path) -> None:
    """C011 (d): the values live in text_config, the top level holds others."""
    stale = {"hidden_size": 999, "head_dim": 7, "rope_theta": 3.0, "rope_scaling": {"type": "linear", "factor": 9.0}}
    write_config(tmp_path, **stale, eos_token_id=7, text_config={**CONFIG, "num_hidden_layers": 5})
    spec = read_spec(tmp_path)
    attention = spec.layers[0].attention
    assert (spec.hidden, len(spec.layers), attention.head_dim) == (64, 5, 16)
    assert (attention.rope.theta, attention.rope.method) == (10000.0, "default")
    assert spec.stop_ids == {2, 7}
    with pytest.raises(ConfigError, match=r"text_config\.num_attention_heads: is missing"):
        read_spec(write_config(tmp_path, text_config={"hidden_size": 64}))


def test_c020_the_text_part_of_a_model_of_several_inputs_is_read(tmp_path: Path) -> None:
    """C020: an architecture that we do not know, around a language model that we do."""
    outer = {"architectures": ["SeesAndSpeaksForConditionalGeneration"], "model_type": "sees_and_speaks"}
    spec = read_spec(write_config(tmp_path, **outer, text_config=CONFIG, vision_config={"hidden_size": 9}))
    assert (spec.architecture, spec.hidden) == ("LlamaForCausalLM", 64)
    with pytest.raises(UnknownArchitecture, match="SeesAndSpeaks"):
        read_spec(write_config(tmp_path, **outer, text_config={**CONFIG, "model_type": "own_text"}))


@pytest.mark.parametrize("named", [None, [], ["LlamaForCausalLM", "OtherModel"]])
def test_c022_without_one_architecture_the_model_type_decides(named: Any, tmp_path: Path) -> None:
    """C022 (a): architecture list null, missing, two entries."""
    assert read_spec(write_config(tmp_path, architectures=named)).architecture == "LlamaForCausalLM"
    with pytest.raises(UnknownArchitecture, match="mystery"):
        read_spec(write_config(tmp_path, architectures=named, model_type="mystery"))


def test_an_unknown_architecture_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownArchitecture) as caught:
        read_spec(write_config(tmp_path, architectures=["Qwen3MoeForCausalLM"]))
    assert caught.value.name == "Qwen3MoeForCausalLM" and "Qwen3ForCausalLM" in caught.value.nearest


def test_c022_an_adapter_says_which_model_it_needs(tmp_path: Path) -> None:
    """C022 (b): a folder with only an adapter."""
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "org/base"}))
    with pytest.raises(AdapterOnly, match="org/base"):
        read_spec(tmp_path)


def test_what_is_no_model_folder(tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match=r"config\.json"):
        read_spec(tmp_path)
    with pytest.raises(NotAModel, match="no such"):
        read_spec(tmp_path / "absent")
    (tmp_path / "model-q4.gguf").touch()
    with pytest.raises(NotAModel, match=r"model-q4\.gguf, which can be chosen"):
        read_spec(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(NotAModel, match=r"\.gguf file"):
        read_spec(tmp_path / "notes.txt")


def test_a_quantized_folder_that_cannot_run_yet_is_refused_by_its_method(tmp_path: Path) -> None:
    for method in ("awq", "gptq", "fp8", "bitsandbytes"):
        write_config(tmp_path, quantization_config={"quant_method": method, "bits": 4})
        with pytest.raises(NotAModel, match=f"quantized by {method}"):
            read_spec(tmp_path)
    assert read_spec(write_config(tmp_path, quantization_config={})).hidden == 64
    (tmp_path / "quantize_config.json").write_text('{"bits": 4}')
    with pytest.raises(NotAModel, match="gptq"):
        read_spec(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"'])
def test_a_file_that_is_no_json_object_is_damaged(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(CorruptFile, match=r"config\.json"):
        read_spec(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden_size", "64"),
        ("hidden_size", 0),
        ("hidden_size", 64.5),
        ("num_hidden_layers", True),
        ("num_key_value_heads", 3),
        ("rms_norm_eps", "small"),
        ("hidden_act", "mystery"),
        ("tie_word_embeddings", 1),
        ("torch_dtype", "int4"),
        ("rope_theta", -1.0),
    ],
)
def test_a_wrong_value_is_refused_by_file_and_key(key: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_spec(write_config(tmp_path, **{key: value}))
    assert caught.value.file == tmp_path / "config.json" and caught.value.key == key


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "vocab_size", "max_position_embeddings"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{key}: is missing"):
        read_spec(write_config(tmp_path, key))
