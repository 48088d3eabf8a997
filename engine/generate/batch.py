"""From the scheduler's work to the tensors of one step."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.generate.scheduler import Work
from engine.layers.context import AttentionBatch
from engine.plan.plan import PAGE_TOKENS


@dataclass(frozen=True, slots=True)
class Batch:
    """Arguments of Model.forward. sampling: the work of each of `rows`, in order."""

    tokens: Tensor
    positions: Tensor
    slots: Tensor
    attention: AttentionBatch
    rows: Tensor
    sampling: tuple[Work, ...]


def make_batch(works: list[Work], device: torch.device) -> Batch:
    """Lays the works' tokens one after the other."""
    tokens: list[int] = []
    positions: list[int] = []
    slots: list[int] = []
    rows: list[int] = []
    tables: list[list[int]] = []
    for work in works:
        sequence, end = work.sequence, work.start + work.count
        assert sequence.lease is not None
        pages = sequence.lease.pages
        tokens += sequence.tokens[work.start : end]
        positions += range(work.start, end)
        slots += [pages[at // PAGE_TOKENS] * PAGE_TOKENS + at % PAGE_TOKENS for at in range(work.start, end)]
        tables.append(pages)
        if work.samples:
            rows.append(len(tokens) - 1)
    attention = AttentionBatch.make(
        page_tables=tables,
        query_lens=[work.count for work in works],
        kv_lens=[work.start + work.count for work in works],
        device=device,
    )

    def ids(values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int64, device=device)

    sampling = tuple(work for work in works if work.samples)
    return Batch(ids(tokens), ids(positions), ids(slots), attention, ids(rows), sampling)
