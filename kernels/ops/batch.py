"""AttentionBatch: how the tokens of a step belong to sequences, and which pages those have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kernels.ops.checks import refuse


@dataclass(frozen=True, slots=True, eq=False)
class AttentionBatch:
    """S sequences of a step. The lengths stand twice, as tensors on the device and as integers of the host,
    so that no implementation must wait for a card to learn a shape.

    page_table: int32 [S, most pages], filled with 0 behind each row's end. query_start: int32 [S + 1], where each
    sequence's queries begin; the last is T. kv_len: int32 [S], keys of each, those of this step included; its
    queries are the latest of these positions. query_lens, kv_lens: the same as integers. longest: of kv_lens.
    tokens: T, the sum of query_lens.
    """

    page_table: Tensor
    query_start: Tensor
    kv_len: Tensor
    query_lens: tuple[int, ...]
    kv_lens: tuple[int, ...]
    tokens: int
    longest: int

    @staticmethod
    def make(
        *,
        page_tables: Sequence[Sequence[int]],
        query_lens: Sequence[int],
        kv_lens: Sequence[int],
        device: torch.device,
    ) -> AttentionBatch:
        """page_tables: of each sequence, its pages in order; pages behind the last key are welcome."""
        _check(page_tables, query_lens, kv_lens)
        most = max(map(len, page_tables), default=0)
        rows = [[*pages, *[0] * (most - len(pages))] for pages in page_tables]
        starts = [0]
        for length in query_lens:
            starts.append(starts[-1] + length)

        def ints(values: Sequence[object]) -> Tensor:
            return torch.tensor(values, dtype=torch.int32, device=device)

        return AttentionBatch(
            page_table=ints(rows).view(len(rows), most),
            query_start=ints(starts),
            kv_len=ints(kv_lens),
            query_lens=tuple(query_lens),
            kv_lens=tuple(kv_lens),
            tokens=starts[-1],
            longest=max(kv_lens, default=0),
        )


def _check(page_tables: Sequence[Sequence[int]], query_lens: Sequence[int], kv_lens: Sequence[int]) -> None:
    if not len(page_tables) == len(query_lens) == len(kv_lens):
        lengths = f"{len(page_tables)}, {len(query_lens)} and {len(kv_lens)}"
        refuse("AttentionBatch", f"page_tables, query_lens and kv_lens are of {lengths} sequences")
    for index, (pages, queries, keys) in enumerate(zip(page_tables, query_lens, kv_lens, strict=True)):
        if not 0 <= queries <= keys:
            refuse("AttentionBatch", f"sequence {index} has {queries} queries and {keys} keys, its own included")
        if keys and not pages:
            refuse("AttentionBatch", f"sequence {index} has {keys} keys and no pages")
