"""Which tensor goes where, decided from names and shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.errors import MissingTensors, UnexpectedTensors
from engine.spec import read_spec
from engine.spec.names import HF_LLAMA
from engine.weights.checkpoint import open_checkpoint
from engine.weights.load import stream
from engine.weights.resolve import OTHER_MODELS
from tests import tiny_models

# Ways in which checkpoints in use name the text model, as (name of the bare file, name of this one).
NESTINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "bare": (),
    "inside": (("model.", "model.language_model."),),
    "inside, head nested as well": (("model.", "model.language_model."), ("lm_head.", "model.language_model.lm_head.")),
    "outside, head nested as well": (("model.", "language_model.model."), ("lm_head.", "language_model.lm_head.")),
    "outside, head alone": (("model.", "language_model.model."),),
    "whole inside": (("model.", "model.language_model.model."), ("lm_head.", "model.language_model.lm_head.")),
    "layers alone": (("model.", ""),),
}
VISION = {
    "vision_tower.encoder.weight": torch.ones(3),
    "model.visual.patch_embed.weight": torch.ones(3),
    "multi_modal_projector.linear.bias": torch.ones(3),
}


def renamed(stored: dict[str, Tensor], nesting: tuple[tuple[str, str], ...]) -> dict[str, Tensor]:
    def name(old: str) -> str:
        return next((new + old.removeprefix(start) for start, new in nesting if old.startswith(start)), old)

    return {name(old): tensor for old, tensor in stored.items()}


def write(folder: Path, stored: dict[str, Tensor], **changes: Any) -> Path:
    return tiny_models.write_folder(folder, tiny_models.config(**changes), stored)


def load(folder: Path) -> dict[str, Tensor]:
    return {HF_LLAMA.file_name(one.slot.name): one.tensor for one in stream(open_checkpoint(folder), "cpu", "float32")}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("way", NESTINGS)
def test_c020_the_text_part_loads_alike_however_it_is_nested(way: str, tied: bool, tmp_path: Path) -> None:
    """C020: with the head nested or not, or tied; tensors of vision are left out with a notice."""
    stored = tiny_models.tensors(tiny_models.config(tie_word_embeddings=tied))
    folder = write(tmp_path, {**renamed(stored, NESTINGS[way]), **VISION}, tie_word_embeddings=tied)
    found = load(folder)
    assert found.keys() == stored.keys() and all(torch.equal(found[name], stored[name]) for name in stored)
    assert [warning for warning in open_checkpoint(folder).warnings if warning.startswith("3 tensors of vision")]


def test_c020_beside_a_nested_model_no_name_of_another_part_matters(tmp_path: Path) -> None:
    """C020: parts whose names we do not know belong to another model, but not within the text model's own place."""
    stored = renamed(tiny_models.tensors(tiny_models.config()), NESTINGS["inside"])
    folder = write(tmp_path, {**stored, "model.connector.scale": torch.ones(1)})
    assert open_checkpoint(folder).warnings
    with pytest.raises(UnexpectedTensors, match=r"language_model\.layers\.0\.extra"):
        open_checkpoint(write(tmp_path, {**stored, "model.language_model.layers.0.extra": torch.ones(1)}))


@pytest.mark.parametrize("way", ["bare", "inside"])
@pytest.mark.parametrize("present", [True, False])
def test_c020_an_announced_layer_for_drafting_present_or_absent(present: bool, way: str, tmp_path: Path) -> None:
    """C020: the model loads either way, and says that it does not draft."""
    stored = tiny_models.tensors(tiny_models.config())
    extra = {"model.layers.3.eh_proj.weight": torch.ones(4), "model.layers.3.enorm.weight": torch.ones(4)}
    named = renamed({**stored, **(extra if present else {})}, NESTINGS[way])
    folder = write(tmp_path, named, num_nextn_predict_layers=1)
    assert load(folder).keys() == stored.keys()
    (warning,) = open_checkpoint(folder).warnings
    assert ("left out" if present else "do not hold") in warning
    if present:
        with pytest.raises(UnexpectedTensors, match="eh_proj"):
            open_checkpoint(write(tmp_path, named, num_nextn_predict_layers=0))


def test_missing_tensors_are_named_as_the_file_would_name_them(tmp_path: Path) -> None:
    stored = renamed(tiny_models.tensors(tiny_models.config()), NESTINGS["inside"])
    del stored["model.language_model.layers.2.mlp.up_proj.weight"]
    with pytest.raises(MissingTensors) as caught:
        open_checkpoint(write(tmp_path, stored))
    assert caught.value.names == ("model.language_model.layers.2.mlp.up_proj.weight",)


def test_a_tied_model_with_another_head_is_not_tied(tmp_path: Path) -> None:
    """The files are the truth: what a model was trained with counts, not what its description forgot."""
    stored = tiny_models.tensors(tiny_models.config())
    folder = write(tmp_path, stored, tie_word_embeddings=True)
    checkpoint = open_checkpoint(folder)
    assert read_spec(folder).tied and not checkpoint.spec.tied
    assert any("which is used" in warning for warning in checkpoint.warnings)
    assert torch.equal(load(folder)["lm_head.weight"], stored["lm_head.weight"])


def test_a_tied_model_with_a_copy_of_its_embedding_is_tied(tmp_path: Path) -> None:
    stored = tiny_models.tensors(tiny_models.config())
    stored["lm_head.weight"] = stored["model.embed_tokens.weight"].clone()
    checkpoint = open_checkpoint(write(tmp_path, stored, tie_word_embeddings=True))
    assert checkpoint.spec.tied and any("a copy" in warning for warning in checkpoint.warnings)
    assert checkpoint.parameters == sum(tensor.numel() for tensor in stored.values()) - 80 * 64


def test_no_part_of_another_model_is_a_part_of_ours() -> None:
    names = [HF_LLAMA.layer, *(part for _, part in HF_LLAMA.parts)]
    assert not [name for name in names for other in OTHER_MODELS if other in name]
