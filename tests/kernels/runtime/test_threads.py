"""set_threads: one number for torch's kernels and ours."""

from __future__ import annotations

import pytest
import torch

import kernels
from tests.kernels.processor import isas


def test_both_pools_follow(set_threads: None) -> None:
    for count in (3, 1, 2):
        kernels.set_threads(count)
        assert torch.get_num_threads() == count
        if isas():
            from kernels import _native

            assert _native.threads() == count


@pytest.mark.parametrize("count", [0, -1])
def test_no_threads_are_no_threads(count: int) -> None:
    with pytest.raises(ValueError, match=f"count must be 1 or more, not {count}"):
        kernels.set_threads(count)
