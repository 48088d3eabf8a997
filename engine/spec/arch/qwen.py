"""Qwen2 (arXiv 2407.10671) and Qwen3 (arXiv 2505.09388)."""

from __future__ import annotations

from engine.spec.arch.llama import LLAMA
from engine.spec.config import Config

KINDS = ("full_attention", "sliding_attention")


def windows_if_switched_on(config: Config, layers: int) -> tuple[int | None, ...]:
    """A window counts only with `use_sliding_window`; then `layer_types` says which layers have it, or all from
    `max_window_layers` on."""
    window = config.integer("sliding_window", None) if config.flag("use_sliding_window", False) else None
    if window is None:
        return (None,) * layers
    kinds = config.values.get("layer_types")
    if kinds is None:
        first = config.integer("max_window_layers", 28, least=0)
        return tuple(window if index >= first else None for index in range(layers))
    if not isinstance(kinds, list) or len(kinds) != layers or not all(kind in KINDS for kind in kinds):
        raise config.error("layer_types", f"must name one of {', '.join(KINDS)} for each of {layers} layers")
    return tuple(window if kind == "sliding_attention" else None for kind in kinds)


QWEN2 = LLAMA.but(
    "Qwen2ForCausalLM", "qwen2", qkv_bias=True, o_bias=False, mlp_bias=False, windows=windows_if_switched_on
)
QWEN3 = LLAMA.but(
    "Qwen3ForCausalLM", "qwen3", head_dim=128, qk_norm="head", mlp_bias=False, windows=windows_if_switched_on
)

DECLARATIONS = (QWEN2, QWEN3)
