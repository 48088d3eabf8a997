"""gated: every implementation against the definition in float64."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
from kernels.native.rows import ACTIVATIONS, gated_by
from kernels.reference.activation import ACTIVATIONS as ALL
from kernels.reference.activation import gated as reference
from tests.kernels.processor import FLOATS, isas, worst

if TYPE_CHECKING:
    from kernels._native import Isa

every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)
every_activation = pytest.mark.parametrize("activation", ACTIVATIONS)


@pytest.mark.parametrize(
    ("activation", "at_2"),
    [
        ("silu", 2 / (1 + math.exp(-2))),
        ("gelu", 1 + math.erf(2 / math.sqrt(2))),
        ("gelu_tanh", 1 + math.tanh(math.sqrt(2 / math.pi) * (2 + 0.044715 * 8))),
        ("relu", 2.0),
        ("relu2", 4.0),
    ],
)
def test_the_definitions(activation: str, at_2: float) -> None:
    gate, up = torch.tensor([2.0, -1e4]), torch.tensor([3.0, 3.0])
    torch.testing.assert_close(kernels.gated(gate, up, activation), torch.tensor([3 * at_2, 0.0]))


@every_isa
@every_activation
@settings(deadline=None, max_examples=20)
@given(size=st.integers(0, 200))
def test_any_size(isa: Isa, activation: str, size: int) -> None:
    gate, up = torch.randn(size) * 5, torch.randn(size)
    exact = reference(gate.double(), up.double(), activation)
    torch.testing.assert_close(gated_by(isa, gate, up, activation).double(), exact, rtol=1e-6, atol=1e-6)


@every_isa
@every_activation
def test_the_whole_range_of_the_exponential(isa: Isa, activation: str) -> None:
    """Element by element: nothing overflows where the result is a number, and small values keep digits."""
    gate = torch.cat((torch.linspace(-200, 200, 40001), torch.logspace(-30, 4, 999), -torch.logspace(-30, 4, 999)))
    found = gated_by(isa, gate, torch.ones_like(gate), activation).double()
    exact = reference(gate.double(), torch.ones_like(gate).double(), activation)
    relative = torch.where(gate > -1, 1e-6, 1e-5)  # far below 0 a rounded argument is a relative error of the result
    assert bool(((found - exact).abs() <= relative * exact.abs() + 1e-13).all())  # 1 + tanh(-9) in float64


@every_isa
@every_activation
def test_nan_stays_where_it_is(isa: Isa, activation: str) -> None:
    gate, up = torch.ones(37), torch.ones(37)
    gate[3], gate[36], up[20] = torch.nan, torch.nan, torch.nan
    y = gated_by(isa, gate, up, activation)
    assert y.isnan().nonzero().flatten().tolist() == [3, 20, 36]


@every_isa
def test_many_elements_over_several_threads(isa: Isa, set_threads: None) -> None:
    gate, up = torch.randn(300, 777), torch.randn(300, 777)
    kernels.set_threads(1)
    alone = gated_by(isa, gate, up, "silu")
    kernels.set_threads(3)
    assert torch.equal(gated_by(isa, gate, up, "silu"), alone)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("activation", ALL)
def test_the_op_keeps_dtype_and_takes_views(dtype: torch.dtype, activation: str) -> None:
    gate, up = torch.randn(9, 5).to(dtype).T, torch.randn(5, 9).to(dtype)
    y = kernels.gated(gate, up, activation)
    assert y.dtype == dtype and y.shape == (5, 9)
    exact = reference(gate.double(), up.double(), activation)
    assert worst(y, exact) < {torch.float32: 1e-6}.get(dtype, 0.005)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r"activation must be one of silu, .* not 'swish'"):
        kernels.gated(torch.zeros(2), torch.zeros(2), "swish")
    with pytest.raises(ValueError, match=r"alike \(gate: \[2\] float32 on cpu, up: \[3\]"):
        kernels.gated(torch.zeros(2), torch.zeros(3), "silu")
    with pytest.raises(ValueError, match="int32"):
        kernels.gated(torch.zeros(2, dtype=torch.int32), torch.zeros(2, dtype=torch.int32), "silu")
