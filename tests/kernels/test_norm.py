"""rms_norm: every implementation against the definition in float64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels.native.rows import rms_norm_by
from kernels.reference.norm import rms_norm as reference
from tests.kernels.processor import FLOATS, isas, worst

if TYPE_CHECKING:
    from kernels._native import Isa

every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)
EPS = 1e-5


def test_the_definition_divides_by_the_root_of_the_mean_square() -> None:
    y = reference(torch.tensor([[3.0, -4.0]]), torch.tensor([2.0, 1.0]), 0.0)
    torch.testing.assert_close(y, torch.tensor([[6.0, -4.0]]) / 12.5**0.5)


@every_isa
@settings(deadline=None, max_examples=25)
@given(rows=st.integers(0, 9), size=st.integers(1, 300))
def test_rows_of_any_size(isa: Isa, rows: int, size: int) -> None:
    x, weight = torch.randn(rows, size), torch.randn(size)
    assert worst(rms_norm_by(isa, x, weight, EPS), reference(x.double(), weight, EPS)) < 1e-6


@every_isa
def test_every_head_of_queries(isa: Isa) -> None:
    x, weight = torch.randn(5, 3, 20), torch.randn(20)
    assert worst(rms_norm_by(isa, x, weight, EPS), reference(x.double(), weight, EPS)) < 1e-6


@every_isa
def test_many_rows_over_several_threads(isa: Isa, set_threads: None) -> None:
    x, weight = torch.randn(3000, 70), torch.randn(70)
    kernels.set_threads(1)
    alone = rms_norm_by(isa, x, weight, EPS)
    kernels.set_threads(3)
    assert torch.equal(rms_norm_by(isa, x, weight, EPS), alone)
    assert worst(alone, reference(x.double(), weight, EPS)) < 1e-6


@every_isa
def test_zeros_stay_zeros_and_nan_stays_in_its_row(isa: Isa) -> None:
    x = torch.zeros(3, 19)
    x[1, 18], x[2] = torch.nan, 1.0
    y = rms_norm_by(isa, x, torch.ones(19), EPS)
    assert not y[0].any() and bool(y[1].isnan().all()) and bool(y[2].isfinite().all())


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_op_keeps_dtype_and_shape(dtype: torch.dtype) -> None:
    x, weight = torch.randn(2, 3, 40).to(dtype), torch.randn(40)
    y = kernels.rms_norm(x, weight, EPS)
    assert y.dtype == dtype and y.shape == x.shape
    assert worst(y, reference(x.double(), weight, EPS)) < {torch.float32: 1e-6}.get(dtype, 0.005)


def test_a_view_that_is_not_contiguous() -> None:
    x, weight = torch.randn(30, 7).T, torch.randn(30)
    assert worst(kernels.rms_norm(x, weight, EPS), reference(x.double(), weight, EPS)) < 1e-6


@pytest.mark.parametrize(
    ("x", "weight"),
    [
        (torch.zeros(2, 5), torch.zeros(4)),
        (torch.zeros(2, 5), torch.zeros(5).half()),
        (torch.zeros(2, 5), torch.zeros(5, device="meta")),
        (torch.zeros(2, 5, dtype=torch.int64), torch.zeros(5)),
    ],
)
def test_wrong_arguments_are_named(x: Tensor, weight: Tensor) -> None:
    with pytest.raises(ValueError, match=r"rms_norm: .*\[2, 5\]"):
        kernels.rms_norm(x, weight, EPS)
