"""write_kv: every implementation against the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels.native.rows import write_kv_by
from kernels.reference.kv import write_kv as reference
from tests.kernels.processor import FLOATS, isas

if TYPE_CHECKING:
    from kernels._native import Isa

every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)
every_dtype = pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: str(dtype)[6:])


def caches(dtype: torch.dtype, heads: int = 2, dim: int = 5) -> tuple[Tensor, Tensor]:
    return tuple(torch.full((3, 256, heads, dim), 7.0, dtype=dtype) for _ in range(2))  # type: ignore[return-value]


def test_the_definition_writes_the_slots_and_nothing_else() -> None:
    k, v = torch.arange(20.0).view(2, 2, 5), -torch.arange(20.0).view(2, 2, 5)
    k_cache, v_cache = caches(torch.float32)
    reference(k, v, k_cache, v_cache, torch.tensor([255, 512]))
    assert torch.equal(k_cache[0, 255], k[0]) and torch.equal(v_cache[2, 0], v[1])
    assert int((k_cache != 7).any(-1).any(-1).sum()) == 2


@every_isa
@every_dtype
@settings(deadline=None, max_examples=30)
@given(slots=st.lists(st.integers(0, 767), unique=True, max_size=8), heads=st.integers(1, 3), dim=st.integers(1, 40))
def test_any_slots_and_sizes(isa: Isa, dtype: torch.dtype, slots: list[int], heads: int, dim: int) -> None:
    k, v = torch.randn(len(slots), heads, dim), torch.randn(len(slots), heads, dim)
    found, expected = caches(dtype, heads, dim), caches(dtype, heads, dim)
    where = torch.tensor(slots, dtype=torch.int64)
    write_kv_by(isa, k, v, *found, where)
    reference(k, v, *expected, where)
    assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])


@every_isa
@every_dtype
def test_every_kind_of_float_is_rounded_as_torch_does(isa: Isa, dtype: torch.dtype) -> None:
    """Ties, subnormal results, overflow to infinity, infinities and NaN, by their bits."""
    high = torch.arange(0, 2**16, dtype=torch.int32) << 16
    bits = torch.cat([high + low for low in (0, 1, 0x0FFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001, 0xFFFF)])
    values = bits.view(torch.float32)
    found, expected = (torch.zeros(1, 256, len(values) // 256, 1, dtype=dtype) for _ in range(2))
    slots, k = torch.arange(256), values.view(256, -1, 1)
    write_kv_by(isa, k, k, found, found, slots)
    reference(k, k, expected, expected, slots)
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


@every_isa
@pytest.mark.parametrize("slot", [-1, 768, 2**40])
def test_slots_that_do_not_exist_are_refused_before_memory_is_touched(isa: Isa, slot: int) -> None:
    k = torch.zeros(2, 2, 5)
    k_cache, v_cache = caches(torch.float32)
    with pytest.raises(ValueError, match="slots names a place that the caches do not have"):
        write_kv_by(isa, k, k, k_cache, v_cache, torch.tensor([0, slot]))
    assert bool((k_cache == 7).all())


@every_dtype
def test_the_op_takes_views(dtype: torch.dtype) -> None:
    k, v = torch.randn(4, 5, 2).transpose(1, 2), torch.randn(4, 2, 5)
    found, expected, slots = caches(dtype), caches(dtype), torch.tensor([9, 8, 7, 300])
    kernels.write_kv(k, v, *found, slots)
    reference(k, v, *expected, slots)
    assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"v": torch.zeros(1, 2, 4)}, r"k: \[1, 2, 5\] float32 on cpu, v: \[1, 2, 4\]"),
        ({"k_cache": torch.zeros(3, 256, 2, 6)}, "the heads of k"),
        ({"k_cache": torch.zeros(3, 256, 2, 5).half()}, "one floating dtype"),
        ({"k_cache": torch.zeros(3, 256, 5, 2).transpose(2, 3)}, "contiguous"),
        ({"slots": torch.zeros(1, dtype=torch.int32)}, "slots must be int64"),
        ({"slots": torch.zeros(2, dtype=torch.int64)}, "slots must be int64"),
        ({"slots": torch.zeros(1, dtype=torch.int64, device="meta")}, "one device"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Tensor], says: str) -> None:
    k_cache, v_cache = caches(torch.float32)
    given = {"k": torch.zeros(1, 2, 5), "v": torch.zeros(1, 2, 5), "k_cache": k_cache, "v_cache": v_cache}
    given["slots"] = torch.zeros(1, dtype=torch.int64)
    with pytest.raises(ValueError, match=says):
        kernels.write_kv(**(given | change))
