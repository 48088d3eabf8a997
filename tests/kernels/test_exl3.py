"""exl3_linear by the compiled kernels: every codebook, rate and instruction set against the definition."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels.native import exl3 as native
from kernels.reference import exl3 as reference
from kernels.reference.trellis import RATES, pack
from tests.golden_tensors import NAMES, golden
from tests.kernels.processor import isas, worst

if TYPE_CHECKING:
    from kernels._native import Isa

CASES = [(codebook, rate) for codebook in native.CODEBOOKS for rate in RATES if codebook == "mul1" or rate == int(rate)]
Way = Callable[..., Tensor]
EXACT = 1e-6
every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)
every_case = pytest.mark.parametrize(("codebook", "rate"), CASES, ids=lambda value: f"{value}")
every_codebook = pytest.mark.parametrize("codebook", list(native.CODEBOOKS))
every_way = pytest.mark.parametrize("way", [native.packed, native.decoded], ids=["packed", "decoded"])


def weight(inner: int, outer: int, rate: float, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Any bits are a weight: trellis, suh and svh of random ones."""
    generator = torch.Generator().manual_seed(seed + inner * 31 + outer + int(2 * rate))
    tiles = (inner // 16, outer // 16, int(16 * rate))
    trellis = torch.randint(-(2**15), 2**15, tiles, dtype=torch.int16, generator=generator)
    suh, svh = (torch.randn(size, generator=generator).half() for size in (inner, outer))
    return trellis, suh, svh


def inputs(rows: int, size: int) -> Tensor:
    return torch.randn(rows, size, generator=torch.Generator().manual_seed(rows * 7919 + size))


@every_isa
@every_case
def test_tiles_decode_to_the_bits_of_the_definition(isa: Isa, codebook: str, rate: float) -> None:
    trellis, _, _ = weight(128, 256, rate)
    assert torch.equal(native.decode(isa, trellis, codebook), reference.decode(trellis, codebook).float())


@every_isa
@pytest.mark.parametrize("name", NAMES)
def test_golden_tensors(isa: Isa, name: str) -> None:
    """Tiles bit for bit; the other engine's product within what it rounds to float16."""
    one = golden(name)
    inner = native.decode(isa, one.trellis, one.codebook).half()
    assert hashlib.sha256(inner.numpy().tobytes()).hexdigest() == one.inner
    for fast in (False, True)[: 1 + (one.codebook == "mul1")]:
        y = native.packed(isa, one.x.float(), one.trellis, one.suh, one.svh, codebook=one.codebook, fast=fast)
        assert float((y - one.y.float()).norm() / one.y.float().norm()) < 6e-4


@every_isa
@every_codebook
def test_every_state_of_a_codebook(isa: Isa, codebook: str) -> None:
    """At eight bits two neighbours make any state: 65536 of them at even positions, in 512 tiles."""
    states = torch.arange(2**16, dtype=torch.int32).view(512, 128)
    ring = torch.stack((states >> 8, states), -1).view(512, 256)
    trellis = pack(ring, 8).view(8, 64, 128)
    assert torch.equal(native.decode(isa, trellis, codebook), reference.decode(trellis, codebook).float())


@every_isa
@every_case
@every_way
def test_the_product(isa: Isa, codebook: str, rate: float, way: Way) -> None:
    args = weight(256, 128, rate)
    x, bias = inputs(3, 256), torch.randn(128)
    y = way(isa, x, *args, codebook=codebook, bias=bias)
    assert worst(y, reference.exl3_linear(x.double(), *args, codebook=codebook, bias=bias)) < EXACT


@every_isa
@settings(deadline=None, max_examples=40)
@given(
    rows=st.integers(1, 70),
    inner=st.integers(1, 520),
    outer=st.integers(1, 520),
    case=st.sampled_from(CASES),
    bias=st.booleans(),
    seed=st.integers(0, 99),
)
def test_products_of_any_shape(
    isa: Isa, rows: int, inner: int, outer: int, case: tuple[str, float], bias: bool, seed: int
) -> None:
    codebook, rate = case
    args = weight(-(-inner // 128) * 128, -(-outer // 128) * 128, rate, seed)
    x, offset = inputs(rows, inner), torch.randn(outer) if bias else None
    way = native.packed if rows <= native.MOST_ROWS else native.decoded
    y = way(isa, x, *args, codebook=codebook, bias=offset, out_features=outer)
    right = reference.exl3_linear(x.double(), *args, codebook=codebook)  # of a few outputs all may be small
    wanted = right[:, :outer] + (0 if offset is None else offset)
    assert float((y - wanted).abs().max()) < EXACT * float(torch.cat((right, wanted), 1).abs().max())


@every_isa
@every_codebook
def test_a_row_is_the_same_bits_in_every_batch(isa: Isa, codebook: str) -> None:
    args, x = weight(256, 128, 3), inputs(64, 250)
    alone = torch.cat([native.packed(isa, x[row : row + 1], *args, codebook=codebook) for row in range(64)])
    for rows in (*range(1, 18), 31, 63, 64):
        assert torch.equal(native.packed(isa, x[:rows], *args, codebook=codebook), alone[:rows]), f"{rows} rows"


@every_isa
@every_way
def test_a_result_is_the_same_bits_with_any_number_of_threads(isa: Isa, way: Way, set_threads: None) -> None:
    args, x = weight(512, 1024, 2.5), inputs(40, 512)
    kernels.set_threads(1)
    alone = way(isa, x, *args, codebook="mul1")
    for threads in (2, 3):
        kernels.set_threads(threads)
        y = way(isa, x, *args, codebook="mul1")
        assert torch.equal(y, alone) if way is native.packed else worst(y, alone) < EXACT


@every_isa
def test_decoding_in_several_strips(isa: Isa, monkeypatch: pytest.MonkeyPatch) -> None:
    args, x = weight(256, 640, 4), inputs(70, 256)
    monkeypatch.setattr(native, "DECODED", 256 * 96)
    y = native.decoded(isa, x, *args, codebook="mcg", out_features=600)
    assert worst(y, reference.exl3_linear(x.double(), *args, codebook="mcg", out_features=600)) < EXACT


@every_isa
@every_case
def test_a_tensor_that_ends_where_its_memory_does(isa: Isa, codebook: str, rate: float) -> None:
    """Tiles may begin at any stored word, and no word beyond the last may count."""
    trellis, suh, svh = weight(128, 128, rate)
    room = torch.full((trellis.numel() + 64,), -1, dtype=torch.int16)
    room[2 : 2 + trellis.numel()] = trellis.flatten()
    shifted, x = room[2 : 2 + trellis.numel()].view_as(trellis), inputs(2, 128)
    right = native.packed(isa, x, trellis, suh, svh, codebook=codebook)
    assert torch.equal(native.packed(isa, x, shifted, suh, svh, codebook=codebook), right)


@every_isa
def test_what_lies_beyond_the_inputs_is_zero(isa: Isa) -> None:
    """Padded rows of the weight hold noise; x ends before, in the middle of a row of a larger tensor."""
    args, x = weight(256, 128, 3), torch.full((4, 256), torch.nan)
    x[:, :130] = inputs(4, 130)
    y = native.packed(isa, x[:, :130].contiguous(), *args, codebook="mul1")
    assert worst(y, reference.exl3_linear(x[:, :130].double(), *args, codebook="mul1")) < EXACT


@every_isa
@every_way
def test_nan_and_infinity_stay_in_their_row(isa: Isa, way: Way) -> None:
    args, x = weight(128, 256, 2), inputs(4, 128)
    x[1, 100], x[2, 3] = torch.nan, torch.inf
    y = way(isa, x, *args, codebook="mul1")
    assert y[[0, 3]].isfinite().all() and not y[[1, 2]].isfinite().any()


@every_isa
def test_scales_of_any_size_and_sign(isa: Isa) -> None:
    """svh is 0 in padded outputs, suh may be subnormal."""
    trellis, suh, svh = weight(128, 128, 5)
    svh[64:], suh[7], suh[8] = 0, 6e-8, -65504
    x = inputs(2, 128)
    y = native.packed(isa, x, trellis, suh, svh, codebook="3inst")
    assert not y[:, 64:].any()
    assert worst(y, reference.exl3_linear(x.double(), trellis, suh, svh, codebook="3inst")) < EXACT


@pytest.mark.parametrize("rows", [0, 1, 64, 65])
def test_the_op_takes_the_compiled_kernels(rows: int) -> None:
    args, x = weight(256, 128, 3), inputs(rows, 200)
    y = kernels.exl3_linear(x, *args, codebook="mul1", out_features=100)
    assert y.shape == (rows, 100)
    if rows:
        assert worst(y, reference.exl3_linear(x.double(), *args, codebook="mul1", out_features=100)) < EXACT
    if isas():
        assert kernels.explain("exl3_linear", x, *args, codebook="mul1").taken == "compiled"


def test_what_the_compiled_kernels_leave_to_the_definition() -> None:
    args, x = weight(128, 128, 2), inputs(2, 128)
    half_rate = weight(128, 128, 2.5)
    for one, tensors, codebook in (
        (x.bfloat16(), args, "mul1"),
        (x.T.contiguous().T, args, "mul1"),
        (x, half_rate, "mcg"),
    ):
        y = kernels.exl3_linear(one, *tensors, codebook=codebook)
        assert torch.equal(y, reference.exl3_linear(one, *tensors, codebook=codebook))
        assert kernels.explain("exl3_linear", one, *tensors, codebook=codebook).taken == "reference"


@every_isa
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("rows", [1, 2, 5, 13, 64])
def test_the_fast_product_is_off_by_less_than_a_tenth_of_a_percent(isa: Isa, rate: float, rows: int) -> None:
    args, x = weight(512, 256, rate), inputs(rows, 500)
    y = native.packed(isa, x, *args, codebook="mul1", out_features=200, fast=True)
    right = reference.exl3_linear(x.double(), *args, codebook="mul1", out_features=200)
    assert float((y - right).norm() / right.norm()) < 1e-3


@every_isa
def test_the_fast_product_of_inputs_of_very_different_sizes(isa: Isa) -> None:
    """A scale for every sixteen transformed inputs: a block of large values costs its neighbours nothing."""
    args, x = weight(512, 256, 3), inputs(4, 512)
    x[:, :128] *= 1e4
    x[:, 128:256] *= 1e-30
    y = native.packed(isa, x, *args, codebook="mul1", fast=True)
    large = x.clone()
    large[:, 128:] = 0
    rest = y - native.packed(isa, large, *args, codebook="mul1", fast=True)
    right = reference.exl3_linear((x - large).double(), *args, codebook="mul1")
    assert float((rest - right).norm() / right.norm()) < 2e-2


@every_isa
def test_fast_rows_are_the_same_bits_in_every_batch_and_with_any_threads(isa: Isa, set_threads: None) -> None:
    args, x = weight(256, 384, 3.5), inputs(64, 250)
    kernels.set_threads(1)
    alone = torch.cat([native.packed(isa, row[None], *args, codebook="mul1", fast=True) for row in x])
    for rows, threads in ((1, 2), (2, 1), (3, 2), (7, 1), (8, 2), (15, 3), (64, 2)):
        kernels.set_threads(threads)
        assert torch.equal(native.packed(isa, x[:rows], *args, codebook="mul1", fast=True), alone[:rows])


@every_isa
def test_fast_rows_that_are_zero_huge_or_not_finite(isa: Isa) -> None:
    args, x = weight(128, 128, 3), inputs(6, 128)
    x[0], x[2, 5], x[3, 7], x[5] = 0, torch.nan, torch.inf, 1e-42
    x[4] *= 1e30
    y = native.packed(isa, x, *args, codebook="mul1", fast=True)
    assert not y[0].any() and not y[[2, 3]].isfinite().any() and float(y[5].abs().max()) < 1e-37
    right = reference.exl3_linear(x.double(), *args, codebook="mul1")
    assert worst(y[[1, 4]], right[[1, 4]]) < 1e-3


@every_isa
def test_every_input_at_its_largest_overflows_nothing(isa: Isa) -> None:
    """All ones is one coefficient of the transform; an impulse is sixteen equal largest integers in every run."""
    args, x = weight(128, 128, 8), torch.zeros(2, 128)
    x[0, 0], x[1, 64] = 1000, -1000
    y = native.packed(isa, x, *args, codebook="mul1", fast=True)
    right = reference.exl3_linear(x.double(), *args, codebook="mul1")
    assert float((y - right).norm() / right.norm()) < 1e-3


def test_fast_is_chosen_only_where_it_was_asked_for_and_pays() -> None:
    args = weight(128, 128, 2)
    taken = {
        (rows, codebook, fast): kernels.explain(
            "exl3_linear", inputs(rows, 128), *args, codebook=codebook, fast=fast
        ).taken
        for rows, codebook, fast in ((1, "mul1", True), (16, "mul1", True), (17, "mul1", True), (1, "mcg", True))
    }
    taken[(1, "mul1", False)] = kernels.explain("exl3_linear", inputs(1, 128), *args, codebook="mul1").taken
    assert list(taken.values()) == (
        ["compiled integers", "compiled integers", "compiled", "compiled", "compiled"] if isas() else ["reference"] * 5
    )
    y = kernels.exl3_linear(inputs(3, 128), *args, codebook="mul1", fast=True)
    assert worst(y, reference.exl3_linear(inputs(3, 128).double(), *args, codebook="mul1")) < 1e-2
