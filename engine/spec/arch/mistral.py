"""Mistral (Jiang et al. 2023, arXiv 2310.06825): no biases, a window in every layer where the file gives one."""

from __future__ import annotations

from engine.spec.arch.llama import LLAMA
from engine.spec.config import Config


def window_everywhere(config: Config, layers: int) -> tuple[int | None, ...]:
    return (config.integer("sliding_window", None),) * layers


MISTRAL = LLAMA.but(
    "MistralForCausalLM", "mistral", qkv_bias=False, o_bias=False, mlp_bias=False, windows=window_everywhere
)

DECLARATIONS = (MISTRAL,)
