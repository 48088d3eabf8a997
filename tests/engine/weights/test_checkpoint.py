"""Checkpoints: whole, sharded, prefixed, incomplete and damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.errors import (
    CorruptFile,
    MissingShards,
    MissingTensors,
    NonFiniteWeights,
    NotAModel,
    TonnelleError,
    UnexpectedTensors,
    UnsupportedTensor,
    WeightsTooLarge,
    WrongShape,
)
from engine.spec.names import HF_LLAMA
from engine.weights.checkpoint import open_checkpoint
from engine.weights.load import stream
from tests.broken_checkpoints import INDEX, read_index, tensors, write_index, write_model, write_shards


def load(path: Path) -> dict[str, Tensor]:
    """All slots, by the names of the file."""
    return {HF_LLAMA.file_name(one.slot.name): one.tensor for one in stream(open_checkpoint(path), "cpu", "float32")}


def same(found: dict[str, Tensor], expected: dict[str, Tensor]) -> bool:
    return set(found) == set(expected) and all(torch.equal(found[name], expected[name]) for name in expected)


def shard(folder: Path, number: int) -> Path:
    return folder / f"model-{number:05}-of-00003.safetensors"


def drop(file: Path, name: str) -> None:
    weights = load_file(file)
    del weights[name]
    save_file(weights, file)


def test_one_file_and_three_shards_hold_the_same(tmp_path: Path) -> None:
    assert same(load(write_model(tmp_path / "one")), tensors())
    assert same(load(write_shards(tmp_path / "three")), tensors())


def test_the_checkpoint_describes_itself(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(write_model(tmp_path / "My Model"))
    assert (checkpoint.name, checkpoint.format, checkpoint.warnings) == ("My Model", "safetensors", ())
    assert checkpoint.parameters == sum(tensor.numel() for tensor in tensors().values())


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    steps = list(stream(open_checkpoint(write_model(tmp_path)), "cpu", "bfloat16"))
    sizes = [step.tensor.nbytes for step in steps]
    assert [step.done for step in steps] == [sum(sizes[: index + 1]) for index in range(len(sizes))]
    assert {step.total for step in steps} == {sum(sizes)}
    assert all(step.tensor.dtype == (torch.bfloat16 if step.slot.matrix else torch.float32) for step in steps)


def test_c004_a_deleted_shard_is_named(tmp_path: Path) -> None:
    """C004 (a)."""
    write_shards(tmp_path)
    shard(tmp_path, 2).unlink()
    with pytest.raises(MissingShards, match="model-00002-of-00003") as caught:
        open_checkpoint(tmp_path)
    assert caught.value.files == ("model-00002-of-00003.safetensors",)


def test_c004_a_tensor_that_only_the_index_has_is_named(tmp_path: Path) -> None:
    """C004 (b): removed from shard 3, still in the index."""
    write_shards(tmp_path)
    name = next(name for name, file in read_index(tmp_path).items() if "00003-of" in file)
    drop(shard(tmp_path, 3), name)
    with pytest.raises(MissingTensors) as caught:
        open_checkpoint(tmp_path)
    assert caught.value.names == (name,)


def test_c004_a_norm_that_nobody_has_is_named(tmp_path: Path) -> None:
    """C004 (c): removed from shard and index."""
    name = "model.layers.1.input_layernorm.weight"
    write_shards(tmp_path)
    table = read_index(tmp_path)
    drop(tmp_path / table.pop(name), name)
    write_index(tmp_path, table)
    with pytest.raises(MissingTensors, match="input_layernorm"):
        open_checkpoint(tmp_path)


def test_c005_an_index_of_absent_shards_beside_a_whole_file(tmp_path: Path) -> None:
    """C005 (a): the real file's header is the truth; a warning."""
    write_model(tmp_path)
    write_index(tmp_path, {name: f"model-{n % 4}.safetensors" for n, name in enumerate(tensors())})
    assert same(load(tmp_path), tensors())
    assert any(INDEX in warning for warning in open_checkpoint(tmp_path).warnings)


def test_c005_an_index_that_forgot_tensors(tmp_path: Path) -> None:
    """C005 (b): five tensors are there but not listed."""
    write_shards(tmp_path)
    write_index(tmp_path, dict(list(read_index(tmp_path).items())[5:]))
    assert same(load(tmp_path), tensors())
    assert any("5 tensors" in warning for warning in open_checkpoint(tmp_path).warnings)


def test_c005_a_stray_full_copy_is_left_out(tmp_path: Path) -> None:
    """C005 (c): the indexed set wins, whatever the stray file's name sorts as."""
    write_shards(tmp_path)
    for name in ("a.safetensors", "model.safetensors", "z.safetensors"):
        save_file(tensors(scale=2.0), tmp_path / name)
    assert same(load(tmp_path), tensors())
    assert any("a.safetensors" in warning for warning in open_checkpoint(tmp_path).warnings)


def test_c020_every_prefix_of_today_loads_alike(tmp_path: Path) -> None:
    """C020: bare, language model inside, language model outside; vision tensors are left out with a word."""
    weights = tensors()
    renamed = {
        "bare": weights,
        "outside": {f"language_model.{name}": tensor for name, tensor in weights.items()},
        "inside": {f"model.language_model.{name}": tensor for name, tensor in weights.items()},
        "head alone outside": {
            name if name.startswith("lm_head") else f"language_model.{name}": tensor for name, tensor in weights.items()
        },
    }
    for name, named in renamed.items():
        folder = write_model(tmp_path / name, {**named, "vision_tower.weight": torch.ones(3)})
        assert same(load(folder), weights), name
        assert any("vision" in warning for warning in open_checkpoint(folder).warnings)


def test_a_tensor_without_a_place_is_named(tmp_path: Path) -> None:
    write_model(tmp_path, {**tensors(), "model.layers.0.self_attn.q_proj.bias": torch.ones(64)})
    with pytest.raises(UnexpectedTensors, match=r"q_proj\.bias"):
        open_checkpoint(tmp_path)


def test_saved_rotary_tables_are_no_surprise(tmp_path: Path) -> None:
    write_model(tmp_path, {**tensors(), "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(8)})
    assert open_checkpoint(tmp_path).warnings == ()


def test_a_wrong_shape_is_told_with_both_shapes(tmp_path: Path) -> None:
    write_model(tmp_path, {**tensors(), "model.norm.weight": torch.ones(63)})
    with pytest.raises(WrongShape) as caught:
        open_checkpoint(tmp_path)
    assert (caught.value.expected, caught.value.found) == ((64,), (63,))
    assert caught.value.name == "model.norm.weight" and caught.value.file == tmp_path / "model.safetensors"


def test_a_tied_model_uses_its_embedding(tmp_path: Path) -> None:
    write_model(tmp_path / "with", tie_word_embeddings=True)
    assert any("tied" in warning for warning in open_checkpoint(tmp_path / "with").warnings)
    weights = tensors()
    del weights["lm_head.weight"]
    write_model(tmp_path / "without", weights, tie_word_embeddings=True)
    assert open_checkpoint(tmp_path / "without").warnings == ()
    with pytest.raises(MissingTensors, match="lm_head"):
        open_checkpoint(write_model(tmp_path / "untied", weights))


def test_a_file_cut_short_anywhere_is_damaged(tmp_path: Path) -> None:
    whole = (write_model(tmp_path) / "model.safetensors").read_bytes()
    for size in (0, 4, 8, 20, 500, len(whole) // 2, len(whole) - 1):
        (tmp_path / "model.safetensors").write_bytes(whole[:size])
        with pytest.raises(CorruptFile, match=r"model\.safetensors"):
            open_checkpoint(tmp_path)


def test_random_bytes_never_get_past_the_header(tmp_path: Path) -> None:
    """A fuzz over the header: an error of ours, or the model as it was."""
    whole = bytearray((write_model(tmp_path) / "model.safetensors").read_bytes())
    generator = torch.Generator().manual_seed(3)
    for _ in range(300):
        broken = bytearray(whole)
        at = int(torch.randint(0, 2500, (1,), generator=generator))
        broken[at] = int(torch.randint(0, 256, (1,), generator=generator))
        (tmp_path / "model.safetensors").write_bytes(broken)
        try:
            load(tmp_path)
        except TonnelleError as error:
            assert str(tmp_path) in str(error)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_values_that_are_not_finite_are_refused_by_tensor_and_file(value: float, tmp_path: Path) -> None:
    weights = tensors()
    weights["model.layers.1.mlp.down_proj.weight"][3, 4] = value
    write_model(tmp_path, weights)
    with pytest.raises(NonFiniteWeights, match=r"layers\.1\.mlp\.down") as caught:
        load(tmp_path)
    assert caught.value.file == tmp_path / "model.safetensors"


def test_values_beyond_float16_are_refused_there_only(tmp_path: Path) -> None:
    weights = tensors()
    weights["lm_head.weight"][0, 0] = 1e6
    checkpoint = open_checkpoint(write_model(tmp_path, weights))
    assert len(list(stream(checkpoint, "cpu", "bfloat16"))) == len(weights)
    with pytest.raises(WeightsTooLarge, match="float16"):
        list(stream(checkpoint, "cpu", "float16"))


def test_a_stored_type_that_cannot_run_is_named(tmp_path: Path) -> None:
    weights = {**tensors(), "model.norm.weight": torch.ones(64, dtype=torch.int8)}
    with pytest.raises(UnsupportedTensor, match="I8"):
        load(write_model(tmp_path, weights))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_every_floating_type_is_read(dtype: torch.dtype, tmp_path: Path) -> None:
    weights = {name: tensor.to(dtype) for name, tensor in tensors().items()}
    found = load(write_model(tmp_path, weights))
    assert same(found, {name: tensor.float() for name, tensor in weights.items()})


def test_what_holds_no_weights_is_no_model(tmp_path: Path) -> None:
    write_model(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "model.bin")
    with pytest.raises(NotAModel, match="safetensors"):
        open_checkpoint(tmp_path)
    with pytest.raises(NotAModel, match=r"\.gguf"):
        open_checkpoint(tmp_path / "model.bin")


def test_stopping_in_the_middle_leaves_nothing_open(tmp_path: Path) -> None:
    steps = stream(open_checkpoint(write_model(tmp_path)), "cpu", "float32")
    next(steps)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(CorruptFile):
        list(steps)
