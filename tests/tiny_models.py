"""Tiny random models on disk, for tests that only read them: a config.json with safetensors, or a .gguf file.

Written from the formats' own rules and not through the engine, so that what it reads is checked against them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

Tensors = dict[str, Tensor]

COMMON: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 80,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "dtype": "float32",
}
OWN: dict[str, dict[str, Any]] = {
    "LlamaForCausalLM": {"model_type": "llama"},
    "MistralForCausalLM": {"model_type": "mistral", "sliding_window": None},
    "Qwen2ForCausalLM": {"model_type": "qwen2"},
    "Qwen3ForCausalLM": {"model_type": "qwen3", "head_dim": 32},
}
METADATA_TYPES = {
    int: gguf.GGUFValueType.UINT32,
    float: gguf.GGUFValueType.FLOAT32,
    str: gguf.GGUFValueType.STRING,
}
GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def config(architecture: str = "LlamaForCausalLM", **changes: Any) -> dict[str, Any]:
    """A config.json. A change to `...` takes the key away."""
    values = {"architectures": [architecture], **COMMON, **OWN[architecture], **changes}
    return {key: value for key, value in values.items() if value is not ...}


def tensors(values: Mapping[str, Any]) -> Tensors:
    """Random float32 tensors by their Hugging Face names, all that the config asks for."""
    hidden, inner, heads = values["hidden_size"], values["intermediate_size"], values["num_attention_heads"]
    head_dim = values.get("head_dim") or hidden // heads
    q, kv = heads * head_dim, values["num_key_value_heads"] * head_dim
    kind = values["model_type"]
    attention_bias = values.get("attention_bias", False)
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (values["vocab_size"], hidden)}
    for index in range(values["num_hidden_layers"]):
        at = f"model.layers.{index}."
        for name, out, width, bias in (
            ("self_attn.q_proj", q, hidden, attention_bias or kind == "qwen2"),
            ("self_attn.k_proj", kv, hidden, attention_bias or kind == "qwen2"),
            ("self_attn.v_proj", kv, hidden, attention_bias or kind == "qwen2"),
            ("self_attn.o_proj", hidden, q, attention_bias),
            ("mlp.gate_proj", inner, hidden, values.get("mlp_bias", False)),
            ("mlp.up_proj", inner, hidden, values.get("mlp_bias", False)),
            ("mlp.down_proj", hidden, inner, values.get("mlp_bias", False)),
        ):
            shapes[f"{at}{name}.weight"] = (out, width)
            if bias:
                shapes[f"{at}{name}.bias"] = (out,)
        for name in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{at}{name}.weight"] = (hidden,)
        for name in ("self_attn.q_norm", "self_attn.k_norm") if kind == "qwen3" else ():
            shapes[f"{at}{name}.weight"] = (head_dim,)
    shapes["model.norm.weight"] = (hidden,)
    if not values["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (values["vocab_size"], hidden)
    generator = torch.Generator().manual_seed(0)
    return {name: torch.randn(shape, generator=generator) * 0.1 for name, shape in shapes.items()}


def write_config(folder: Path, values: Mapping[str, Any], name: str = "config.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(values), encoding="utf-8")
    return folder


def write_folder(folder: Path, values: Mapping[str, Any], stored: Tensors | None = None, shards: int = 1) -> Path:
    """config.json with model.safetensors, or with that many shards and their index."""
    write_config(folder, values)
    stored = tensors(values) if stored is None else stored
    if shards == 1:
        save_file(stored, folder / "model.safetensors")
        return folder
    names = list(stored)
    index: dict[str, str] = {}
    for number in range(shards):
        part = names[number * len(names) // shards : (number + 1) * len(names) // shards]
        file = f"model-{number + 1:05}-of-{shards:05}.safetensors"
        save_file({name: stored[name] for name in part}, folder / file)
        index |= dict.fromkeys(part, file)
    write_config(folder, {"metadata": {}, "weight_map": index}, "model.safetensors.index.json")
    return folder


def write_gguf(
    path: Path,
    values: Mapping[str, Any],
    stored: Tensors | None = None,
    *,
    quantization: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32,
    extra: Mapping[str, int | float | str] | None = None,
    more: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """The same model as a GGUF file: matrices in `quantization`, the others in float32.

    extra: further metadata, in which {arch} stands for the architecture. more: further tensors, float32.
    """
    kind = {"mistral": "llama"}.get(values["model_type"], values["model_type"])
    heads = values["num_attention_heads"]
    writer = gguf.GGUFWriter(path, kind)
    writer.add_name("Tiny")
    writer.add_context_length(values["max_position_embeddings"])
    writer.add_embedding_length(values["hidden_size"])
    writer.add_block_count(values["num_hidden_layers"])
    writer.add_feed_forward_length(values["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(values["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(values["rms_norm_eps"])
    writer.add_rope_freq_base(values["rope_theta"])
    if "head_dim" in values:
        writer.add_key_length(values["head_dim"])
        writer.add_value_length(values["head_dim"])
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{index}" for index in range(values["vocab_size"])])
    writer.add_bos_token_id(values["bos_token_id"])
    writer.add_eos_token_id(values["eos_token_id"])
    for key, value in (extra or {}).items():
        writer.add_key_value(key.format(arch=kind), value, METADATA_TYPES[type(value)])
    for name, tensor in (tensors(values) if stored is None else stored).items():
        array = tensor.numpy()
        if kind == "llama" and "self_attn.q_proj" in name:
            array = _interleaved(array, heads)
        elif kind == "llama" and "self_attn.k_proj" in name:
            array = _interleaved(array, values["num_key_value_heads"])
        if array.ndim == 2 and quantization != gguf.GGMLQuantizationType.F32:
            data = gguf.quants.quantize(array, quantization)
            writer.add_tensor(_gguf_name(name), data, raw_dtype=quantization)
        else:
            writer.add_tensor(_gguf_name(name), np.ascontiguousarray(array))
    for name, array in (more or {}).items():
        writer.add_tensor(name, array.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _interleaved(array: np.ndarray, heads: int) -> np.ndarray:
    """Rows of each head from (first half, second half) to rotary pairs side by side, as llama.cpp wants them."""
    halves = array.reshape(heads, 2, len(array) // heads // 2, *array.shape[1:])
    return halves.swapaxes(1, 2).reshape(array.shape)


def _gguf_name(name: str) -> str:
    stem, _, suffix = name.rpartition(".")
    if stem.startswith("model.layers."):
        _, _, index, stem = stem.split(".", 3)
        return f"blk.{index}.{GGUF_NAMES[stem]}.{suffix}"
    return f"{GGUF_NAMES[stem]}.{suffix}"
