"""rotate: every implementation against the definition in float64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels.native.rows import rotate_by
from kernels.reference.rope import rotate as reference
from tests.kernels.processor import FLOATS, isas, worst

if TYPE_CHECKING:
    from kernels._native import Isa

every_isa = pytest.mark.parametrize("isa", isas(), ids=lambda isa: isa.name)


def angles(tokens: int, half: int) -> tuple[Tensor, Tensor]:
    angle = torch.arange(tokens)[:, None] * 0.7 ** torch.arange(half)
    return angle.cos(), angle.sin()


def test_the_definition_turns_pairs_half_a_head_apart() -> None:
    """As complex numbers: channel i + 1j * channel (i + half) times e^(1j * angle)."""
    x, (cos, sin) = torch.randn(5, 2, 6), angles(5, 2)
    y = reference(x, cos, sin)
    turned = torch.complex(x[..., :2], x[..., 2:4]) * torch.complex(cos, sin)[:, None]
    torch.testing.assert_close(torch.complex(y[..., :2], y[..., 2:4]), turned)
    assert torch.equal(y[..., 4:], x[..., 4:])


@every_isa
@settings(deadline=None, max_examples=25)
@given(tokens=st.integers(0, 6), heads=st.integers(1, 5), half=st.integers(0, 40), rest=st.integers(0, 9))
def test_any_shape_and_part_of_a_head(isa: Isa, tokens: int, heads: int, half: int, rest: int) -> None:
    x = torch.randn(tokens, heads, 2 * half + rest)
    y = rotate_by(isa, x, *angles(tokens, half))
    assert worst(y, reference(x.double(), *angles(tokens, half))) < 1e-6
    assert torch.equal(y[..., 2 * half :], x[..., 2 * half :])


@every_isa
def test_many_tokens_over_several_threads(isa: Isa, set_threads: None) -> None:
    x, turn = torch.randn(2000, 3, 64), angles(2000, 32)
    kernels.set_threads(3)
    assert worst(rotate_by(isa, x, *turn), reference(x.double(), *turn)) < 1e-6


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_op_keeps_dtype_and_takes_views(dtype: torch.dtype) -> None:
    x, turn = torch.randn(4, 8, 3).to(dtype).transpose(1, 2), angles(4, 4)
    y = kernels.rotate(x, *turn)
    assert y.dtype == dtype and worst(y, reference(x.double(), *turn)) < {torch.float32: 1e-6}.get(dtype, 0.005)


@pytest.mark.parametrize(
    ("x", "cos", "sin"),
    [
        (torch.zeros(2, 8), torch.zeros(2, 4), torch.zeros(2, 4)),
        (torch.zeros(2, 1, 8), torch.zeros(3, 4), torch.zeros(3, 4)),
        (torch.zeros(2, 1, 8), torch.zeros(2, 5), torch.zeros(2, 5)),
        (torch.zeros(2, 1, 8), torch.zeros(2, 4), torch.zeros(2, 3)),
        (torch.zeros(2, 1, 8), torch.zeros(2, 4).half(), torch.zeros(2, 4)),
        (torch.zeros(2, 1, 8, dtype=torch.int32), torch.zeros(2, 4), torch.zeros(2, 4)),
    ],
)
def test_wrong_arguments_are_named(x: Tensor, cos: Tensor, sin: Tensor) -> None:
    with pytest.raises(ValueError, match=r"rotate: .*(x|cos): \["):
        kernels.rotate(x, cos, sin)
