"""Bytes that a model takes on one device: pure functions of what is loaded and how."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod

from engine.plan.plan import PAGE_TOKENS, DType, Memory
from engine.spec.model import AttentionSpec, LayerSpec, ModelSpec
from engine.spec.names import slots

SIZES: dict[DType, int] = {"float32": 4, "bfloat16": 2, "float16": 2}
FLOAT32 = SIZES["float32"]

QUERY_BLOCK = 128  # queries that attention takes at a time; no scores beyond them exist, and few of theirs
WIDENED = 2**20  # weights of 16 bit, or packed ones, that a processor turns into float32 at a time
SAMPLED_ROWS = 16  # conversations that get a token in one step
SAMPLING = 40  # bytes a token of the vocabulary: logits, their copy, float64 values and int64 ids, sorted and not


class Footprint:
    """All that a model takes, as a function of its sizes. What does not depend on them is counted once:
    plans are made again and again while a slider moves, or while the largest context is sought."""

    def __init__(self, spec: ModelSpec, dtype: DType, cache_dtype: DType, *, on_cpu: bool) -> None:
        self._weights = weight_bytes(spec, dtype)
        self._page = cache_bytes(spec, cache_dtype, pages=1)
        self._kinds = replace(spec, layers=tuple(set(spec.layers)))
        self._gathered = FLOAT32 if on_cpu else SIZES[cache_dtype]

    def memory(self, context: int, pages: int, chunk: int) -> Memory:
        workspace = workspace_bytes(self._kinds, chunk, context, self._gathered)
        return Memory(self._weights, self._page * pages, workspace)


def weight_bytes(spec: ModelSpec, dtype: DType) -> int:
    """Matrices in `dtype` or as they are packed, norms and biases in float32; a tied head counts once."""
    ends = _slot_bytes(replace(spec, layers=()), dtype)
    unpacked = ends + sum(
        count * (_slot_bytes(replace(spec, layers=(layer,)), dtype) - ends)
        for layer, count in Counter(spec.layers).items()
    )
    packed = spec.quantization
    return unpacked if packed is None else unpacked - packed.elements * SIZES[dtype] + packed.bytes


def cache_bytes(spec: ModelSpec, cache_dtype: DType, pages: int) -> int:
    """Keys and values: two tensors [pages, PAGE_TOKENS, kv_heads, head_dim] a layer, whatever its window."""
    entries = sum(2 * layer.attention.kv_heads * layer.attention.head_dim for layer in spec.layers)
    return entries * PAGE_TOKENS * pages * SIZES[cache_dtype]


def workspace_bytes(spec: ModelSpec, chunk: int, context: int, gathered: int = FLOAT32) -> int:
    """Most bytes of temporaries in one step of `chunk` tokens over `context` positions. Activations are float32.

    The step is at its widest in attention, in the MLP, or at the head; one layer's temporaries are gone before
    the next begins. The residual stream and the rotary tables are there all the time. gathered: bytes of an
    element of keys and values as attention computes with them: float32 on a processor, the cache's own on a card.
    """
    residual = chunk * spec.hidden * FLOAT32
    widest = max(
        max((_attention(layer.attention, spec.hidden, chunk, context, gathered) for layer in spec.layers), default=0),
        max((_mlp(layer, spec.hidden, chunk) for layer in spec.layers), default=0),
        min(SAMPLED_ROWS, chunk) * (spec.hidden + spec.vocab) * FLOAT32 + spec.vocab * SAMPLING,
    )
    turned = chunk * spec.hidden * FLOAT32 if spec.quantization else 0  # the input in the basis of packed weights
    return residual + widest + rope_bytes(spec, context) + WIDENED * FLOAT32 + turned


def rope_bytes(spec: ModelSpec, context: int) -> int:
    """cos and sin, float32 [context, dim / 2], of each different rotary embedding."""
    return sum(context * rope.dim * FLOAT32 for rope in {layer.attention.rope for layer in spec.layers})


def _attention(attention: AttentionSpec, hidden: int, chunk: int, context: int, gathered: int) -> int:
    """Input; queries, keys, values before and after rotation, and the mix. Then of one conversation: its keys and
    values, gathered from their pages and one of them twice while it changes its dtype; a block's mask, as bool and
    as the float that is added. Measured on an H200 and on a processor: within a fifth of this, and below it."""
    q, kv = attention.heads * attention.head_dim, attention.kv_heads * attention.head_dim
    projected = chunk * (hidden + 3 * q + 3 * kv) * FLOAT32
    return projected + (2 * gathered + 2) * context * kv + min(chunk, QUERY_BLOCK) * context * (1 + FLOAT32)


def _mlp(layer: LayerSpec, hidden: int, chunk: int) -> int:
    """Input, gate, up, their product; the output takes the place of the first two."""
    return chunk * (hidden + 3 * layer.mlp.intermediate) * FLOAT32


def _slot_bytes(spec: ModelSpec, dtype: DType) -> int:
    return sum(prod(slot.shape) * (SIZES[dtype] if slot.matrix else FLOAT32) for slot in slots(spec))
