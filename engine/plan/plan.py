"""Wishes in, Plan out. The loader executes exactly the Plan that people were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PAGE_TOKENS = 256  # tokens in a page of the KV cache, everywhere

DType = Literal["float32", "bfloat16", "float16"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person asks of a load; the solver fills in what is left open.

    context: most tokens of one conversation; None: the model's own, less if memory is short.
    cache_tokens: size of the shared KV pool in tokens; None: one full context.
    device: "auto", "cpu" or "cuda:N". dtype of weights: "auto" keeps the checkpoint's.
    threads: of the processor; None: one less than its cores, so that the window stays smooth.
    """

    context: int | None = None
    cache_tokens: int | None = None
    device: str = "auto"
    dtype: DType | Literal["auto"] = "auto"
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on one device, by what they are for."""

    weights: int
    cache: int
    workspace: int

    @property
    def total(self) -> int:
        return self.weights + self.cache + self.workspace


@dataclass(frozen=True, slots=True)
class Plan:
    """How a model is loaded.

    device: of all layers (one device so far). dtype: of the weights; cache_dtype: of keys and values.
    context: most tokens of one conversation. pages: of PAGE_TOKENS tokens, shared by all conversations.
    chunk: most tokens computed in one step. reasons: what was decided and why, one sentence each.
    """

    device: str
    dtype: DType
    cache_dtype: DType
    context: int
    pages: int
    chunk: int
    threads: int
    memory: Memory
    reasons: tuple[str, ...] = ()
