"""Every declared architecture: what we read of a config.json is what `transformers` reads of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.errors import TonnelleError
from engine.layers.rope import RopeTable
from engine.spec import read_spec
from engine.spec.names import HF_LLAMA, slots
from engine.spec.registry import architectures
from tests import tiny_models

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in tiny_models.OWN),
    ("LlamaForCausalLM", {"attention_bias": True, "mlp_bias": True}),
    ("LlamaForCausalLM", {"head_dim": 32, "num_key_value_heads": None, "tie_word_embeddings": True}),
    ("MistralForCausalLM", {"head_dim": 8, "sliding_window": 32}),
    ("Qwen3ForCausalLM", {"head_dim": ..., "attention_bias": True}),
]


@pytest.mark.parametrize(("architecture", "changes"), CASES, ids=str)
def test_shapes_are_those_of_transformers(architecture: str, changes: dict[str, Any], tmp_path: Path) -> None:
    """Names and shapes of every tensor: heads, head size, biases, norms, tied head."""
    tiny_models.write_config(tmp_path, tiny_models.config(architecture, **changes))
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    spec = read_spec(tmp_path)
    theirs = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    assert {HF_LLAMA.file_name(slot.name): slot.shape for slot in slots(spec)} == theirs
    assert spec.layers[0].attention.scale == model.model.layers[0].self_attn.scaling
    assert (spec.norm_eps, spec.context) == (config.rms_norm_eps, config.max_position_embeddings)


def test_every_declared_architecture_is_tried() -> None:
    assert set(architectures()) == set(tiny_models.OWN)


KEYS = [*tiny_models.config("Qwen2ForCausalLM"), "head_dim", "use_sliding_window", "sliding_window", "layer_types"]
KEYS += ["rope_scaling", "rope_parameters", "text_config", "quantization_config", "max_window_layers", "attention_bias"]
ROPE_KEYS = [
    "type",
    "factor",
    "original_max_position_embeddings",
    "mscale",
    "mscale_all_dim",
    "beta_fast",
    "beta_slow",
    "attention_factor",
    "truncate",
]
ROPE_KEYS += [
    "short_factor",
    "long_factor",
    "low_freq_factor",
    "high_freq_factor",
    "rope_theta",
    "partial_rotary_factor",
]
METHODS = ["linear", "dynamic", "llama3", "yarn", "longrope", "default", "su"]
anything = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 300), st.integers(), st.floats(), st.text(max_size=5)),
    *(st.lists(st.integers(0, 3), max_size=4), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)),
)
blocks = st.fixed_dictionaries(
    {"rope_type": st.sampled_from(METHODS)},
    optional={key: anything | st.floats(0.1, 8) | st.just([1.0] * 8) for key in ROPE_KEYS},
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    architecture=st.sampled_from(list(tiny_models.OWN)),
    changes=st.dictionaries(st.sampled_from(KEYS), anything, max_size=2),
    block=blocks | st.none(),
)
@example(architecture="LlamaForCausalLM", changes={"num_attention_heads": 200}, block=None)
@example(architecture="LlamaForCausalLM", changes={"head_dim": 2**40}, block=None)
@example(architecture="LlamaForCausalLM", changes={"hidden_size": 2**40}, block=None)
@example(architecture="LlamaForCausalLM", changes={"num_hidden_layers": 2**40}, block=None)
@example(architecture="LlamaForCausalLM", changes={}, block={"rope_type": "yarn", "factor": 4.0, "beta_fast": -1.0})
@example(architecture="LlamaForCausalLM", changes={"head_dim": 2}, block={"rope_type": "dynamic", "factor": 4.0})
@example(architecture="Qwen2ForCausalLM", changes={"use_sliding_window": True, "layer_types": [[], {}, 1]}, block=None)
def test_any_config_is_read_or_refused_as_one_of_our_errors(
    architecture: str, changes: dict[str, Any], block: dict[str, Any] | None, tmp_path: Path
) -> None:
    """And what is read makes a rotary table of finite numbers."""
    scaling = {} if block is None else {"rope_scaling": block}
    tiny_models.write_config(tmp_path, {**tiny_models.config(architecture), **scaling, **changes})
    try:
        spec = read_spec(tmp_path)
    except TonnelleError as error:
        assert str(tmp_path) in str(error) or "architecture" in str(error)
        return
    table = RopeTable(spec.layers[0].attention.rope, 4, torch.device("cpu"))
    assert bool(torch.isfinite(table.cos).all()) and bool(torch.isfinite(table.sin).all())
