"""attention: every implementation against the definition in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels import AttentionBatch
from kernels.aten import attention as aten
from kernels.native.attention import MOST_QUERIES, attention_rows
from kernels.reference.attention import attention as reference
from tests.kernels.processor import CPU, FLOATS, isas, worst

if TYPE_CHECKING:
    from kernels._native import Isa

every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)
every_dtype = pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: str(dtype)[6:])
PAGE = 256
EXACT = 3e-6


class Case:
    """Random queries, and random caches whose pages are dealt out in no order; pages nobody has hold NaN."""

    def __init__(
        self,
        query_lens: Sequence[int],
        kv_lens: Sequence[int],
        dtype: torch.dtype = torch.float32,
        heads: tuple[int, int] = (4, 2),
        dim: int = 16,
        page: int = PAGE,
    ) -> None:
        generator = torch.Generator().manual_seed(sum(kv_lens) + dim)
        needed = [-(-keys // page) for keys in kv_lens]
        pages = torch.randperm(sum(needed) + 2, generator=generator).tolist()
        tables = [[pages.pop() for _ in range(count)] for count in needed]
        shape = (sum(needed) + 2, page, heads[1], dim)
        self.k, self.v = (torch.full(shape, torch.nan, dtype=dtype) for _ in range(2))
        for table, keys in zip(tables, kv_lens, strict=True):
            for cache in (self.k, self.v):
                rows = torch.randn(keys, heads[1], dim, generator=generator).to(dtype)
                for page_id, part in zip(table, torch.split(rows, page), strict=False):
                    cache[page_id, : len(part)] = part
        self.batch = AttentionBatch.make(page_tables=tables, query_lens=query_lens, kv_lens=kv_lens, device=CPU)
        self.q = torch.randn(self.batch.tokens, heads[0], dim, generator=generator)

    def run(self, op: Callable[..., Tensor], window: int | None = None, q: Tensor | None = None) -> Tensor:
        return op(self.q if q is None else q, self.k, self.v, self.batch, scale=0.3, window=window)

    def expected(self, window: int | None = None) -> Tensor:
        return self.run(reference, window, self.q.double())


def rows_of(isa: Isa) -> Callable[..., Tensor]:
    return lambda *args, **kwargs: attention_rows(isa, *args, **kwargs)


def test_the_definition_is_the_softmax_of_what_is_seen() -> None:
    """Written out for one head and one query, against a different formulation."""
    case = Case([2], [5], heads=(1, 1), dim=3)
    page = int(case.batch.page_table[0, 0])
    k, v = case.k[page, :5, 0], case.v[page, :5, 0]
    for row, seen in ((0, slice(0, 4)), (1, slice(0, 5))):
        weights = torch.exp(0.3 * (k[seen] @ case.q[row, 0]))
        torch.testing.assert_close(case.run(reference)[row, 0], weights @ v[seen] / weights.sum())
    for row, seen in ((0, slice(2, 4)), (1, slice(3, 5))):
        weights = torch.exp(0.3 * (k[seen] @ case.q[row, 0]))
        torch.testing.assert_close(case.run(reference, window=2)[row, 0], weights @ v[seen] / weights.sum())


@every_isa
@every_dtype
@pytest.mark.parametrize("keys", [1, 2, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1300])
def test_keys_at_the_borders_of_blocks_pages_and_splits(isa: Isa, dtype: torch.dtype, keys: int) -> None:
    case = Case([1], [keys], dtype)
    assert worst(case.run(rows_of(isa)), case.expected()) < EXACT


@every_isa
@pytest.mark.parametrize("dim", [1, 8, 20, 64, 80, 128, 256])
@pytest.mark.parametrize("heads", [(1, 1), (3, 1), (9, 3), (8, 2), (8, 1), (5, 1)])
def test_groups_and_head_sizes(isa: Isa, heads: tuple[int, int], dim: int) -> None:
    case = Case([2, 1], [70, 9], heads=heads, dim=dim)
    assert worst(case.run(rows_of(isa)), case.expected()) < EXACT


@every_isa
@every_dtype
@pytest.mark.parametrize("keys", [15, 16, 17, 32, 33])
@pytest.mark.parametrize("queries", [1, 8])
def test_c062_a_window_of_16_at_its_border(isa: Isa, dtype: torch.dtype, keys: int, queries: int) -> None:
    """C062: sliding windows that are off by one at exactly the window, or see garbage past it."""
    case = Case([queries], [keys], dtype)
    for op in (rows_of(isa), aten.attention):
        assert worst(case.run(op, window=16), case.expected(window=16)) < EXACT
    assert (keys > 16) == (not torch.equal(case.run(rows_of(isa), window=16), case.run(rows_of(isa))))


@every_isa
@pytest.mark.parametrize("window", [1, 63, 64, 65, 256, 300, 600, 601, 5000])
def test_a_window_that_ends_at_within_and_beyond_blocks_and_pages(isa: Isa, window: int) -> None:
    case = Case([1, 3, 8], [600, 40, 320])
    assert worst(case.run(rows_of(isa), window), case.expected(window)) < EXACT
    assert worst(case.run(aten.attention, window), case.expected(window)) < EXACT


@every_isa
@settings(deadline=None, max_examples=25)
@given(
    data=st.data(),
    window=st.none() | st.integers(1, 700),
    page=st.sampled_from([64, 256]),
    dtype=st.sampled_from(FLOATS),
)
def test_any_batch(isa: Isa, data: st.DataObject, window: int | None, page: int, dtype: torch.dtype) -> None:
    lens = data.draw(st.lists(st.tuples(st.integers(0, MOST_QUERIES), st.integers(0, 600)), max_size=4))
    case = Case([q for q, _ in lens], [q + past for q, past in lens], dtype, page=page)
    assert worst(case.run(rows_of(isa), window), case.expected(window)) < EXACT


@settings(deadline=None, max_examples=25)
@given(data=st.data(), window=st.none() | st.integers(1, 500), dtype=st.sampled_from(FLOATS))
def test_the_op_takes_long_and_short_sequences_together(
    data: st.DataObject, window: int | None, dtype: torch.dtype
) -> None:
    lens = data.draw(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1, max_size=4))
    case = Case([q for q, _ in lens], [q + past for q, past in lens], dtype)
    for op in (kernels.attention, aten.attention):
        assert worst(case.run(op, window), case.expected(window)) < EXACT


@every_isa
@every_dtype
def test_a_row_is_the_same_bits_in_every_batch(isa: Isa, dtype: torch.dtype) -> None:
    """Alone, beside other sequences, and as one of several queries of its own sequence."""
    whole = Case([5, 1], [600, 33], dtype)
    rows = whole.run(rows_of(isa), window=550)
    table = whole.batch.page_table[0].tolist()
    for row in range(5):
        keys = 596 + row
        alone = AttentionBatch.make(page_tables=[table], query_lens=[1], kv_lens=[keys], device=CPU)
        found = attention_rows(isa, whole.q[row : row + 1], whole.k, whole.v, alone, scale=0.3, window=550)
        assert torch.equal(found[0], rows[row])


@every_isa
def test_a_result_is_the_same_bits_with_any_number_of_threads(isa: Isa, set_threads: None) -> None:
    case = Case([1, 2, 1], [1500, 700, 3], torch.bfloat16)
    kernels.set_threads(1)
    alone = case.run(rows_of(isa))
    for threads in (2, 3, 5):
        kernels.set_threads(threads)
        assert torch.equal(case.run(rows_of(isa)), alone)


@pytest.mark.parametrize("lens", [([1], [300]), ([40, 2], [40, 258])])
def test_what_is_not_seen_has_no_effect(lens: tuple[list[int], list[int]]) -> None:
    """Stale entries behind the last key of a page, and other pages, hold NaN here; neither may be read as a number."""
    case = Case(*lens)
    assert bool(case.run(kernels.attention).isfinite().all())


@every_isa
def test_nan_in_a_key_reaches_only_those_who_see_it(isa: Isa) -> None:
    case = Case([4, 1], [100, 20])
    page = int(case.batch.page_table[0, 0])
    case.k[page, 98, 1], case.v[page, 10, 0] = torch.nan, torch.nan
    found = case.run(rows_of(isa), window=88)
    bad = ~found.isfinite().all(-1)
    expected = torch.zeros(5, 4, dtype=torch.bool)
    expected[2:4, 2:] = True  # positions 98 and 99 see key 98, by the heads of the second key head
    expected[:1, :2] = True  # only position 96 and those before see key 10 within 88 positions
    expected[1, :2] = True
    assert torch.equal(bad, expected)


@every_isa
def test_scores_far_apart_neither_overflow_nor_vanish(isa: Isa) -> None:
    case = Case([1], [700])
    case.q *= 400
    assert worst(case.run(rows_of(isa)), case.expected()) < 1e-4


@every_isa
def test_an_empty_batch(isa: Isa) -> None:
    for case in (Case([], []), Case([0], [10])):
        assert case.run(rows_of(isa)).shape == (0, 4, 16) == case.run(kernels.attention).shape


@every_isa
def test_pages_that_do_not_exist_are_refused_before_memory_is_touched(isa: Isa) -> None:
    case = Case([1], [300])
    for page in (-1, 99):
        case.batch.page_table[0, 1] = page
        with pytest.raises(ValueError, match="page_table names a page that the caches do not have"):
            case.run(rows_of(isa))


def test_queries_that_are_not_contiguous_go_to_torch() -> None:
    case = Case([2], [30])
    strided = torch.randn(2, 16, 4).transpose(1, 2)
    case.q = strided
    assert worst(case.run(kernels.attention), case.expected()) < EXACT


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"q": torch.zeros(2, 4, 16)}, r"q must be \[3, heads, head_dim\].*\[2, 4, 16\]"),
        ({"q": torch.zeros(3, 5, 16)}, "multiple of the caches' heads"),
        ({"q": torch.zeros(3, 4, 8)}, "head_dim of q"),
        ({"q": torch.zeros(3, 4, 16, dtype=torch.int32)}, "int32"),
        ({"k": torch.zeros(2, PAGE, 2, 16, dtype=torch.float16)}, "float16"),
        ({"k": torch.zeros(2, PAGE, 2, 16, device="meta")}, "one device"),
        ({"k": torch.zeros(2, PAGE, 16, 2).transpose(2, 3)}, "contiguous"),
        ({"k": torch.zeros(2, 4, 2, 16), "v": torch.zeros(2, 4, 2, 16)}, "10 keys do not fit"),
        ({"window": 0}, "window must be 1 or more, not 0"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Tensor], says: str) -> None:
    batch = AttentionBatch.make(page_tables=[[0]], query_lens=[3], kv_lens=[10], device=CPU)
    cache = torch.zeros(2, PAGE, 2, 16)
    given = {"q": torch.zeros(3, 4, 16), "k": cache, "v": cache, "window": None, **change}
    with pytest.raises(ValueError, match=says):
        kernels.attention(given["q"], given["k"], given["v"], batch, scale=1.0, window=given["window"])  # type: ignore[arg-type]
