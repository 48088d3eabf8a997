from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DoesNotFit, InvalidRequest, NoSuchDevice
from engine.plan.machine import Machine
from engine.plan.places import GPU_RESERVE, RAM_RESERVE
from engine.plan.plan import PAGE_TOKENS, Wishes
from engine.plan.solve import LEAST_CONTEXT, OPEN_CONTEXT, solve
from tests.engine.plan.models import GIB, LLAMA_70B, MIB, SMOLLM2, gpu, machine, model


def with_ram_free(size: int) -> Machine:
    return dataclasses.replace(machine(), ram_free=size)


def test_the_starter_on_a_plain_machine() -> None:
    plan = solve(SMOLLM2, machine(cores=2))
    assert (plan.device, plan.dtype, plan.cache_dtype) == ("cpu", "bfloat16", "bfloat16")
    assert (plan.context, plan.pages, plan.chunk, plan.threads) == (8192, 33, 256, 1)
    assert "no card" in plan.reasons[0]


def test_a_single_core_still_gets_a_thread() -> None:
    assert solve(SMOLLM2, machine(cores=1)).threads == 1


def test_a_card_is_taken_when_all_fits() -> None:
    plan = solve(SMOLLM2, machine(gpu(0, 8), gpu(1, 20)))
    assert (plan.device, plan.chunk) == ("cuda:1", 2048)


def test_c124_free_memory_decides_not_total() -> None:
    """C124: 24 GB with 20 used by others."""
    spec = model(hidden=4096, heads=32, kv_heads=8, intermediate=14336, layers=32, vocab=128256, context=8192)
    plan = solve(spec, machine(gpu(0, 4, total=24), ram=64))
    assert plan.device == "cpu"
    assert "cuda:0 has 3.50 GiB free" in plan.reasons[0]


def test_an_unusable_card_is_not_taken_and_its_reason_told() -> None:
    plan = solve(SMOLLM2, machine(gpu(0, 24, usable=False, reason="its driver is 470")))
    assert plan.device == "cpu"
    assert "its driver is 470" in plan.reasons[0]


def test_float32_weights_have_a_float32_cache() -> None:
    plan = solve(SMOLLM2, machine(), Wishes(dtype="float32"))
    assert (plan.dtype, plan.cache_dtype) == ("float32", "float32")
    assert solve(model(dtype="float32"), machine()).cache_dtype == "float32"


def test_an_open_context_is_capped_and_says_so() -> None:
    plan = solve(model(context=131072), machine())
    assert plan.context == OPEN_CONTEXT
    assert "131072" in plan.reasons[-1]
    assert solve(model(context=131072), machine(), Wishes(context=131072)).context == 131072


def test_an_open_context_shrinks_to_what_fits_and_says_so() -> None:
    whole = solve(SMOLLM2, machine())
    plan = solve(SMOLLM2, with_ram_free(whole.memory.total - 1 + RAM_RESERVE))
    assert LEAST_CONTEXT <= plan.context == 8192 - PAGE_TOKENS
    assert "does not fit" in plan.reasons[-1]


def test_a_wished_context_never_shrinks() -> None:
    whole = solve(SMOLLM2, machine(), Wishes(context=8192))
    with pytest.raises(DoesNotFit) as caught:
        solve(SMOLLM2, with_ram_free(whole.memory.total - 1 + RAM_RESERVE), Wishes(context=8192))
    assert caught.value.needed == whole.memory.total
    assert caught.value.cures == ("load it with a context of at most 7936 tokens",)


def test_the_cure_cures() -> None:
    short = with_ram_free(solve(SMOLLM2, machine()).memory.total - 50 * MIB + RAM_RESERVE)
    with pytest.raises(DoesNotFit) as caught:
        solve(SMOLLM2, short, Wishes(context=8192))
    tokens = int(caught.value.cures[0].split()[-2])
    assert solve(SMOLLM2, short, Wishes(context=tokens)).context == tokens
    with pytest.raises(DoesNotFit):
        solve(SMOLLM2, short, Wishes(context=tokens + PAGE_TOKENS))


def test_a_megabyte_too_little_is_refused() -> None:
    """C130: too small by 1 MB, refused before reading weights; a megabyte more is enough."""
    wishes = Wishes(context=4096, device="cuda:0")
    needed = solve(SMOLLM2, machine(gpu(0, 24)), wishes).memory.total
    card = gpu(0, 24)
    fits = machine(dataclasses.replace(card, free=needed + GPU_RESERVE))
    assert solve(SMOLLM2, fits, wishes).device == "cuda:0"
    with pytest.raises(DoesNotFit) as caught:
        solve(SMOLLM2, machine(dataclasses.replace(card, free=needed + GPU_RESERVE - MIB)), wishes)
    assert caught.value.device == "cuda:0 (Card 0)"
    assert "load it on the processor" in caught.value.cures


def test_other_devices_and_the_files_dtype_are_cures() -> None:
    with pytest.raises(DoesNotFit) as caught:
        solve(LLAMA_70B, machine(gpu(0, 24), gpu(1, 180)), Wishes(device="cuda:0"))
    assert caught.value.cures == ("load it on cuda:1 (Card 1)",)
    with pytest.raises(DoesNotFit) as caught:
        solve(LLAMA_70B, machine(gpu(0, 180), ram=8), Wishes(dtype="float32", device="cuda:0", context=4096))
    assert caught.value.cures == ("load it in bfloat16",)


def test_nothing_helps_a_model_that_is_too_large() -> None:
    with pytest.raises(DoesNotFit) as caught:
        solve(LLAMA_70B, machine())
    assert caught.value.cures == ()
    assert "smaller model" in caught.value.remedy()


def test_c128_pool_and_conversation_are_two_numbers() -> None:
    """C128: the context is neither multiplied nor divided in silence."""
    plan = solve(SMOLLM2, machine(), Wishes(context=8192, cache_tokens=4 * 8192))
    assert (plan.context, plan.pages) == (8192, 4 * 32 + 1)
    assert solve(SMOLLM2, machine(), Wishes(cache_tokens=1000)).context == 1000


def test_a_cache_too_large_is_told_what_fits() -> None:
    with pytest.raises(DoesNotFit) as caught:
        solve(SMOLLM2, machine(ram=4), Wishes(context=1024, cache_tokens=10**6))
    words = caught.value.cures[0].split()
    assert words[:3] == ["give", "the", "cache"]
    assert solve(SMOLLM2, machine(ram=4), Wishes(context=1024, cache_tokens=int(words[3]))).context == 1024


@pytest.mark.parametrize(
    ("wishes", "field"),
    [
        (Wishes(context=0), "context"),
        (Wishes(context=-5), "context"),
        (Wishes(context=8193), "context"),
        (Wishes(context=512, cache_tokens=511), "cache_tokens"),
        (Wishes(cache_tokens=0), "cache_tokens"),
        (Wishes(threads=0), "threads"),
    ],
)
def test_nonsense_is_refused_by_name(wishes: Wishes, field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        solve(SMOLLM2, machine(), wishes)
    assert caught.value.field == field


def test_no_such_device() -> None:
    with pytest.raises(NoSuchDevice, match="cuda:3"):
        solve(SMOLLM2, machine(gpu(0, 8)), Wishes(device="cuda:3"))


def test_a_context_shorter_than_a_page() -> None:
    plan = solve(SMOLLM2, machine(), Wishes(context=10))
    assert (plan.context, plan.pages, plan.chunk) == (10, 2, 10)


@given(ram=st.integers(0, 40 * GIB), card=st.integers(0, 40 * GIB), context=st.one_of(st.none(), st.integers(1, 8192)))
def test_a_plan_keeps_within_its_device(ram: int, card: int, context: int | None) -> None:
    here = machine(dataclasses.replace(gpu(0, 40), free=card))
    here = dataclasses.replace(here, ram_free=ram)
    try:
        plan = solve(SMOLLM2, here, Wishes(context=context))
    except DoesNotFit as lack:
        assert lack.needed > lack.free
        return
    free = ram - RAM_RESERVE if plan.device == "cpu" else card - GPU_RESERVE
    assert plan.memory.total <= free
    assert plan.pages * PAGE_TOKENS >= plan.context


def test_more_memory_never_means_less_context() -> None:
    contexts = []
    for size in range(1200, 2200, 25):
        try:
            contexts.append(solve(SMOLLM2, with_ram_free(size * MIB)).context)
        except DoesNotFit:
            contexts.append(0)
    assert all(a <= b for a, b in itertools.pairwise(contexts))
    assert contexts[0] == 0
    assert contexts[-1] == 8192
