"""Declaration: how a family's config.json becomes a ModelSpec, as data.

A value is a constant, or a `Key` that is read from the file. A variant is a diff: `LLAMA.but("Qwen2…", qkv_bias=True)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from engine.spec.config import Config
from engine.spec.model import Activation, AttentionSpec, LayerSpec, MlpSpec, ModelSpec
from engine.spec.names import HF_LLAMA, NameRules
from engine.spec.rope import read_rotary

MOST_LAYERS = 10_000
DTYPES = ("float32", "bfloat16", "float16")
ACTIVATIONS: dict[str, Activation] = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "relu2": "relu2",
}


@dataclass(frozen=True, slots=True)
class Key:
    """A true-or-false value that the file gives."""

    name: str
    default: bool = False

    def of(self, config: Config) -> bool:
        return config.flag(self.name, self.default)


Windows = Callable[[Config, int], tuple[int | None, ...]]


def no_windows(config: Config, layers: int) -> tuple[int | None, ...]:
    """Every layer sees everything, whatever the file says of windows."""
    return (None,) * layers


@dataclass(frozen=True, slots=True)
class Declaration:
    """One architecture.

    model_type: its other name, for files that name no architecture. windows: of each layer, from the file.
    head_dim: where the file gives none; None: hidden size over heads.
    The others are fields of AttentionSpec and MlpSpec.
    """

    architecture: str
    model_type: str
    qkv_bias: bool | Key = Key("attention_bias")
    o_bias: bool | Key = Key("attention_bias")
    mlp_bias: bool | Key = Key("mlp_bias")
    qk_norm: Literal["head"] | None = None
    head_dim: int | None = None
    windows: Windows = no_windows
    tied_by_default: bool = False
    names: NameRules = HF_LLAMA

    def but(self, architecture: str, model_type: str, **changes: Any) -> Declaration:
        """The same with another name and these differences."""
        return replace(self, architecture=architecture, model_type=model_type, **changes)

    def read(self, config: Config, stop_ids: frozenset[int]) -> ModelSpec:
        """stop_ids: of the files beside this one. Raises ConfigError."""
        hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
        kv_heads = config.integer("num_key_value_heads", heads)
        head_dim = config.integer("head_dim", self.head_dim or hidden // heads)
        if head_dim < 1:
            raise config.error("num_attention_heads", f"{heads} heads cannot share {hidden} channels")
        if heads % kv_heads:
            raise config.error("num_key_value_heads", f"{heads} heads cannot share {kv_heads} keys and values evenly")
        rotary = read_rotary(config, head_dim)
        count = config.integer("num_hidden_layers")
        if count > MOST_LAYERS:
            raise config.error("num_hidden_layers", f"{count} layers are more than any model has")
        mlp = MlpSpec(config.integer("intermediate_size"), _activation(config), _value(self.mlp_bias, config))
        layers = tuple(
            LayerSpec(
                AttentionSpec(
                    heads,
                    kv_heads,
                    head_dim,
                    rotary.rope,
                    head_dim**-0.5,
                    qkv_bias=_value(self.qkv_bias, config),
                    o_bias=_value(self.o_bias, config),
                    qk_norm=self.qk_norm,
                    window=window,
                ),
                mlp,
            )
            for window in self.windows(config, count)
        )
        bos = config.ids("bos_token_id")
        return ModelSpec(
            architecture=self.architecture,
            hidden=hidden,
            vocab=config.integer("vocab_size"),
            layers=layers,
            norm_eps=config.number("rms_norm_eps", 1e-6),
            tied=config.flag("tie_word_embeddings", self.tied_by_default),
            context=rotary.context,
            dtype=_dtype(config),
            bos_id=min(bos, default=None),
            stop_ids=stop_ids | config.ids("eos_token_id"),
            warnings=rotary.warnings,
            draft_layers=config.integer("num_nextn_predict_layers", 0, least=0),
        )


def _value(value: bool | Key, config: Config) -> bool:
    return value.of(config) if isinstance(value, Key) else value


def _activation(config: Config) -> Activation:
    name = config.text("hidden_act", "silu")
    if name not in ACTIVATIONS:
        raise config.error("hidden_act", f"{name!r} is not known; known are {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


def _dtype(config: Config) -> Literal["float32", "bfloat16", "float16"]:
    """As the files have it; float32 where they do not say, as older ones mean by that."""
    key = "dtype" if "dtype" in config else "torch_dtype"
    name = config.text(key, "float32").removeprefix("torch.")
    if name not in DTYPES:
        raise config.error(key, f"{name!r} is not one of {', '.join(DTYPES)}")
    return cast(Literal["float32", "bfloat16", "float16"], name)
