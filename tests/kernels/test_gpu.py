"""On an NVIDIA card: every op equals the definition on the processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import kernels
from kernels import AttentionBatch
from kernels.ops.table import TABLE
from kernels.reference import activation, attention, kv, linear, norm, rope
from kernels.runtime.cpu_library import library
from tests.kernels.processor import FLOATS, worst

pytestmark = pytest.mark.gpu
CARD = torch.device("cuda:0")
BOUND = {torch.float32: 1e-5, torch.bfloat16: 0.02, torch.float16: 0.002}
every_dtype = pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: str(dtype)[6:])


def on_card(op: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """The op with all tensors moved to the card."""
    return op(*(arg.to(CARD) if isinstance(arg, Tensor) else arg for arg in args), **kwargs)


@every_dtype
@pytest.mark.parametrize("rows", [0, 1, 7, 200])
@pytest.mark.parametrize("biased", [True, False])
def test_linear(dtype: torch.dtype, rows: int, biased: bool) -> None:
    x, weight, bias = torch.randn(rows, 576), torch.randn(130, 576).to(dtype), torch.randn(130)
    args = (x, weight, bias) if biased else (x, weight)
    found = on_card(kernels.linear, *args)
    assert found.dtype == torch.float32 and found.device == CARD
    assert worst(found.cpu(), linear.linear(x.double(), *args[1:])) < BOUND[dtype]


@pytest.mark.parametrize("dtype", FLOATS[1:])
def test_linear_keeps_sums_that_16_bits_cannot_hold(dtype: torch.dtype) -> None:
    """Float16 ends at 65504; of bfloat16 only 8 digits would be left."""
    x, weight = torch.full((1, 4096), 8.0), torch.full((3, 4096), 8.0, dtype=dtype)
    x[0, 0] = 9.0
    assert on_card(kernels.linear, x, weight).tolist() == [[4096 * 64 + 8.0] * 3]


@every_dtype
def test_activations_of_16_bit_come_back_as_such(dtype: torch.dtype) -> None:
    x, weight = torch.randn(3, 64).to(dtype), torch.randn(40, 64).bfloat16()
    found = on_card(kernels.linear, x, weight)
    assert found.dtype == dtype and worst(found.cpu(), linear.linear(x.double(), weight)) < 0.02


@every_dtype
def test_the_ops_between_the_matrices(dtype: torch.dtype) -> None:
    x, weight = torch.randn(5, 6, 64).to(dtype), torch.randn(64)
    cos, sin = torch.randn(5, 20), torch.randn(5, 20)
    bound = BOUND[dtype]
    assert worst(on_card(kernels.rms_norm, x, weight, 1e-5).cpu(), norm.rms_norm(x.double(), weight, 1e-5)) < bound
    assert worst(on_card(kernels.rotate, x, cos, sin).cpu(), rope.rotate(x.double(), cos, sin)) < bound
    for name in activation.ACTIVATIONS:
        exact = activation.gated(x.double(), x.double(), name)
        assert worst(on_card(kernels.gated, x, x, name).cpu(), exact) < bound, name


@every_dtype
def test_write_kv(dtype: torch.dtype) -> None:
    k, v, slots = torch.randn(3, 2, 64), torch.randn(3, 2, 64), torch.tensor([255, 256, 3])
    here, there = torch.zeros(2, 2, 256, 2, 64, dtype=dtype), torch.zeros(2, 2, 256, 2, 64, dtype=dtype).to(CARD)
    kv.write_kv(k, v, here[0], here[1], slots)
    on_card(kernels.write_kv, k, v, there[0], there[1], slots)
    assert torch.equal(there.cpu(), here)


@every_dtype
@pytest.mark.parametrize("heads", [(9, 3), (8, 8), (8, 1)])
@pytest.mark.parametrize("window", [None, 1, 16, 200, 256])
@pytest.mark.parametrize("q_dtype", [torch.float32, torch.bfloat16])
def test_attention(dtype: torch.dtype, heads: tuple[int, int], window: int | None, q_dtype: torch.dtype) -> None:
    query_lens, kv_lens, tables = [1, 300, 40, 0, 3], [257, 300, 700, 0, 3], [[7, 2], [1, 4], [8, 0, 3], [], [5]]
    k, v = (torch.randn(9, 256, heads[1], 64).to(dtype) for _ in range(2))
    q = torch.randn(344, heads[0], 64).to(q_dtype)
    here, there = (
        AttentionBatch.make(page_tables=tables, query_lens=query_lens, kv_lens=kv_lens, device=device)
        for device in (k.device, CARD)
    )
    exact = attention.attention(q.double(), k, v, here, scale=0.125, window=window)
    found = on_card(kernels.attention, q, k, v, there, scale=0.125, window=window)
    assert found.dtype == q_dtype
    assert worst(found.cpu(), exact) < max(BOUND[dtype], BOUND[q_dtype])


def test_nothing_waits_for_the_card() -> None:
    """The ops of a step are only queued; a hidden synchronization would cost more than they do."""
    k = torch.zeros(4, 256, 2, 64, device=CARD)
    q, new, slots = torch.randn(1, 4, 64, device=CARD), torch.randn(1, 2, 64, device=CARD), torch.tensor([9]).to(CARD)
    weight, size = torch.randn(64, 64, device=CARD).bfloat16(), torch.ones(64, device=CARD)
    batch = AttentionBatch.make(page_tables=[[0, 2]], query_lens=[1], kv_lens=[300], device=CARD)
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        kernels.write_kv(new, new, k, k, slots)
        kernels.attention(q, k, k, batch, scale=0.125, window=100)
        x = kernels.rms_norm(q.view(4, 64), size, 1e-5)
        kernels.gated(kernels.linear(x, weight), x, "silu")
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_the_processor_implementations_refuse_by_name() -> None:
    choice = kernels.explain("linear", torch.randn(1, 64, device=CARD), torch.randn(64, 64, device=CARD))
    assert choice.taken == "torch's matmul"
    assert dict(choice.refused)["compiled rows"] in (library().absent, "x is not float32 on the processor")
    assert set(TABLE) == {"attention", "exl3_linear", "exl3_rows", "gated", "linear", "rms_norm", "rotate", "write_kv"}
