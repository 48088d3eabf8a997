"""A GGUF file's description, in the words of a config.json, so that one declaration reads both.

Rules:
- The vocabulary is as large as the embedding; the head is tied where the file holds none.
- End tokens are those of the text, of a turn and of a message.
- The type to load in is that of the matrices where they are not quantized, else bfloat16: it has the exponents of
  float32, and its rounding is far below that of the quantization.
- YaRN follows llama.cpp: a given attention factor multiplies the method's own.
- Llama 3.1 files carry their scaling as a tensor, a divisor for each frequency.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

from engine.errors import CorruptFile, NotAModel, UnknownArchitecture
from engine.spec.config import Config
from engine.spec.declare import Declaration
from engine.spec.gguf_file import GgufFile
from engine.spec.model import ModelSpec
from engine.spec.registry import find

ARCHITECTURES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
END_TOKENS = ("eos", "eot", "eom")
FLOAT32 = 0  # ggml's numbers of data types
PLAIN_TYPES = {FLOAT32: "float32", 1: "float16"}
DIVISORS = "rope_freqs.weight"
# What a config.json calls it, and what GGUF does, below the architecture's name.
KEYS = {
    "hidden_size": "embedding_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "num_hidden_layers": "block_count",
    "intermediate_size": "feed_forward_length",
    "max_position_embeddings": "context_length",
    "vocab_size": "vocab_size",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
}
YARN_KEYS = {
    "factor": "rope.scaling.factor",
    "original_max_position_embeddings": "rope.scaling.original_context_length",
    "beta_fast": "rope.scaling.yarn_beta_fast",
    "beta_slow": "rope.scaling.yarn_beta_slow",
}


def read_gguf(file: GgufFile) -> tuple[ModelSpec, Declaration]:
    """Raises NotAModel, UnknownArchitecture, ConfigError or CorruptFile."""
    found = _Facts(file)
    parts = file.metadata.get("split.count", 1)
    if isinstance(parts, int) and parts > 1:
        raise NotAModel(file.path, f"it is one of {parts} parts, which must be merged first")
    if file.architecture not in ARCHITECTURES:
        raise UnknownArchitecture(file.architecture or "(none named)", tuple(ARCHITECTURES))
    if found.get("expert_count"):
        raise UnknownArchitecture(f"{file.architecture} with experts", tuple(ARCHITECTURES))
    declaration = find(ARCHITECTURES[file.architecture])
    config = Config(_as_config(file, found), file.path)
    stops = Config(file.metadata, file.path)
    stop_ids = frozenset[int]().union(*(stops.ids(f"tokenizer.ggml.{end}_token_id") for end in END_TOKENS))
    spec = declaration.read(config, stop_ids)
    attention = spec.layers[0].attention
    if file.architecture == "llama" and attention.rope.dim != attention.head_dim:
        # The row order of such files is that of whole heads.
        raise config.error("rope.dimension_count", f"only all of a head's {attention.head_dim} channels can rotate")
    return spec, declaration


class _Facts:
    """Metadata below the architecture's name."""

    def __init__(self, file: GgufFile) -> None:
        self._file = file

    def get(self, key: str) -> object:
        value = self._file.metadata.get(f"{self._file.architecture}.{key}")
        # Stored as float32, so that 1e-5 comes back as 9.999999747378752e-06.
        return float(f"{value:.7g}") if isinstance(value, float) else value

    def of(self, keys: Mapping[str, str]) -> dict[str, object]:
        return {ours: self.get(key) for ours, key in keys.items()}


def _as_config(file: GgufFile, found: _Facts) -> dict[str, object]:
    values = found.of(KEYS)
    head_dim, rotated = _head_dim(found), found.get("rope.dimension_count")
    embedding, queries = file.tensors.get("token_embd.weight"), file.tensors.get("blk.0.attn_q.weight")
    if embedding and embedding.shape:
        values["vocab_size"] = embedding.shape[0]
    return {
        **values,
        "head_dim": head_dim,
        "tie_word_embeddings": "output.weight" not in file.tensors,
        "attention_bias": "blk.0.attn_q.bias" in file.tensors,
        "mlp_bias": "blk.0.ffn_gate.bias" in file.tensors,
        "bos_token_id": file.metadata.get("tokenizer.ggml.bos_token_id"),
        "dtype": PLAIN_TYPES.get(queries.kind, "bfloat16") if queries else "bfloat16",
        "rope_scaling": _scaling(file, found),
        "partial_rotary_factor": rotated / head_dim if isinstance(rotated, int) and head_dim else None,
    }


def _head_dim(found: _Facts) -> int | None:
    """Where the file gives none, llama.cpp shares the width among the heads, whatever the architecture."""
    given, heads, width = (found.get(KEYS[key]) for key in ("head_dim", "num_attention_heads", "hidden_size"))
    if isinstance(given, int):
        return given
    return width // heads if isinstance(heads, int) and isinstance(width, int) and heads else None


def _scaling(file: GgufFile, found: _Facts) -> dict[str, object] | None:
    if DIVISORS in file.tensors:
        factors = _divisors(file)
        return {"rope_type": "longrope", "short_factor": factors, "long_factor": factors, "attention_factor": 1.0}
    method = found.get("rope.scaling.type")
    if method in (None, "none"):
        return None
    if method != "yarn":
        return {"rope_type": method, "factor": found.get("rope.scaling.factor")}
    block = {"rope_type": method, **found.of(YARN_KEYS)}
    factor, more = block["factor"], found.get("rope.scaling.attn_factor")
    if isinstance(factor, float) and factor > 1 and isinstance(more, float):
        block["attention_factor"] = more * (1 + 0.1 * math.log(factor))
    return block


def _divisors(file: GgufFile) -> list[float]:
    stored = file.tensors[DIVISORS]
    size = struct.calcsize(f"<{math.prod(stored.shape)}f")
    if stored.kind != FLOAT32 or stored.offset + size > file.size:
        raise CorruptFile(file.path, f"{DIVISORS} is cut short or not of float32")
    with file.path.open("rb") as data:
        data.seek(stored.offset)
        return list(struct.unpack(f"<{size // 4}f", data.read(size)))
