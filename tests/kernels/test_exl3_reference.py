"""The definition of EXL3, against what another engine wrote and against the format's own rules."""

from __future__ import annotations

import hashlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import kernels
from kernels.reference import trellis as layout
from kernels.reference.codebook import codebook
from kernels.reference.exl3 import decode, exl3_linear, reconstruct
from kernels.reference.hadamard import hadamard, hadamard_matrix
from kernels.reference.trellis import RATES, pack, rate_of, steps, tile_order, unpack
from tests.golden_tensors import NAMES, RECONSTRUCTED, golden
from tests.kernels.processor import CPU

CODEBOOKS = ("3inst", "mcg", "mul1")


def random_trellis(down: int, across: int, rate: float, seed: int = 0) -> Tensor:
    """Any words are a valid trellis."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-(2**15), 2**15, (down, across, int(16 * rate)), generator=generator, dtype=torch.int16)


@pytest.mark.parametrize("name", NAMES)
def test_golden_tiles_decode_bit_for_bit(name: str) -> None:
    one = golden(name)
    inner = decode(one.trellis, one.codebook)
    assert (inner.dtype, inner.shape) == (torch.float16, (256, 128))
    assert hashlib.sha256(inner.numpy().tobytes()).hexdigest() == one.inner


@pytest.mark.parametrize("name", NAMES)
def test_the_golden_product_is_met(name: str) -> None:
    one = golden(name)
    y = exl3_linear(one.x.float(), one.trellis, one.suh, one.svh, codebook=one.codebook)
    assert float((y - one.y.float()).norm() / one.y.float().norm()) < 6e-4


@pytest.mark.parametrize("name", RECONSTRUCTED)
def test_the_golden_weight_is_met(name: str) -> None:
    one = golden(name)
    assert one.weight is not None
    weight = reconstruct(one.trellis, one.suh, one.svh, one.codebook)
    assert float((weight - one.weight.float()).abs().max() / one.weight.float().abs().max()) < 8e-4
    torch.testing.assert_close(
        one.x.float() @ weight,
        exl3_linear(one.x.float(), one.trellis, one.suh, one.svh, codebook=one.codebook),
        atol=2e-4,
        rtol=2e-4,
    )


@given(st.sampled_from(RATES), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_unpacked_tiles_pack_to_the_same_words(rate: float, down: int, across: int, seed: int) -> None:
    words = random_trellis(down, across, rate, seed)
    states = unpack(words)
    assert torch.equal(pack(states, rate), words)
    assert torch.equal(unpack(words.view(torch.uint16)), states)


@pytest.mark.parametrize("rate", RATES)
def test_states_chain_around_the_ring(rate: float) -> None:
    """All but the new bits of a state are the low ones of the state before it; that of the first is the last."""
    states, new = unpack(random_trellis(2, 2, rate)), steps(rate)
    old_bits = 16 - new
    assert torch.equal(states >> new, states.roll(1, -1) & (1 << old_bits) - 1)
    assert int(new.sum()) == 256 * rate == 16 * 16 * rate


def test_a_tiles_width_gives_its_rate() -> None:
    assert [rate_of(int(16 * rate)) for rate in RATES] == list(RATES)
    for words in (0, 8, 17, 20, 72, 144):
        with pytest.raises(ValueError, match=f"{words} words"):
            rate_of(words)


def test_every_place_of_a_tile_is_taken_once() -> None:
    assert tile_order().sort().values.tolist() == list(range(256))
    assert tile_order()[:8].tolist() == [0, 16, 128, 144, 8, 24, 136, 152]


@pytest.mark.parametrize(
    ("name", "mean", "deviation", "least", "most", "distinct"),
    [
        ("3inst", 0.00021, 1.24371, -3.957, 3.973, 10598),
        ("mcg", -0.00004, 1.24411, -3.949, 3.949, 10746),
        ("mul1", -0.00193, 1.00031, -3.453, 3.348, 913),
    ],
)
def test_codebooks_are_distributed_as_known(
    name: str, mean: float, deviation: float, least: float, most: float, distinct: int
) -> None:
    values = codebook(name, CPU)
    assert values.shape == (65536,) and len(values.unique()) == distinct
    wide = values.double()
    figures = (wide.mean(), wide.std(correction=0), wide.min(), wide.max())
    assert [float(one) for one in figures] == pytest.approx([mean, deviation, least, most], abs=6e-4)


def test_an_unknown_codebook_is_named() -> None:
    with pytest.raises(ValueError, match="'mul2'"):
        codebook("mul2", CPU)


@pytest.mark.parametrize("size", [2, 32, 128, 256])
def test_the_hadamard_transform_is_its_own_inverse(size: int) -> None:
    x = torch.randn(3, 2 * size, dtype=torch.float64)
    torch.testing.assert_close(hadamard(hadamard(x, size), size), x)
    entries = hadamard_matrix(size)
    parity = torch.tensor([[(-1.0) ** (row & column).bit_count() for column in range(size)] for row in range(size)])
    assert torch.equal(entries, parity)
    torch.testing.assert_close(hadamard(x, size)[:, size:], x[:, size:] @ entries.double() / size**0.5)


def test_no_hadamard_matrix_has_an_odd_order() -> None:
    with pytest.raises(ValueError, match="not 12"):
        hadamard_matrix(12)


@pytest.mark.parametrize("name", CODEBOOKS)
def test_padding_is_cut_off_and_bias_added(name: str) -> None:
    """A matrix of 200 × 100 within tiles of 256 × 128."""
    words, suh, svh = random_trellis(16, 8, 3.0), torch.randn(256).half(), torch.randn(128).half()
    x, bias = torch.randn(5, 200), torch.randn(100)
    whole = exl3_linear(torch.nn.functional.pad(x, (0, 56)), words, suh, svh, codebook=name)
    part = exl3_linear(x, words, suh, svh, codebook=name, bias=bias, out_features=100)
    torch.testing.assert_close(part, whole[:, :100] + bias)


def test_strips_of_tiles_make_the_same_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rows of tiles at a time, which leave one over."""
    words, suh, svh = random_trellis(16, 8, 2.0), torch.randn(256).half(), torch.randn(128).half()
    x = torch.randn(2, 256, dtype=torch.float64)
    whole = exl3_linear(x, words, suh, svh, codebook="mcg")
    monkeypatch.setattr("kernels.reference.exl3.STRIP", 3 * 16 * 128)
    torch.testing.assert_close(exl3_linear(x, words, suh, svh, codebook="mcg"), whole)


def test_the_op_refuses_what_does_not_fit_together() -> None:
    x, words, suh, svh = torch.randn(1, 256), random_trellis(16, 8, 2.0), torch.ones(256).half(), torch.ones(128).half()
    assert kernels.exl3_linear(x, words, suh, svh, codebook="mcg").shape == (1, 128)
    wrong: tuple[tuple[str, tuple[Tensor, ...], dict[str, object]], ...] = (
        ("trellis must be", (x, words.int(), suh, svh), {}),
        ("words", (x, words[..., :20], suh, svh), {}),
        ("codebook", (x, words, suh, svh), {"codebook": "mul2"}),
        ("multiples of 128", (x, words[:1], suh[:16], svh), {}),
        ("suh and svh", (x, words, suh.float(), svh), {}),
        ("suh and svh", (x, words, suh, svh[:-1]), {}),
        ("x must be", (torch.randn(1, 257), words, suh, svh), {}),
        ("out_features", (x, words, suh, svh), {"out_features": 129}),
        ("bias", (x, words, suh, svh), {"bias": torch.ones(127)}),
    )
    for what, tensors, options in wrong:
        with pytest.raises(ValueError, match=what):
            kernels.exl3_linear(*tensors, **{"codebook": "mcg", **options})  # type: ignore[arg-type]


def test_the_layout_knows_the_rates_of_the_specification() -> None:
    """Kernels may not import the engine, nor its specification torch."""
    from engine.spec import exl3
    from kernels.reference import codebook as books
    from kernels.reference import hadamard as transform

    assert (layout.RATES, layout.TILE, transform.BLOCK) == (exl3.RATES, exl3.TILE, exl3.MULTIPLE)
    assert all(books.MULTIPLIERS[name] == value for name, value in exl3.MARKERS.items())
    assert set(books.MULTIPLIERS) == {"3inst", *exl3.MARKERS}


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_a_card_decodes_and_multiplies_the_same(name: str) -> None:
    one, card = golden(name), torch.device("cuda:0")
    tiles = decode(one.trellis.to(card), one.codebook)
    assert hashlib.sha256(tiles.cpu().numpy().tobytes()).hexdigest() == one.inner
    tensors = (one.x.float(), one.trellis, one.suh, one.svh)
    expected = kernels.exl3_linear(*tensors, codebook=one.codebook)
    found = kernels.exl3_linear(*(tensor.to(card) for tensor in tensors), codebook=one.codebook)
    torch.testing.assert_close(found.cpu(), expected, atol=1e-5, rtol=1e-5)
