"""Memory of a device, and which errors mean that it ran out."""

from __future__ import annotations

import gc

import pytest
import torch

from engine.model.memory import free_bytes, is_out_of_memory, release_unused, used_bytes

CPU = torch.device("cpu")


def test_the_processor_has_free_memory_and_we_use_some() -> None:
    assert free_bytes(CPU) > 2**20 and used_bytes(CPU) > 2**20


def test_an_impossible_allocation_is_known_as_such() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**55, dtype=torch.uint8)
    assert is_out_of_memory(caught.value)


@pytest.mark.parametrize(
    ("error", "means"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), True),
        (MemoryError(), True),
        (RuntimeError("size mismatch"), False),
        (ValueError("can't allocate memory"), False),
    ],
)
def test_which_errors_mean_that_memory_ran_out(error: Exception, means: bool) -> None:
    assert is_out_of_memory(error) is means


def test_what_nothing_refers_to_is_collected() -> None:
    gc.disable()
    try:
        ring: list[object] = []
        ring.append(ring)
        del ring
        release_unused()
        assert gc.collect() == 0
    finally:
        gc.enable()
