"""ModelSpec: one model's structure, in our own words.

Translated once from config.json or GGUF metadata (`spec.hf`, `spec.gguf`); everything else in the engine,
and the planner in the window, speaks only of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RopeMethod = Literal["default", "linear", "dynamic", "llama3", "yarn", "longrope"]
Activation = Literal["silu", "gelu", "gelu_tanh", "relu", "relu2"]
Norm = Literal["rms", "layer"]


@dataclass(frozen=True, slots=True)
class RopeSpec:
    """Rotary position embedding (Su et al. 2021, arXiv 2104.09864), rows in half-rotated order.

    theta: base. dim: rotated channels per head, first ones. original: positions the model was trained on
    before scaling. The other fields belong to the methods that name them:
    factor (linear, dynamic, llama3, yarn, longrope); low_freq, high_freq (llama3);
    beta_fast, beta_slow, mscale, mscale_all_dim, truncate (yarn, arXiv 2309.00071);
    short, long: a factor for each frequency (longrope, arXiv 2402.13753).
    attention_factor: multiplies cos and sin; None: the method's own formula.
    """

    theta: float
    dim: int
    method: RopeMethod = "default"
    factor: float = 1.0
    original: int = 0
    low_freq: float = 1.0
    high_freq: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    mscale: float | None = None
    mscale_all_dim: float | None = None
    truncate: bool = True
    attention_factor: float | None = None
    short: tuple[float, ...] = ()
    long: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class AttentionSpec:
    """Grouped-query softmax attention.

    qkv_bias, o_bias: linear layers carry a bias. qk_norm: RMSNorm on queries and keys, over each head.
    window: a query sees that many latest positions, itself included; None: all.
    scale: factor of the scores.
    """

    heads: int
    kv_heads: int
    head_dim: int
    rope: RopeSpec
    scale: float
    qkv_bias: bool = False
    o_bias: bool = False
    qk_norm: Literal["head"] | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class MlpSpec:
    """Feed-forward part: down(act(gate(x)) * up(x))."""

    intermediate: int
    activation: Activation = "silu"
    bias: bool = False


@dataclass(frozen=True, slots=True)
class LayerSpec:
    """One block: norm, attention, residual, norm, MLP, residual."""

    attention: AttentionSpec
    mlp: MlpSpec


@dataclass(frozen=True, slots=True)
class Quantization:
    """How a checkpoint packs its matrices, as the headers of its files tell.

    method: "exl3". bits: of a weight of the layers, on average, scales not counted; head_bits: of the head. Each is
    None where all of that is stored unpacked. codebooks: all that occur.
    elements: weights of the model that are packed; bytes: what they take in memory.
    """

    method: str
    bits: float | None
    head_bits: float | None
    codebooks: tuple[str, ...]
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A whole model.

    context: most positions the model claims. dtype: of the checkpoint as it declares itself.
    stop_ids: union of every end token that any of its files names. bos_id: None if the model has none.
    tied: the output head is the embedding table.
    warnings: what was odd in the files, one sentence each, to be shown and not only logged.
    quantization: None if all matrices are stored unpacked.
    draft_layers: layers beyond the model's own that predict further tokens, as announced; not run so far.
    """

    architecture: str
    hidden: int
    vocab: int
    layers: tuple[LayerSpec, ...]
    norm_eps: float
    tied: bool
    context: int
    dtype: Literal["float32", "bfloat16", "float16"]
    bos_id: int | None
    stop_ids: frozenset[int]
    norm: Norm = "rms"
    warnings: tuple[str, ...] = ()
    draft_layers: int = 0
    quantization: Quantization | None = None
