"""Every declared architecture against `transformers`, on tiny random models saved by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor

from engine.generate.session import finish, load_model
from engine.model.model import Model
from engine.plan.plan import Wishes
from engine.quant.measure import logits_of
from engine.settings import EngineSettings
from engine.spec.registry import architectures

SIZES: dict[str, Any] = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 300,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "LlamaForCausalLM": {
        "plain": {},
        "tied": {"tie_word_embeddings": True},
        "biases": {"attention_bias": True, "mlp_bias": True},
        "wide heads": {"head_dim": 64},
        "one kv head": {"num_key_value_heads": 1},
        "gelu": {"hidden_act": "gelu_pytorch_tanh"},
    },
    "Qwen2ForCausalLM": {
        "plain": {},
        "window off": {"use_sliding_window": False, "sliding_window": 16},
        "window from 0": {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 0},
        "window from 2": {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 2},
        "window from 3": {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 3},
    },
    "Qwen3ForCausalLM": {"plain": {"head_dim": 32}, "wide heads": {"head_dim": 64, "tie_word_embeddings": True}},
    "MistralForCausalLM": {"plain": {"sliding_window": None}, "window": {"sliding_window": 24, "head_dim": 32}},
}
ROPES: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "factor": 2.0},
    "llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    },
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64},
}


def make(folder: Path, architecture: str, changes: dict[str, Any]) -> transformers.PreTrainedModel:
    """A random model with weights large enough that every part shows in the logits."""
    kind = getattr(transformers, architecture)
    torch.manual_seed(0)
    model = kind(kind.config_class(**{**SIZES, **changes}, initializer_range=0.15)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or name.endswith("bias"):
                parameter.add_(torch.randn_like(parameter) * 0.2)
    model.save_pretrained(folder)
    return model


def load(folder: Path, **wishes: Any) -> Model:
    model, _ = finish(load_model(folder, Wishes(**{"device": "cpu", **wishes}), EngineSettings()))
    return model


def text(length: int = 120) -> Tensor:
    return torch.randint(0, 300, (length,), generator=torch.Generator().manual_seed(1))


def error(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).norm() / theirs.norm())


CASES = [(name, case) for name, cases in VARIANTS.items() for case in cases]


@pytest.mark.parametrize(("architecture", "case"), CASES, ids=[f"{name}-{case}" for name, case in CASES])
def test_logits_of_every_architecture(architecture: str, case: str, tmp_path: Path) -> None:
    """C010 among them: the window switch and the layer from which windows start."""
    reference = make(tmp_path, architecture, VARIANTS[architecture][case])
    tokens = text()
    with torch.no_grad():
        theirs = reference(tokens[None]).logits[0]
    model = load(tmp_path)
    assert error(torch.cat(list(logits_of(model, tokens))), theirs) < 1e-4
    # In small chunks, so that windows and positions cross the borders of steps, down to decoding one by one.
    assert error(torch.cat(list(logits_of(model, tokens, chunk=50))), theirs) < 1e-4
    assert error(torch.cat(list(logits_of(model, tokens, chunk=1))), theirs) < 1e-4


def test_every_declared_architecture_is_tested() -> None:
    assert set(architectures()) == set(VARIANTS)


@pytest.mark.parametrize("form", ["rope_parameters", "rope_scaling"])
@pytest.mark.parametrize("method", ROPES)
def test_rotary_scalings(method: str, form: str, tmp_path: Path) -> None:
    import json

    reference = make(tmp_path, "LlamaForCausalLM", {"rope_parameters": {"rope_theta": 5000.0, **ROPES[method]}})
    if form == "rope_scaling":
        file = tmp_path / "config.json"
        config = json.loads(file.read_text())
        config["rope_scaling"] = {**config.pop("rope_parameters")}
        config["rope_theta"] = config["rope_scaling"].pop("rope_theta")
        file.write_text(json.dumps(config))
    tokens = text(300)
    with torch.no_grad():
        theirs = reference(tokens[None]).logits[0]
    assert error(torch.cat(list(logits_of(load(tmp_path), tokens))), theirs) < 1e-4


def test_c007_a_residual_beyond_fp16_stays_finite(tmp_path: Path) -> None:
    """C007: one down projection scaled so that the residual reaches 1e5; default mode on a bf16 checkpoint."""
    reference = make(tmp_path, "LlamaForCausalLM", {})
    with torch.no_grad():
        reference.model.layers[1].mlp.down_proj.weight.mul_(1e5)
    reference.bfloat16().save_pretrained(tmp_path)
    tokens = text(40)
    with torch.no_grad():
        hidden = reference.float()(tokens[None], output_hidden_states=True)
    assert float(hidden.hidden_states[2].abs().max()) > 65504
    ours = torch.cat(list(logits_of(load(tmp_path), tokens)))
    assert bool(torch.isfinite(ours).all())
    assert error(ours, hidden.logits[0]) < 0.02


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_sixteen_bit_weights_stay_close(dtype: Any, tmp_path: Path) -> None:
    reference = make(tmp_path, "LlamaForCausalLM", {})
    tokens = text(60)
    with torch.no_grad():
        theirs = reference(tokens[None]).logits[0]
    ours = torch.cat(list(logits_of(load(tmp_path, dtype=dtype), tokens)))
    assert error(ours, theirs) < (0.03 if dtype == "bfloat16" else 0.01)
