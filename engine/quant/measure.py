"""Perplexity, and the distance of one model's predictions from another's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.cache.manager import pages_for
from engine.errors import InvalidRequest
from engine.layers.context import AttentionBatch
from engine.model.model import Model

CHUNK = 256  # positions whose logits are held at a time


@dataclass(frozen=True, slots=True)
class Quality:
    """Over `tokens` predictions. kl: mean KL(reference ‖ model) in nats; agreement: share of equal argmax.
    Both None without a reference."""

    tokens: int
    perplexity: float
    kl: float | None = None
    agreement: float | None = None


@dataclass(slots=True)
class _Sums:
    nll: float = 0.0
    predictions: int = 0
    kl: float = 0.0
    agreeing: int = 0
    positions: int = 0

    def add(self, logits: Tensor, targets: Tensor, reference: Tensor | None) -> None:
        """logits, reference: [T, vocab]. targets: the tokens that follow; one fewer at the end of a row."""
        log_p = torch.log_softmax(logits.double(), dim=-1)
        self.nll -= float(log_p[: len(targets)].gather(1, targets[:, None]).sum())
        self.predictions += len(targets)
        if reference is None:
            return
        log_q = torch.log_softmax(reference.double(), dim=-1)
        self.kl += float((log_q.exp() * (log_q - log_p)).sum())
        self.agreeing += int((logits.argmax(1) == reference.argmax(1)).sum())
        self.positions += len(logits)

    def quality(self) -> Quality:
        perplexity = math.exp(self.nll / self.predictions)
        if not self.positions:
            return Quality(self.predictions, perplexity)
        return Quality(self.predictions, perplexity, self.kl / self.positions, self.agreeing / self.positions)


def logits_of(model: Model, tokens: Tensor, chunk: int = CHUNK) -> Iterator[Tensor]:
    """Logits of every position of one text, float32 [≤ chunk, vocab] at a time, on the CPU.

    tokens: int64 [T]. Uses the first pages of the model's cache, from the first position on.
    """
    length, device = len(tokens), model.device
    pages = list(range(pages_for(length)))
    if len(pages) > model.cache.keys[0].shape[0]:
        raise InvalidRequest("ids", f"a row of {length} tokens does not fit into the loaded context")
    for start in range(0, length, chunk):
        end = min(start + chunk, length)
        at = torch.arange(start, end, device=device)
        batch = AttentionBatch.make(page_tables=[pages], query_lens=[end - start], kv_lens=[end], device=device)
        yield model.forward(tokens[start:end].to(device), at, at, batch).cpu()


def measure(model: Model, rows: Tensor, reference: Model | None = None) -> Iterator[Quality]:
    """Quality after each row; the last one is the result. rows: int64 [N, T]."""
    vocab = model.embedding.vocab
    if rows.numel() and int(rows.max()) >= vocab:
        raise InvalidRequest("ids", f"holds token {int(rows.max())}, the vocabulary has {vocab}")
    if rows.shape[1] < 2:
        raise InvalidRequest("ids", "needs rows of at least two tokens")
    if reference and reference.embedding.vocab != vocab:
        raise InvalidRequest("reference", "has another vocabulary than the model, so they cannot be compared")
    sums = _Sums()
    for row in rows:
        theirs = logits_of(reference, row) if reference else None
        for index, ours in enumerate(logits_of(model, row)):
            targets = row[index * CHUNK + 1 : (index + 1) * CHUNK + 1]
            sums.add(ours, targets, next(theirs) if theirs else None)
        yield sums.quality()
