"""linear: every implementation against the definition in float64."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels.aten import linear as aten
from kernels.native.linear import linear_rows
from kernels.reference.linear import linear as reference
from tests.kernels.processor import CPU, FLOATS, isas

if TYPE_CHECKING:
    from kernels._native import Isa

every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)
every_dtype = pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: str(dtype)[6:])
EXACT = 5e-7  # of the sum of the products' magnitudes: terms that cancel leave their rounding behind


def case(
    rows: int, inner: int, out: int, dtype: torch.dtype, bias: bool = True
) -> tuple[Tensor, Tensor, Tensor | None]:
    generator = torch.Generator().manual_seed(rows * 7919 + inner * 31 + out)
    x = torch.randn(rows, inner, generator=generator)
    weight = torch.randn(out, inner, generator=generator).to(dtype)
    return x, weight, torch.randn(out, generator=generator) if bias else None


def error(found: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> float:
    """Largest, against the definition in float64, in units of what is summed."""
    summed = reference(x.double().abs(), weight.abs(), None if bias is None else bias.abs())
    difference = (found - reference(x.double(), weight, bias)).abs()
    return float((difference / summed).max()) if difference.numel() else 0.0


@every_isa
@every_dtype
@pytest.mark.parametrize(
    ("rows", "inner", "out"),
    [
        (1, 64, 64),
        (1, 1, 1),
        (1, 15, 7),
        (1, 17, 9),
        (2, 31, 33),
        (3, 100, 25),
        (8, 576, 24),
        (9, 70, 11),
        (16, 33, 50),
    ],
)
def test_rows_with_tails_shorter_than_a_vector(isa: Isa, dtype: torch.dtype, rows: int, inner: int, out: int) -> None:
    args = case(rows, inner, out, dtype)
    assert error(linear_rows(isa, *args), *args) < EXACT


@every_isa
@settings(deadline=None, max_examples=25)
@given(
    rows=st.integers(0, 20),
    inner=st.integers(1, 90),
    out=st.integers(1, 90),
    dtype=st.sampled_from(FLOATS),
    bias=st.booleans(),
)
def test_rows_of_any_shape(isa: Isa, rows: int, inner: int, out: int, dtype: torch.dtype, bias: bool) -> None:
    args = case(rows, inner, out, dtype, bias)
    assert error(linear_rows(isa, *args), *args) < EXACT


@every_isa
@every_dtype
def test_a_row_is_the_same_bits_in_every_batch(isa: Isa, dtype: torch.dtype) -> None:
    x, weight, bias = case(16, 77, 45, dtype)
    alone = torch.cat([linear_rows(isa, x[row : row + 1], weight, bias) for row in range(16)])
    for rows in range(1, 17):
        assert torch.equal(linear_rows(isa, x[:rows], weight, bias), alone[:rows]), f"{rows} rows"


@every_isa
def test_a_result_is_the_same_bits_with_any_number_of_threads(isa: Isa, set_threads: None) -> None:
    args = case(3, 300, 5000, torch.bfloat16)
    kernels.set_threads(1)
    alone = linear_rows(isa, *args)
    for threads in (2, 3, 5):
        kernels.set_threads(threads)
        assert torch.equal(linear_rows(isa, *args), alone)


@every_isa
def test_callers_in_several_threads_while_the_pool_changes(isa: Isa, set_threads: None) -> None:
    args = case(1, 128, 4000, torch.bfloat16)
    right = linear_rows(isa, *args)
    wrong: list[int] = []

    def call(number: int) -> None:
        for _ in range(100):
            if not torch.equal(linear_rows(isa, *args), right):
                wrong.append(number)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(3)]
    for caller in callers:
        caller.start()
    for threads in (2, 4, 1, 3) * 5:
        kernels.set_threads(threads)
    for caller in callers:
        caller.join()
    assert not wrong


@every_isa
@every_dtype
def test_weights_that_start_anywhere(isa: Isa, dtype: torch.dtype) -> None:
    """A slice of rows of a larger matrix is contiguous, but not where a vector register would like it."""
    x, weight, _ = case(2, 33, 40, dtype)
    assert error(linear_rows(isa, x, weight[3:30]), x, weight[3:30], None) < EXACT


@every_isa
@every_dtype
def test_nan_and_infinity_stay_in_their_row_and_column(isa: Isa, dtype: torch.dtype) -> None:
    x, weight, _ = case(4, 50, 20, dtype)
    x[1, 49], weight[7, 3], x[2, 5] = torch.nan, torch.nan, torch.inf
    y = linear_rows(isa, x, weight)
    bad = torch.zeros(4, 20, dtype=torch.bool)
    bad[1], bad[:, 7], bad[2] = True, True, True
    assert torch.equal(~y.isfinite(), bad)


@every_isa
def test_the_smallest_and_largest_halves_are_widened_exactly(isa: Isa) -> None:
    """Subnormal float16 and bfloat16 values are values."""
    for dtype in (torch.float16, torch.bfloat16):
        bits = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
        weight = bits.view(dtype)
        weight = weight[weight.isfinite()][:, None].contiguous()
        assert torch.equal(linear_rows(isa, torch.ones(1, 1), weight)[0], weight[:, 0].float())


@every_dtype
@pytest.mark.parametrize("rows", [1, 17, 200])
def test_torch_widens_in_blocks(dtype: torch.dtype, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL_BLOCK", "LARGE_BLOCK"):
        monkeypatch.setattr(aten, name, 2**12)
    args = case(rows, 60, 333, dtype)
    assert error(aten.linear(*args), *args) < EXACT


@pytest.mark.parametrize("rows", [0, 1, 5, 16, 17, 40])
def test_the_op_takes_any_number_of_rows_and_strides(rows: int) -> None:
    x, weight, bias = case(rows, 48, 30, torch.bfloat16)
    assert kernels.linear(x, weight, bias).shape == (rows, 30)
    if rows:
        strided, turned = x.T.contiguous().T, weight.T.contiguous().T
        assert error(kernels.linear(strided, turned, bias), x, weight, bias) < EXACT


def test_x_of_16_bit_goes_to_the_definition_on_the_processor() -> None:
    x, weight, bias = case(2, 48, 30, torch.bfloat16)
    y = kernels.linear(x.bfloat16(), weight, bias)
    assert y.dtype == torch.bfloat16 and torch.equal(y, reference(x.bfloat16(), weight, bias))
    assert kernels.explain("linear", x.bfloat16(), weight, bias).taken == "reference"


@pytest.mark.parametrize(
    ("x", "weight", "bias", "says"),
    [
        (torch.zeros(2, 5), torch.zeros(3, 4), None, r"x: \[2, 5\] float32 on cpu, weight: \[3, 4\]"),
        (torch.zeros(5), torch.zeros(3, 5), None, r"x must be \[T, in\]"),
        (torch.zeros(2, 4), torch.zeros(3, 4, dtype=torch.int8), None, "int8"),
        (torch.zeros(2, 4, dtype=torch.float64), torch.zeros(3, 4), None, "float64"),
        (torch.zeros(2, 4), torch.zeros(3, 4), torch.zeros(4), r"bias: \[4\]"),
        (torch.zeros(2, 4), torch.zeros(3, 4), torch.zeros(3).bfloat16(), "bias must be float32"),
        (torch.zeros(2, 4), torch.zeros(3, 4, device="meta"), None, "one device"),
    ],
)
def test_wrong_arguments_are_named(x: Tensor, weight: Tensor, bias: Tensor | None, says: str) -> None:
    assert x.device == CPU
    with pytest.raises(ValueError, match=says):
        kernels.linear(x, weight, bias)
