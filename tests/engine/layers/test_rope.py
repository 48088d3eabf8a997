"""Rotary tables against `transformers`, for every method."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from engine.layers.rope import RopeTable
from engine.spec.model import RopeSpec

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
