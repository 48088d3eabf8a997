"""A small Llama on disk that tests may break: config.json and safetensors, whole or in shards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor

from tests import tiny_models

INDEX = "model.safetensors.index.json"
CONFIG = tiny_models.config(
    num_hidden_layers=2, max_position_embeddings=128, dtype=..., torch_dtype="float32", tie_word_embeddings=...
)


def write_config(folder: Path, *without: str, **changes: Any) -> Path:
    """config.json with the changes, and without some keys."""
    values = {key: value for key, value in {**CONFIG, **changes}.items() if key not in without}
    return tiny_models.write_config(folder, values)


def tensors(scale: float = 1.0) -> dict[str, Tensor]:
    """Its weights by the names that Hugging Face gives them."""
    named = tiny_models.tensors({**CONFIG, "tie_word_embeddings": False})
    return {name: tensor * scale for name, tensor in named.items()}


def write_model(folder: Path, weights: Mapping[str, Tensor] | None = None, **config: Any) -> Path:
    """One file of weights beside a config.json."""
    write_config(folder, **config)
    save_file(dict(tensors() if weights is None else weights), folder / "model.safetensors")
    return folder


def write_shards(folder: Path) -> Path:
    """The same in three files with an index."""
    return tiny_models.write_folder(folder, CONFIG, tensors(), shards=3)


def write_index(folder: Path, table: Mapping[str, str]) -> None:
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": dict(table)}))


def read_index(folder: Path) -> dict[str, str]:
    table: dict[str, str] = json.loads((folder / INDEX).read_text())["weight_map"]
    return table
