"""Streaming tensors onto a device."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch

from engine.spec.names import slots
from engine.weights.checkpoint import open_checkpoint
from engine.weights.load import stream
from tests import tiny_models

CONFIG = tiny_models.config()


@pytest.mark.parametrize("shards", [1, 3])
def test_every_slot_comes_once_in_the_order_of_computation(shards: int, tmp_path: Path) -> None:
    checkpoint = open_checkpoint(tiny_models.write_folder(tmp_path, CONFIG, shards=shards))
    assert [one.slot for one in stream(checkpoint, "cpu", "bfloat16")] == list(slots(checkpoint.spec))


def test_what_is_yielded_is_no_longer_a_part_of_the_file(tmp_path: Path) -> None:
    """A tensor must not change or vanish with the file that it was mapped from."""
    checkpoint = open_checkpoint(tiny_models.write_folder(tmp_path, CONFIG))
    loaded = {one.slot.name: one.tensor for one in stream(checkpoint, "cpu", "float32")}
    file = tmp_path / "model.safetensors"
    with file.open("r+b") as stored:
        stored.write(bytes(file.stat().st_size))
    assert torch.equal(loaded["norm.weight"], tiny_models.tensors(CONFIG)["model.norm.weight"])
    assert all(tensor.is_contiguous() for tensor in loaded.values())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts open files by /proc")
@pytest.mark.parametrize("kind", ["folder", "gguf"])
def test_a_stopped_load_leaves_no_file_open_or_mapped(kind: str, tmp_path: Path) -> None:
    if kind == "gguf":
        checkpoint = open_checkpoint(tiny_models.write_gguf(tmp_path / "a.gguf", CONFIG))
    else:
        checkpoint = open_checkpoint(tiny_models.write_folder(tmp_path, CONFIG))
    steps = stream(checkpoint, "cpu", "float32")
    kept = [next(steps) for _ in range(5)]
    del steps
    gc.collect()
    open_files = [os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink() and path.exists()]
    assert not [name for name in open_files if name.startswith(str(tmp_path))]
    assert str(tmp_path) not in Path("/proc/self/maps").read_text()
    assert len(kept) == 5


@pytest.mark.parametrize(
    ("quantization", "error"),
    [("F32", 0.0), ("F16", 1e-3), ("BF16", 1e-2), ("Q8_0", 1e-2), ("Q5_1", 5e-2), ("Q4_1", 1e-1), ("Q4_0", 1.5e-1)],
)
@pytest.mark.parametrize("architecture", ["LlamaForCausalLM", "Qwen2ForCausalLM"])
@pytest.mark.parametrize("changes", [{}, {"head_dim": 32}], ids=["", "wide heads"])
def test_quantized_gguf_files_come_near_to_the_folder(
    architecture: str, changes: dict[str, Any], quantization: str, error: float, tmp_path: Path
) -> None:
    """Relative error of each matrix; everything else is exact, the biases of q and k in their right rows too."""
    values = tiny_models.config(architecture, attention_bias=architecture == "LlamaForCausalLM", **changes)
    stored = tiny_models.tensors(values)
    kind = gguf.GGMLQuantizationType[quantization]
    path = tiny_models.write_gguf(tmp_path / "a.gguf", values, stored, quantization=kind)
    folder = open_checkpoint(tiny_models.write_folder(tmp_path / "folder", values, stored))
    checkpoint = open_checkpoint(path)
    pairs = zip(stream(checkpoint, "cpu", "float32"), stream(folder, "cpu", "float32"), strict=True)
    for ours, theirs in pairs:
        off = float((ours.tensor - theirs.tensor).norm() / theirs.tensor.norm())
        assert off <= (error if ours.slot.matrix else 0.0), ours.slot.name
    assert checkpoint.entry(ours.slot).dtype == quantization
    assert checkpoint.spec.dtype == {"F32": "float32", "F16": "float16"}.get(quantization, "bfloat16")
