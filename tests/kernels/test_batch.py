"""AttentionBatch: what it is made of."""

from __future__ import annotations

import pytest
import torch

from kernels import AttentionBatch
from tests.kernels.processor import CPU


def test_rows_of_different_length_are_filled_up() -> None:
    batch = AttentionBatch.make(page_tables=[[4], [], [2, 7, 1]], query_lens=[1, 0, 5], kv_lens=[9, 0, 600], device=CPU)
    assert batch.page_table.tolist() == [[4, 0, 0], [0, 0, 0], [2, 7, 1]]
    assert batch.query_start.tolist() == [0, 1, 1, 6] and batch.kv_len.tolist() == [9, 0, 600]
    assert {batch.page_table.dtype, batch.query_start.dtype, batch.kv_len.dtype} == {torch.int32}
    assert (batch.query_lens, batch.kv_lens, batch.tokens, batch.longest) == ((1, 0, 5), (9, 0, 600), 6, 600)


def test_no_sequences() -> None:
    batch = AttentionBatch.make(page_tables=[], query_lens=[], kv_lens=[], device=CPU)
    assert batch.page_table.shape == (0, 0) and batch.query_start.tolist() == [0] and batch.tokens == 0


@pytest.mark.parametrize(
    ("tables", "queries", "keys", "says"),
    [
        ([[0]], [1, 1], [1], "of 1, 2 and 1 sequences"),
        ([[0], [1]], [1, 3], [1, 2], "sequence 1 has 3 queries and 2 keys"),
        ([[0]], [-1], [2], "sequence 0 has -1 queries"),
        ([[]], [1], [1], "sequence 0 has 1 keys and no pages"),
    ],
)
def test_lengths_that_do_not_belong_together(
    tables: list[list[int]], queries: list[int], keys: list[int], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        AttentionBatch.make(page_tables=tables, query_lens=queries, kv_lens=keys, device=CPU)
