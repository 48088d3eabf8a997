"""Llama (Touvron et al. 2023, arXiv 2302.13971): what the others are diffs of."""

from __future__ import annotations

from engine.spec.declare import Declaration

LLAMA = Declaration("LlamaForCausalLM", "llama")

DECLARATIONS = (LLAMA,)
