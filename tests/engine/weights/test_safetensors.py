"""Which files of a folder count, and what their headers say."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from engine.errors import CorruptFile, MissingShards, NotAModel
from engine.weights.safetensors import INDEX, read_header, take_inventory
from tests import tiny_models

CONFIG = tiny_models.config()


def test_the_header_tells_names_shapes_and_types(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    save_file({"x": torch.ones(2, 3, dtype=torch.bfloat16), "y": torch.ones(())}, file, {"format": "pt"})
    assert {(one.name, one.file, one.shape, one.dtype) for one in read_header(file)} == {
        ("x", file, (2, 3), "BF16"),
        ("y", file, (), "F32"),
    }


def test_without_an_index_the_whole_model_wins_over_other_files(tmp_path: Path) -> None:
    """As where the makers' own format lies beside it, with names of its own."""
    tiny_models.write_folder(tmp_path, CONFIG)
    save_file({"layers.0.attention.wq.weight": torch.ones(3)}, tmp_path / "consolidated.safetensors")
    (tmp_path / "._model.safetensors").write_bytes(b"a file system's note")
    (tmp_path / "folder.safetensors").mkdir()
    inventory = take_inventory(tmp_path)
    assert inventory.entries.keys() == tiny_models.tensors(CONFIG).keys() and inventory.warnings == ()


def test_without_an_index_shards_are_found_by_themselves(tmp_path: Path) -> None:
    tiny_models.write_folder(tmp_path, CONFIG, shards=3)
    (tmp_path / INDEX).unlink()
    inventory = take_inventory(tmp_path)
    assert inventory.entries.keys() == tiny_models.tensors(CONFIG).keys()


def test_c005_a_damaged_stray_file_does_not_matter(tmp_path: Path) -> None:
    """C005 (c): what is not used is not read."""
    tiny_models.write_folder(tmp_path, CONFIG, shards=2)
    (tmp_path / "model.safetensors").write_bytes(b"half a download")
    (warning,) = take_inventory(tmp_path).warnings
    assert "model.safetensors is not named" in warning


def test_c005_a_shard_that_no_tensor_needs_may_be_absent(tmp_path: Path) -> None:
    """C005: files that are there decide."""
    tiny_models.write_folder(tmp_path, CONFIG, shards=2)
    index = json.loads((tmp_path / INDEX).read_text())
    index["weight_map"]["vision.weight"] = "vision.safetensors"
    (tmp_path / INDEX).write_text(json.dumps(index))
    inventory = take_inventory(tmp_path)
    assert inventory.absent == ("vision.safetensors",)
    assert any("vision.safetensors" in warning for warning in inventory.warnings)


def test_a_tensor_in_two_files_is_read_once_and_told(tmp_path: Path) -> None:
    tiny_models.write_folder(tmp_path, CONFIG, shards=2)
    second = tmp_path / "model-00002-of-00002.safetensors"
    stored = tiny_models.tensors(CONFIG)
    names = [one.name for one in read_header(second)]
    save_file({name: stored[name] for name in (*names, "model.embed_tokens.weight")}, second)
    inventory = take_inventory(tmp_path)
    assert inventory.entries["model.embed_tokens.weight"].file.name == "model-00001-of-00002.safetensors"
    assert any("stands in" in warning for warning in inventory.warnings)


def test_c004_an_index_alone_names_what_to_fetch(tmp_path: Path) -> None:
    """C004 (a): no shard is there at all."""
    tiny_models.write_folder(tmp_path, CONFIG, shards=2)
    for file in tmp_path.glob("*.safetensors"):
        file.unlink()
    with pytest.raises(MissingShards) as caught:
        take_inventory(tmp_path)
    assert caught.value.files == tuple(f"model-0000{number}-of-00002.safetensors" for number in (1, 2))


def test_pickled_weights_are_refused_as_such(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(NotAModel, match=r"pickled \(pytorch_model\.bin\)"):
        take_inventory(tmp_path)


GOOD: dict[str, Any] = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "header",
    [
        [],
        {"x": None},
        {"x": []},
        {"x": {**GOOD, "shape": "2"}},
        {"x": {**GOOD, "shape": [-2]}},
        {"x": {**GOOD, "shape": [3]}},
        {"x": {**GOOD, "dtype": 7}},
        {"x": {**GOOD, "data_offsets": [0]}},
        {"x": {**GOOD, "data_offsets": [8, 0]}},
        {"x": {**GOOD, "data_offsets": [0, "8"]}},
        {"x": {**GOOD, "data_offsets": [0, 16]}},
        {"x": GOOD, "y": {**GOOD, "data_offsets": [8, 16]}},
        {"x": {"dtype": "F32"}},
    ],
    ids=str,
)
def test_a_header_that_does_not_fit_its_file_is_damage(header: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    with pytest.raises(CorruptFile, match=r"a\.safetensors"):
        read_header(file)
    text = json.dumps({"x": GOOD}).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    assert len(read_header(file)) == 1


@pytest.mark.parametrize("text", [b"{" * 100_000, b"\xff\xfe", b"nonsense"])
def test_a_header_that_is_no_json_is_damage(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(struct.pack("<Q", len(text)) + text)
    with pytest.raises(CorruptFile, match="header cannot be read"):
        read_header(file)
