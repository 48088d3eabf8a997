"""Slots: our own names of a model's tensors with their shapes, and how files call them.

A slot is named by where it sits in the model, e.g. "layers.3.attention.q.weight". Weights of linear
layers are stored as (out, in), as checkpoints have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.spec.model import LayerSpec, ModelSpec


@dataclass(frozen=True, slots=True)
class Slot:
    """One tensor that the model wants. matrix: a linear layer's weight or an embedding, kept in the load dtype
    (the others, norms and biases, are kept in float32)."""

    name: str
    shape: tuple[int, ...]
    matrix: bool


def slots(spec: ModelSpec) -> Iterator[Slot]:
    """Every tensor of the model, in the order of computation; a tied head is not listed."""
    yield Slot("embedding.weight", (spec.vocab, spec.hidden), True)
    for index, layer in enumerate(spec.layers):
        for slot in _layer_slots(spec.hidden, layer):
            yield Slot(f"layers.{index}.{slot.name}", slot.shape, slot.matrix)
    yield Slot("norm.weight", (spec.hidden,), False)
    if not spec.tied:
        yield Slot("head.weight", (spec.vocab, spec.hidden), True)


def _layer_slots(hidden: int, layer: LayerSpec) -> Iterator[Slot]:
    attention, mlp = layer.attention, layer.mlp
    q_size, kv_size = attention.heads * attention.head_dim, attention.kv_heads * attention.head_dim
    yield Slot("attention_norm.weight", (hidden,), False)
    yield from _linear("attention.q", q_size, hidden, attention.qkv_bias)
    yield from _linear("attention.k", kv_size, hidden, attention.qkv_bias)
    yield from _linear("attention.v", kv_size, hidden, attention.qkv_bias)
    if attention.qk_norm:
        yield Slot("attention.q_norm.weight", (attention.head_dim,), False)
        yield Slot("attention.k_norm.weight", (attention.head_dim,), False)
    yield from _linear("attention.o", hidden, q_size, attention.o_bias)
    yield Slot("mlp_norm.weight", (hidden,), False)
    yield from _linear("mlp.gate", mlp.intermediate, hidden, mlp.bias)
    yield from _linear("mlp.up", mlp.intermediate, hidden, mlp.bias)
    yield from _linear("mlp.down", hidden, mlp.intermediate, mlp.bias)


def _linear(name: str, out: int, inner: int, bias: bool) -> Iterator[Slot]:
    yield Slot(f"{name}.weight", (out, inner), True)
    if bias:
        yield Slot(f"{name}.bias", (out,), False)


@dataclass(frozen=True, slots=True)
class NameRules:
    """How a kind of file calls the slots.

    parts: (slot part, file part), longest match wins; `layer` is the file's prefix of a block, with {}.
    nestings: how multimodal and stripped checkpoints change the names: what they begin with, what stands in its place.
    ignored: names with these parts are known leftovers, e.g. rotary tables that old exporters saved.
    """

    layer: str
    parts: tuple[tuple[str, str], ...]
    nestings: tuple[tuple[str, str], ...] = (("", ""),)
    ignored: tuple[str, ...] = ()

    def file_name(self, slot: str) -> str:
        """The name of a slot in a file that nests nothing."""
        prefix, rest = "", slot
        if slot.startswith("layers."):
            _, index, rest = slot.split(".", 2)
            prefix = self.layer.format(index)
        stem, _, kind = rest.rpartition(".")
        return f"{prefix}{dict(self.parts)[stem]}.{kind}"

    @staticmethod
    def nested(name: str, nesting: tuple[str, str]) -> str:
        """What a name becomes in a file that nests the model in this way."""
        before, instead = nesting
        return instead + name.removeprefix(before) if name.startswith(before) else name


HF_LLAMA = NameRules(
    layer="model.layers.{}.",
    parts=(
        ("embedding", "model.embed_tokens"),
        ("norm", "model.norm"),
        ("head", "lm_head"),
        ("attention_norm", "input_layernorm"),
        ("attention.q", "self_attn.q_proj"),
        ("attention.k", "self_attn.k_proj"),
        ("attention.v", "self_attn.v_proj"),
        ("attention.o", "self_attn.o_proj"),
        ("attention.q_norm", "self_attn.q_norm"),
        ("attention.k_norm", "self_attn.k_norm"),
        ("mlp_norm", "post_attention_layernorm"),
        ("mlp.gate", "mlp.gate_proj"),
        ("mlp.up", "mlp.up_proj"),
        ("mlp.down", "mlp.down_proj"),
    ),
    nestings=(
        ("", ""),
        ("", "language_model."),
        ("model.", "model.language_model."),  # here the head stays outside
        ("", "model.language_model."),
        ("model.", ""),  # the layers alone, without the head
    ),
    ignored=("rotary_emb.inv_freq",),
)

GGUF_LLAMA = NameRules(
    layer="blk.{}.",
    parts=(
        ("embedding", "token_embd"),
        ("norm", "output_norm"),
        ("head", "output"),
        ("attention_norm", "attn_norm"),
        ("attention.q", "attn_q"),
        ("attention.k", "attn_k"),
        ("attention.v", "attn_v"),
        ("attention.o", "attn_output"),
        ("attention.q_norm", "attn_q_norm"),
        ("attention.k_norm", "attn_k_norm"),
        ("mlp_norm", "ffn_norm"),
        ("mlp.gate", "ffn_gate"),
        ("mlp.up", "ffn_up"),
        ("mlp.down", "ffn_down"),
    ),
    ignored=("rope_freqs.weight",),
)
