"""Reading one tensor."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.errors import CorruptFile, UnsupportedTensor
from engine.weights.entry import Entry
from engine.weights.read import ROWS, is_copy, read_safetensor
from engine.weights.safetensors import read_header


def stored(folder: Path, **tensors: Tensor) -> list[Entry]:
    """Each in a file of its own."""
    for name, tensor in tensors.items():
        save_file({name: tensor}, folder / f"{name}.safetensors")
    return [read_header(folder / f"{name}.safetensors")[0] for name in tensors]


def test_a_tensor_comes_in_the_type_it_is_stored_in(tmp_path: Path) -> None:
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        (entry,) = stored(tmp_path, x=torch.arange(6).reshape(2, 3).to(dtype))
        found = read_safetensor(entry)
        assert found.dtype == dtype and found.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.bool, torch.float8_e4m3fn])
def test_a_type_that_cannot_run_is_named(dtype: torch.dtype, tmp_path: Path) -> None:
    (entry,) = stored(tmp_path, x=torch.ones(4).to(dtype))
    with pytest.raises(UnsupportedTensor) as caught:
        read_safetensor(entry)
    assert (caught.value.name, caught.value.dtype) == ("x", entry.dtype)


def test_a_file_that_went_bad_since_its_header_was_read(tmp_path: Path) -> None:
    (entry,) = stored(tmp_path, x=torch.ones(4))
    entry.file.write_bytes(entry.file.read_bytes()[:-1])
    with pytest.raises(CorruptFile, match="x cannot be read"):
        read_safetensor(entry)
    entry.file.unlink()
    with pytest.raises(CorruptFile, match="x cannot be read"):
        read_safetensor(entry)


def test_copies_are_told_from_others_wherever_they_differ(tmp_path: Path) -> None:
    one = torch.randn(ROWS + 3, 2)
    other = one.clone()
    other[-1, -1] += 1
    a, b, c, d = stored(tmp_path, a=one, b=one.clone(), c=other, d=one[:5].contiguous())
    assert is_copy(a, b) and not is_copy(a, c) and not is_copy(a, d)
    c.file.unlink()
    with pytest.raises(CorruptFile, match="compared"):
        is_copy(a, c)
