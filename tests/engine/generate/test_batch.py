"""From work to tensors."""

from __future__ import annotations

import torch

from engine.cache.manager import CacheManager
from engine.generate.batch import make_batch
from engine.generate.scheduler import Work
from engine.generate.sequence import Sequence

CPU = torch.device("cpu")


def sequence(id: str, length: int, computed: int, manager: CacheManager) -> Sequence:
    made = Sequence(id, list(range(1000, 1000 + length)), length, length + 10, computed=computed)
    made.lease = manager.open(made.tokens)
    assert made.lease is not None and manager.grow(made.lease, length)
    return made


def test_tokens_of_several_sequences_lie_side_by_side() -> None:
    manager = CacheManager(8)
    reading, decoding = sequence("a", 300, 250, manager), sequence("b", 5, 4, manager)
    assert reading.lease and decoding.lease
    batch = make_batch([Work(reading, 20), Work(decoding, 1)], CPU)
    assert batch.tokens.tolist() == [*range(1250, 1270), 1004]
    assert batch.positions.tolist() == [*range(250, 270), 4]
    first, second = reading.lease.pages
    expected = [first * 256 + at for at in range(250, 256)] + [second * 256 + at for at in range(14)]
    assert batch.slots.tolist() == [*expected, decoding.lease.pages[0] * 256 + 4]
    assert batch.attention.query_lens == (20, 1) and batch.attention.kv_lens == (270, 5)


def test_only_work_that_reaches_its_end_is_sampled() -> None:
    manager = CacheManager(8)
    reading, ending, decoding = (sequence(id, n, c, manager) for id, n, c in (("a", 9, 0), ("b", 7, 2), ("c", 3, 2)))
    works = [Work(reading, 4), Work(ending, 5), Work(decoding, 1)]
    batch = make_batch(works, CPU)
    assert batch.sampling == (works[1], works[2])
    assert batch.rows.tolist() == [8, 9]
    assert batch.tokens[batch.rows].tolist() == [1006, 1002]


def test_nobody_sampled_is_an_empty_list_of_rows() -> None:
    batch = make_batch([Work(sequence("a", 9, 0, CacheManager(2)), 4)], CPU)
    assert batch.rows.shape == (0,) and batch.sampling == ()
