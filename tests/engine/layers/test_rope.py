"""Rotary tables against `transformers`, for every method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from engine.layers.rope import RopeTable
from engine.spec import read_spec
from engine.spec.model import RopeSpec
from tests import tiny_models

CPU = torch.device("cpu")
LONG = {"short_factor": [1.0 + 0.1 * i for i in range(16)], "long_factor": [2.0 + 0.5 * i for i in range(16)]}
# (settings of the file, our spec, the loaded context)
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "default": ({"rope_type": "default"}, {}, 256),
    "linear": ({"rope_type": "linear", "factor": 2.0}, {"factor": 2.0, "original": 256}, 256),
    "dynamic within": ({"rope_type": "dynamic", "factor": 2.0}, {"factor": 2.0, "original": 256}, 200),
    "dynamic beyond": ({"rope_type": "dynamic", "factor": 2.0}, {"factor": 2.0, "original": 256}, 400),
    "llama3": (
        {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
        {"factor": 8.0, "low_freq": 1.0, "high_freq": 4.0, "original": 64},
        256,
    ),
    "yarn": ({"rope_type": "yarn", "factor": 4.0}, {"factor": 4.0, "original": 64}, 256),
    "yarn, attention factor": (
        {"rope_type": "yarn", "factor": 4.0, "attention_factor": 1.3},
        {"factor": 4.0, "original": 64, "attention_factor": 1.3},
        256,
    ),
    "yarn, mscale": (
        {"rope_type": "yarn", "factor": 4.0, "mscale": 0.7, "mscale_all_dim": 1.1},
        {"factor": 4.0, "original": 64, "mscale": 0.7, "mscale_all_dim": 1.1},
        256,
    ),
    "yarn, not truncated": (
        {"rope_type": "yarn", "factor": 4.0, "truncate": False, "beta_fast": 16.0, "beta_slow": 2.0},
        {"factor": 4.0, "original": 64, "truncate": False, "beta_fast": 16.0, "beta_slow": 2.0},
        256,
    ),
    "longrope short": ({"rope_type": "longrope", **LONG}, {"original": 64, "factor": 4.0}, 64),
    "longrope long": ({"rope_type": "longrope", **LONG}, {"original": 64, "factor": 4.0}, 256),
}


@pytest.mark.parametrize("case", CASES)
def test_c013_c014_every_method_is_that_of_transformers(case: str) -> None:
    """C013, C014: at the length of the loaded context, so that cached keys agree with later queries."""
    settings, fields, context = CASES[case]
    method = settings["rope_type"]
    if method == "longrope":
        fields = {**fields, "short": tuple(LONG["short_factor"]), "long": tuple(LONG["long_factor"])}
    trained = {"original_max_position_embeddings": 64} if method in ("llama3", "yarn", "longrope") else {}
    config = LlamaConfig(
        hidden_size=128,
        num_attention_heads=4,
        max_position_embeddings=256,
        rope_parameters={**settings, **trained, "rope_theta": 10000.0},
    )
    positions = torch.arange(context)
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1), positions[None])
    table = RopeTable(RopeSpec(10000.0, 32, method=method, **fields), context, CPU)
    ours = table.rows(positions)
    # float32 angles of a few hundred radians carry about 3e-5 of rounding.
    torch.testing.assert_close(ours[0], cos[0, :, :16], atol=1e-4, rtol=0)
    torch.testing.assert_close(ours[1], sin[0, :, :16], atol=1e-4, rtol=0)


def test_rows_are_those_of_the_positions() -> None:
    table = RopeTable(RopeSpec(10000.0, 8), 50, CPU)
    cos, sin = table.rows(torch.tensor([7, 0, 7]))
    assert cos.shape == sin.shape == (3, 4) and cos.dtype == torch.float32
    assert torch.equal(cos[0], cos[2]) and bool((cos[1] == 1).all()) and bool((sin[1] == 0).all())


TRAINED = {"original_max_position_embeddings": 64}
YARN = {"rope_type": "yarn", "factor": 4.0}
# (settings of the file, its maximum, the context that we offer)
FILES: dict[str, tuple[dict[str, Any], int, int]] = {
    "default": ({"rope_type": "default"}, 256, 256),
    "linear": ({"rope_type": "linear", "factor": 2.0}, 256, 256),
    "dynamic": ({"rope_type": "dynamic", "factor": 2.0}, 256, 256),
    "llama3": ({**CASES["llama3"][0], **TRAINED}, 256, 256),
    "yarn, scaled maximum": ({**YARN, **TRAINED}, 256, 256),
    "yarn, trained maximum": ({**YARN, **TRAINED}, 64, 256),
    "yarn, attention factor": ({**YARN, **TRAINED, "attention_factor": 1.3}, 64, 256),
    "yarn, mscale": ({**YARN, **TRAINED, "mscale": 0.7, "mscale_all_dim": 1.1}, 256, 256),
    "yarn, not truncated": ({**YARN, **TRAINED, "truncate": False}, 256, 256),
    "yarn, no trained length": (YARN, 256, 256),
    "longrope": ({"rope_type": "longrope", **LONG, **TRAINED}, 256, 256),
}


@pytest.mark.parametrize("form", ["new", "old"])
@pytest.mark.parametrize("case", FILES)
def test_c013_c014_from_the_file_to_the_table(case: str, form: str, tmp_path: Path) -> None:
    """C013, C014: both forms of the settings, read by us and by `transformers`, at every position of our context."""
    settings, declared, context = FILES[case]
    values = tiny_models.config(hidden_size=128, max_position_embeddings=declared, rope_theta=5000.0)
    if form == "new":
        values["rope_parameters"] = {**settings, "rope_theta": values.pop("rope_theta")}
    else:
        values["rope_scaling"] = {**settings, "type": settings["rope_type"]}
        del values["rope_scaling"]["rope_type"]
    spec = read_spec(tiny_models.write_config(tmp_path, values))
    assert spec.context == context and spec.warnings == ()
    positions = torch.arange(context)
    cos, sin = LlamaRotaryEmbedding(LlamaConfig.from_pretrained(tmp_path))(torch.zeros(1), positions[None])
    table = RopeTable(spec.layers[0].attention.rope, context, CPU)
    torch.testing.assert_close(table.cos, cos[0, :, :16], atol=1e-4, rtol=0)
    torch.testing.assert_close(table.sin, sin[0, :, :16], atol=1e-4, rtol=0)


def test_c014_a_table_does_not_change_with_what_is_asked_of_it() -> None:
    """C014: short and long prompts in one batch, and a sequence that grows over the border, meet the same factors."""
    spec = RopeSpec(1e4, 8, "longrope", 4.0, 64, short=(1.0,) * 4, long=(3.0,) * 4)
    table = RopeTable(spec, 256, CPU)
    together = table.rows(torch.tensor([5, 119]))
    alone = table.rows(torch.tensor([5]))
    assert torch.equal(together[0][0], alone[0][0])
    assert torch.equal(table.rows(torch.arange(60))[0], table.rows(torch.arange(70))[0][:60])
    assert not torch.equal(alone[1], RopeTable(spec, 64, CPU).rows(torch.tensor([5]))[1])
