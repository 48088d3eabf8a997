"""The twin computes what the starter computes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.models import widen


def norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * weight


def test_every_size_is_a_multiple_of_128(starter_folder: Path, tmp_path: Path) -> None:
    widen.write_twin(starter_folder, tmp_path)
    shapes = {tuple(tensor.shape) for tensor in load_file(tmp_path / "model.safetensors").values()}
    assert all(size % 128 == 0 for shape in shapes for size in shape)


@pytest.mark.parametrize("part", ["input_layernorm", "norm"])
def test_norms_give_the_same_and_leave_new_channels_empty(part: str) -> None:
    weight, x = torch.rand(widen.HIDDEN), torch.randn(3, widen.HIDDEN)
    wide = torch.cat([x, torch.zeros(3, widen.MORE)], dim=1)
    found = norm(wide, widen.widened(f"model.{part}.weight", weight), 1e-5 * widen.HIDDEN / widen.WIDE)
    torch.testing.assert_close(found[:, : widen.HIDDEN], norm(x, weight, 1e-5))
    assert not found[:, widen.HIDDEN :].any()


def test_new_heads_are_copies_that_nothing_hears() -> None:
    values = torch.randn(192, widen.HIDDEN)
    wide = widen.widened("layers.0.self_attn.v_proj.weight", values)
    assert torch.equal(wide[192:], wide[: widen.KEYS]) and wide.shape == (256, widen.WIDE)
    output = widen.widened("layers.0.self_attn.o_proj.weight", torch.randn(widen.HIDDEN, widen.HIDDEN))
    assert output.shape == (widen.WIDE, widen.WIDE) and not output[:, widen.HIDDEN :].any()
