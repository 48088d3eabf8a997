"""Rows of packed tables, against the format's rules."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

import kernels
from kernels.reference.codebook import codebook
from kernels.reference.exl3_rows import exl3_rows, ring_states
from kernels.reference.hadamard import hadamard_matrix
from tests.kernels.processor import CPU


def random_words(*shape: int) -> Tensor:
    """Any words are a valid ring."""
    return torch.randint(-(2**15), 2**15, shape, generator=torch.Generator().manual_seed(0), dtype=torch.int16)


def table(rate: int, rows: int = 4, groups: int = 2) -> tuple[Tensor, Tensor]:
    rings = random_words(rows, groups, 1 + 16 * rate)
    rings[..., :1] = torch.full((1,), 0.02).half().view(torch.int16)
    signs = torch.randint(0, 2, (groups, 256), generator=torch.Generator().manual_seed(1)) * 2.0 - 1
    return rings.flatten(1), signs.half()


@pytest.mark.parametrize("rate", range(1, 9))
def test_rows_of_a_table_decode_bit_by_bit(rate: int) -> None:
    """Against the format's words: symbol i is stream bits [i·K, (i+1)·K), lowest first; a state stacks the symbols
    i, i-1, … from bit 0 up; the ring of values is transformed with 256 points and signed."""
    trellis, signs = table(rate)
    words = trellis[3].view(2, -1)[1, 1:].tolist()
    stream = [word >> bit & 1 for word in words for bit in range(16)]
    symbols = [sum(stream[i * rate + bit] << bit for bit in range(rate)) for i in range(256)]
    states = [sum(symbols[i - back] << back * rate for back in range(16)) & 0xFFFF for i in range(256)]
    assert ring_states(torch.tensor(words, dtype=torch.int16)).tolist() == states
    values = codebook("mul1", CPU)[torch.tensor(states)].float() * float(torch.tensor(0.02).half())
    expected = (hadamard_matrix(256) @ values / 16 * signs[1].float())[:44]
    torch.testing.assert_close(exl3_rows(trellis, signs, torch.tensor([0, 3]), 300)[1, 256:], expected)


def test_the_table_refuses_what_does_not_fit_together() -> None:
    trellis, signs, rows = *table(4), torch.tensor([0])
    assert kernels.exl3_rows(trellis, signs, rows, 512).shape == (1, 512)
    for what, arguments in (
        ("signs", (trellis, signs.float(), rows, 512)),
        ("trellis", (trellis[:, :-1], signs, rows, 512)),
        ("rows", (trellis, signs, rows.int(), 512)),
        ("width", (trellis, signs, rows, 513)),
    ):
        with pytest.raises(ValueError, match=what):
            kernels.exl3_rows(*arguments)
