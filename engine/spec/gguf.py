"""A GGUF file's description (the GGUF specification of the ggml project). Reads metadata only; `gguf` and numpy
are imported when the first file is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import CorruptFile, UnknownArchitecture
from engine.spec.config import Config
from engine.spec.declare import Declaration
from engine.spec.model import ModelSpec
from engine.spec.registry import find

if TYPE_CHECKING:
    from gguf import GGUFReader

ARCHITECTURES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
END_TOKENS = ("eos", "eot", "eom")


@dataclass(frozen=True, slots=True)
class GgufFile:
    """An open file: its metadata and tensors. Data is mapped, not read."""

    path: Path
    metadata: Mapping[str, Any]
    reader: GGUFReader

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    @property
    def name(self) -> str:
        return str(self.metadata.get("general.name") or self.path.stem)


def open_gguf(path: Path) -> GgufFile:
    """Raises CorruptFile if it is no GGUF file or is cut short."""
    import gguf

    try:
        reader = gguf.GGUFReader(path)
        metadata = {name: field.contents() for name, field in reader.fields.items()}
    except (OSError, ValueError, IndexError, KeyError, UnicodeDecodeError, OverflowError, MemoryError) as error:
        raise CorruptFile(path, f"it is not a whole GGUF file ({error})") from error
    return GgufFile(path, metadata, reader)


def read_gguf(file: GgufFile) -> tuple[ModelSpec, Declaration]:
    """Raises UnknownArchitecture or ConfigError."""
    if file.architecture not in ARCHITECTURES:
        raise UnknownArchitecture(file.architecture or "(none named)", tuple(ARCHITECTURES))
    declaration = find(ARCHITECTURES[file.architecture])
    config = Config(_as_config(file), file.path)
    keys = [f"tokenizer.ggml.{end}_token_id" for end in END_TOKENS]
    stop_ids = frozenset(int(file.metadata[key]) for key in keys if key in file.metadata)
    return declaration.read(config, stop_ids), declaration


def _as_config(file: GgufFile) -> dict[str, object]:
    """The metadata in the words of a config.json, so that one declaration reads both."""
    found, prefix = file.metadata, f"{file.architecture}."
    names = {tensor.name for tensor in file.reader.tensors}
    heads, width = found.get(f"{prefix}attention.head_count"), found.get(f"{prefix}embedding_length")
    vocab = found.get(f"{prefix}vocab_size") or len(found.get("tokenizer.ggml.tokens", ())) or None
    eps = found.get(f"{prefix}attention.layer_norm_rms_epsilon")
    theta = found.get(f"{prefix}rope.freq_base")
    values = {
        "hidden_size": width,
        "num_attention_heads": heads,
        "num_key_value_heads": found.get(f"{prefix}attention.head_count_kv"),
        "head_dim": found.get(f"{prefix}attention.key_length"),
        "num_hidden_layers": found.get(f"{prefix}block_count"),
        "intermediate_size": found.get(f"{prefix}feed_forward_length"),
        "max_position_embeddings": found.get(f"{prefix}context_length"),
        "vocab_size": vocab,
        # Stored as float32, so that 1e-5 comes back as 9.999999747378752e-06.
        "rms_norm_eps": None if eps is None else float(f"{eps:.7g}"),
        "rope_theta": None if theta is None else float(f"{theta:.7g}"),
        "tie_word_embeddings": "output.weight" not in names,
        "attention_bias": "blk.0.attn_q.bias" in names,
        "bos_token_id": found.get("tokenizer.ggml.bos_token_id"),
        # 16 bit with the exponents of float32: the rounding is far below that of the quantization it came from.
        "dtype": "bfloat16",
        "rope_scaling": _scaling(file, prefix),
    }
    return {key: value for key, value in values.items() if value is not None}


def _scaling(file: GgufFile, prefix: str) -> dict[str, object] | None:
    found = file.metadata
    if any(tensor.name == "rope_freqs.weight" for tensor in file.reader.tensors):
        return _stored_factors(file, prefix)
    method = found.get(f"{prefix}rope.scaling.type")
    if method in (None, "none"):
        return None
    block: dict[str, object] = {"rope_type": method, "factor": found.get(f"{prefix}rope.scaling.factor")}
    if method == "yarn":
        block["original_max_position_embeddings"] = found.get(f"{prefix}rope.scaling.original_context_length")
    return {key: value for key, value in block.items() if value is not None}


def _stored_factors(file: GgufFile, prefix: str) -> dict[str, object]:
    """Llama 3.1 files carry their scaling as a divisor for each frequency: longrope with one set for all lengths."""
    tensor = next(tensor for tensor in file.reader.tensors if tensor.name == "rope_freqs.weight")
    factors = [float(value) for value in tensor.data]
    return {"rope_type": "longrope", "short_factor": factors, "long_factor": factors, "attention_factor": 1.0}
