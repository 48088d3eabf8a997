"""Fixtures of the kernels' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import kernels


@pytest.fixture
def set_threads() -> Iterator[None]:
    """For tests that change the number of threads: it is put back."""
    before = torch.get_num_threads()
    yield
    kernels.set_threads(before)
