"""GGUF files: descriptions, names, row order, damage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from torch import Tensor

from engine.errors import CorruptFile, UnknownArchitecture
from engine.spec import read_spec
from engine.spec.names import GGUF_LLAMA, HF_LLAMA, slots
from engine.weights.checkpoint import open_checkpoint
from engine.weights.load import stream
from tests.broken_checkpoints import tensors, write_config, write_model


def interleaved(weight: Tensor, heads: int) -> Tensor:
    """The row order that converters give q and k of "llama" files."""
    return weight.view(heads, 2, weight.shape[0] // heads // 2, -1).transpose(1, 2).reshape(weight.shape)


def write(path: Path, architecture: str = "llama", extra: dict[str, Tensor] | None = None, **facts: Any) -> Path:
    """The tiny model of `tests.tiny_models` as GGUF."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("Tiny")
    writer.add_embedding_length(64)
    writer.add_feed_forward_length(96)
    writer.add_block_count(2)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_context_length(128)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(80)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_eot_token_id(5)
    for key, value in facts.items():
        getattr(writer, f"add_{key}")(value)
    names = {HF_LLAMA.file_name(slot.name): GGUF_LLAMA.file_name(slot.name) for slot in slots(read_plain(path.parent))}
    for name, weight in tensors().items():
        if architecture == "llama" and name.endswith(("q_proj.weight", "k_proj.weight")):
            weight = interleaved(weight, 4 if "q_proj" in name else 2)
        writer.add_tensor(names[name], weight.numpy())
    for name, tensor in (extra or {}).items():
        writer.add_tensor(name, tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def read_plain(folder: Path) -> Any:
    return read_spec(write_config(folder / "plain"))


def test_the_description_is_that_of_the_folder(tmp_path: Path) -> None:
    found, expected = read_spec(write(tmp_path / "a.gguf")), read_plain(tmp_path)
    assert found.layers == expected.layers
    assert (found.hidden, found.vocab, found.context, found.norm_eps) == (64, 80, 128, 1e-5)
    assert (found.tied, found.bos_id, found.dtype) == (False, 1, "float32")


def test_c008_end_of_text_and_end_of_turn_both_count(tmp_path: Path) -> None:
    """C008: every end token that the file names."""
    assert read_spec(write(tmp_path / "a.gguf")).stop_ids == {2, 5}


@pytest.mark.parametrize("architecture", ["llama", "qwen3"])
def test_rows_of_q_and_k_are_put_back_where_they_were_moved(architecture: str, tmp_path: Path) -> None:
    extra = {}
    if architecture == "qwen3":
        extra = {f"blk.{n}.attn_{part}_norm.weight": torch.ones(16) for n in range(2) for part in "qk"}
    checkpoint = open_checkpoint(write(tmp_path / "a.gguf", architecture, extra))
    assert (checkpoint.name, checkpoint.format) == ("a", "gguf")
    found = {one.slot.name: one.tensor for one in stream(checkpoint, "cpu", "float32")}
    for slot in slots(checkpoint.spec):
        name = HF_LLAMA.file_name(slot.name)
        expected = tensors()[name] if name in tensors() else torch.ones(16)
        assert torch.equal(found[slot.name], expected), slot.name


def test_scaled_frequencies_in_a_tensor_are_used(tmp_path: Path) -> None:
    """Llama 3.1 files: a divisor for each frequency instead of the method's name."""
    factors = torch.tensor([1.0, 1, 1, 2, 4, 8, 8, 8])
    rope = read_spec(write(tmp_path / "a.gguf", extra={"rope_freqs.weight": factors})).layers[0].attention.rope
    assert rope.short == rope.long == tuple(factors.tolist()) and rope.attention_factor == 1.0
    open_checkpoint(tmp_path / "a.gguf")


def test_yarn_metadata(tmp_path: Path) -> None:
    facts = {
        "rope_scaling_type": gguf.RopeScalingType.YARN,
        "rope_scaling_factor": 4.0,
        "rope_scaling_orig_ctx_len": 32,
    }
    rope = read_spec(write(tmp_path / "a.gguf", **facts)).layers[0].attention.rope
    assert (rope.method, rope.factor, rope.original) == ("yarn", 4.0, 32)


def test_an_unknown_architecture_is_named(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "mystery")
    writer.add_tensor("x", np.ones(4, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UnknownArchitecture, match="mystery"):
        read_spec(tmp_path / "a.gguf")


def test_a_file_cut_short_anywhere_is_damaged(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.gguf").read_bytes()
    for size in (0, 3, 4, 10, 100, 600, 2000, len(whole) // 2, len(whole) - 1):
        (tmp_path / "a.gguf").write_bytes(whole[:size])
        with pytest.raises(CorruptFile, match=r"a\.gguf"):
            list(stream(open_checkpoint(tmp_path / "a.gguf"), "cpu", "float32"))


def test_the_starter_is_the_folder_made_from_it(starter: Path, starter_folder: Path) -> None:
    """Equal descriptions; equal weights after the folder's rounding to bf16."""
    file, folder = open_checkpoint(starter), open_checkpoint(starter_folder)
    assert file.spec == folder.spec and file.parameters == folder.parameters
    for ours, theirs in zip(stream(file, "cpu", "bfloat16"), stream(folder, "cpu", "bfloat16"), strict=True):
        expected = theirs.tensor
        if not ours.slot.matrix:
            assert torch.equal(ours.tensor.bfloat16().float(), expected), ours.slot.name
        else:
            assert torch.equal(ours.tensor, expected), ours.slot.name


def test_a_folder_is_not_mistaken_for_a_file(tmp_path: Path) -> None:
    assert open_checkpoint(write_model(tmp_path / "odd.gguf")).format == "safetensors"
