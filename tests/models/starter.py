"""SmolLM2-135M-Instruct from its GGUF file as a Hugging Face folder: weights in bf16, tokenizer, chat template.

The weights are the dequantized ones, so the folder is near the published checkpoint but not equal to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import torch
from safetensors.torch import save_file
from torch import Tensor

LAYER_PARTS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
ENDS = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
SPECIAL, OURS = gguf.TokenType.CONTROL, gguf.TokenType.USER_DEFINED


def write_folder(file: Path, folder: Path) -> None:
    """The whole folder; it is made if absent."""
    folder.mkdir(parents=True, exist_ok=True)
    reader = gguf.GGUFReader(file)
    facts = {name: field.contents() for name, field in reader.fields.items()}
    save_file(weights(reader, facts), folder / "model.safetensors", metadata={"format": "pt"})
    for name, content in {
        "config.json": config(facts),
        "generation_config.json": special_ids(facts),
        "tokenizer.json": tokenizer(facts),
        "tokenizer_config.json": tokenizer_config(facts),
    }.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(facts["tokenizer.chat_template"], encoding="utf-8")


def weights(reader: gguf.GGUFReader, facts: Mapping[str, Any]) -> dict[str, Tensor]:
    heads = {"attn_q": facts["llama.attention.head_count"], "attn_k": facts["llama.attention.head_count_kv"]}
    found = {}
    for stored in reader.tensors:
        values = torch.tensor(gguf.quants.dequantize(stored.data, stored.tensor_type))
        values = values.reshape([int(size) for size in reversed(stored.shape)])
        part = stored.name.split(".")[-2]
        if part in heads:
            values = half_rotated(values, heads[part])
        found[folder_name(stored.name)] = values.bfloat16()
    return found


def half_rotated(weight: Tensor, heads: int) -> Tensor:
    """GGUF keeps a head's rotary channels side by side, the folder all first ones before all second ones."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns)


def folder_name(name: str) -> str:
    if name in ENDS:
        return ENDS[name]
    _, index, part, kind = name.split(".")
    return f"model.layers.{index}.{LAYER_PARTS[part]}.{kind}"


def config(facts: Mapping[str, Any]) -> dict[str, Any]:
    hidden, heads = facts["llama.embedding_length"], facts["llama.attention.head_count"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": hidden,
        "intermediate_size": facts["llama.feed_forward_length"],
        "num_hidden_layers": facts["llama.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": facts["llama.attention.head_count_kv"],
        "head_dim": hidden // heads,
        "vocab_size": facts["llama.vocab_size"],
        "max_position_embeddings": facts["llama.context_length"],
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
        # Kept as float32 in the file, where 1e-5 reads 9.999999747e-06.
        "rms_norm_eps": float(f"{facts['llama.attention.layer_norm_rms_epsilon']:.6g}"),
        "rope_theta": float(f"{facts['llama.rope.freq_base']:.6g}"),
        "rope_scaling": None,
        "torch_dtype": "bfloat16",
        **special_ids(facts),
    }


def special_ids(facts: Mapping[str, Any]) -> dict[str, int]:
    names = {"bos_token_id": "bos", "eos_token_id": "eos", "pad_token_id": "padding"}
    return {key: facts[f"tokenizer.ggml.{name}_token_id"] for key, name in names.items()}


def tokenizer(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Byte-level BPE; the pre-tokenizer that GGUF calls "smollm": every digit alone, then GPT-2's pattern."""
    tokens, kinds = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": index, "content": token, "special": kind == SPECIAL, **plain}
            for index, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
            if kind in (SPECIAL, OURS)
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {token: index for index, token in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in facts["tokenizer.ggml.merges"]],
        },
    }


def tokenizer_config(facts: Mapping[str, Any]) -> dict[str, Any]:
    tokens = facts["tokenizer.ggml.tokens"]
    names = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_bos_token": facts["tokenizer.ggml.add_bos_token"],
        "clean_up_tokenization_spaces": False,
        "model_max_length": facts["llama.context_length"],
        "chat_template": facts["tokenizer.chat_template"],
        **{key: tokens[facts[f"tokenizer.ggml.{name}_token_id"]] for key, name in names.items()},
    }


if __name__ == "__main__":
    write_folder(Path(sys.argv[1]), Path(sys.argv[2]))
