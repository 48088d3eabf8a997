from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from engine.plan.memory import Footprint, cache_bytes, rope_bytes, weight_bytes, workspace_bytes
from engine.plan.plan import DType
from engine.spec.model import Quantization
from engine.spec.names import slots
from tests.engine.plan.models import LLAMA_70B, SMOLLM2, model


def test_weights_of_the_starter_by_hand() -> None:
    """134,515,008 parameters, of which 61 norms of 576 are float32."""
    norms = 61 * 576
    assert weight_bytes(SMOLLM2, "bfloat16") == 2 * (134_515_008 - norms) + 4 * norms
    assert weight_bytes(SMOLLM2, "float32") == 4 * 134_515_008


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("tied", [True, False])
def test_weights_are_the_sum_of_the_slots(dtype: DType, tied: bool) -> None:
    spec = model(layers=3, tied=tied)
    size = 4 if dtype == "float32" else 2
    expected = sum(prod(slot.shape) * (size if slot.matrix else 4) for slot in slots(spec))
    assert weight_bytes(spec, dtype) == expected


def test_a_tied_head_counts_once() -> None:
    untied, tied = weight_bytes(model(tied=False), "float16"), weight_bytes(model(tied=True), "float16")
    assert untied - tied == 512 * 128 * 2


def test_cache_is_what_the_tensors_take() -> None:
    torch = pytest.importorskip("torch")
    spec, pages = model(layers=3), 5
    shape = (pages, 256, 2, 32)
    tensors = [torch.zeros(shape, dtype=torch.bfloat16) for _ in range(2 * 3)]
    assert cache_bytes(spec, "bfloat16", pages) == sum(tensor.nbytes for tensor in tensors)


def test_workspace_grows_with_the_chunk_and_the_context_but_not_with_their_product() -> None:
    def workspace(chunk: int, context: int) -> int:
        return workspace_bytes(LLAMA_70B, chunk, context)

    assert workspace(256, 8192) < workspace(2048, 8192) < workspace(2048, 131072)
    # A whole chunk's scores alone would be 64 heads * 2048 * 131072 * 4 bytes = 64 GiB.
    assert workspace(2048, 131072) < 3 * 2**30


def test_a_card_gathers_keys_and_values_as_they_are() -> None:
    on_cpu, on_card = (workspace_bytes(LLAMA_70B, 256, 65536, gathered) for gathered in (4, 2))
    assert on_cpu - on_card == 2 * 2 * 65536 * 8 * 128


def test_a_steps_temporaries_stay_within_it() -> None:
    """What torch allocates in attention and MLP of a model whose context is long, on the processor."""
    torch = pytest.importorskip("torch")
    kernels = pytest.importorskip("kernels")
    from torch.profiler import ProfilerActivity, profile

    chunk, context, pages = 64, 4096, 16
    attention = LLAMA_70B.layers[0].attention
    shape = (pages, 256, attention.kv_heads, attention.head_dim)
    keys, values = torch.zeros(shape, dtype=torch.bfloat16), torch.zeros(shape, dtype=torch.bfloat16)
    q = torch.randn(chunk, attention.heads, attention.head_dim)
    batch = kernels.AttentionBatch.make(
        page_tables=[list(range(pages))], query_lens=[chunk], kv_lens=[context], device=torch.device("cpu")
    )
    with torch.inference_mode(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        kernels.attention(q, keys, values, batch, scale=0.1)
    held = peak = 0
    for event in recorded.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    assert 0 < peak < workspace_bytes(LLAMA_70B, chunk, context)


def test_rope_tables_count_once_for_all_layers_alike() -> None:
    assert rope_bytes(SMOLLM2, 8192) == 2 * 8192 * 32 * 4


def test_footprint_is_the_sum_of_its_parts() -> None:
    memory = Footprint(SMOLLM2, "bfloat16", "bfloat16", on_cpu=True).memory(context=8192, pages=33, chunk=256)
    assert memory.weights == weight_bytes(SMOLLM2, "bfloat16")
    assert memory.cache == cache_bytes(SMOLLM2, "bfloat16", 33)
    assert memory.workspace == workspace_bytes(SMOLLM2, 256, 8192)


def test_packed_matrices_count_as_they_are_packed() -> None:
    """Half of the weights packed into a tenth of their bytes; the rest in the dtype that is asked for."""
    plain = model(layers=3, tied=False)
    elements = 3 * 2 * 128 * 256
    packed = replace(plain, quantization=Quantization("exl3", 3.0, None, ("mul1",), elements, 20_000))
    for dtype, size in (("float32", 4), ("bfloat16", 2)):
        saved = weight_bytes(plain, dtype) - weight_bytes(packed, dtype)  # type: ignore[arg-type]
        assert saved == elements * size - 20_000


def test_packed_matrices_need_room_for_their_input_in_their_basis() -> None:
    packed = replace(LLAMA_70B, quantization=Quantization("exl3", 3.0, 6.0, ("mul1",), 10**9, 10**8))
    more = workspace_bytes(packed, 512, 4096) - workspace_bytes(LLAMA_70B, 512, 4096)
    assert more == 4 * 512 * LLAMA_70B.hidden
