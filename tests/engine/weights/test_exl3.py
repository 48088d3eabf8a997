"""Packed checkpoints that are damaged, or that say one thing and hold another."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.errors import (
    BadQuantization,
    CorruptFile,
    MissingShards,
    MissingTensors,
    NonFiniteWeights,
    TonnelleError,
    UnexpectedTensors,
    WrongShape,
)
from engine.layers.weight import Exl3Weight
from engine.weights.checkpoint import open_checkpoint
from engine.weights.load import LoadedTensor, stream
from tests import tiny_models
from tests.exl3_models import MARKERS, Pair, Recipe, make_pair, marker, pack_table, write_storage

KEY = "model.layers.1.mlp.up_proj"
Tensors = dict[str, Tensor]


def pair() -> Pair:
    return make_pair({"_proj": Recipe(3), "lm_head": Recipe(6, "mcg")})


def load(folder: Path) -> list[LoadedTensor]:
    return list(stream(open_checkpoint(folder), "cpu", "float32"))


def broken(folder: Path, change: Callable[[Tensors], object]) -> Path:
    """The model after a change to its tensors."""
    made = pair()
    change(made.packed)
    return made.write_packed(folder)


def refused(folder: Path, error: type[TonnelleError], suffix: str) -> TonnelleError:
    """The error of loading, which names the tensor and the file and offers a remedy."""
    with pytest.raises(error) as caught:
        load(folder)
    assert f"{KEY}.{suffix}" in caught.value.sentence()
    assert str(folder / "model.safetensors") in caught.value.sentence()
    assert caught.value.remedy()
    return caught.value


def test_a_slot_is_filled_as_the_file_packs_it(tmp_path: Path) -> None:
    made = pair()
    loaded = {one.slot.name: one.tensor for one in load(made.write_packed(tmp_path))}
    weight = loaded["layers.1.mlp.up.weight"]
    assert isinstance(weight, Exl3Weight)
    assert torch.equal(weight.trellis, made.packed[f"{KEY}.trellis"])
    assert (weight.codebook, weight.out_features, weight.suh.dtype) == ("mul1", 320, torch.float16)


def test_progress_ends_at_what_was_planned(tmp_path: Path) -> None:
    steps = load(pair().write_packed(tmp_path))
    assert steps[-1].done == steps[-1].total == sum(step.tensor.nbytes for step in steps)


@pytest.mark.parametrize("words", [0, 47, 72, 144])
def test_a_trellis_of_a_wrong_width(words: int, tmp_path: Path) -> None:
    def change(tensors: Tensors) -> None:
        tensors[f"{KEY}.trellis"] = torch.zeros(*tensors[f"{KEY}.trellis"].shape[:2], words, dtype=torch.int16)

    refused(broken(tmp_path, change), BadQuantization, "trellis")


def test_half_a_bit_belongs_to_one_codebook(tmp_path: Path) -> None:
    made = make_pair({"_proj": Recipe(2.5)})
    del made.packed[f"{KEY}.mul1"]
    assert "3inst" in refused(made.write_packed(tmp_path), BadQuantization, "trellis").sentence()


def test_both_markers(tmp_path: Path) -> None:
    error = refused(
        broken(tmp_path, lambda tensors: tensors.update({f"{KEY}.mcg": marker("mcg")})), BadQuantization, "mcg"
    )
    assert "mul1" in error.sentence()


@pytest.mark.parametrize("value", [0, 1, MARKERS["mcg"] - 2**32])
def test_an_unknown_multiplier(value: int, tmp_path: Path) -> None:
    change = {f"{KEY}.mul1": torch.tensor(value, dtype=torch.int32)}
    assert (
        "0x83dcd12d"
        in refused(broken(tmp_path, lambda tensors: tensors.update(change)), BadQuantization, "mul1").sentence()
    )


def test_a_marker_that_is_no_single_number(tmp_path: Path) -> None:
    change = {f"{KEY}.mul1": marker("mul1").view(1)}
    refused(broken(tmp_path, lambda tensors: tensors.update(change)), BadQuantization, "mul1")


def test_words_that_are_stored_as_u16(tmp_path: Path) -> None:
    def change(tensors: Tensors) -> None:
        tensors[f"{KEY}.trellis"] = tensors[f"{KEY}.trellis"].view(torch.uint16)

    error = refused(broken(tmp_path, change), BadQuantization, "trellis")
    assert "U16" in error.sentence() and "I16" in error.sentence()


@pytest.mark.parametrize("suffix", ["svh", "suh", "trellis"])
def test_a_part_that_is_missing(suffix: str, tmp_path: Path) -> None:
    refused(broken(tmp_path, lambda tensors: tensors.pop(f"{KEY}.{suffix}")), MissingTensors, suffix)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("suffix", ["suh", "svh"])
def test_scales_that_are_not_finite(suffix: str, value: float, tmp_path: Path) -> None:
    def change(tensors: Tensors) -> None:
        tensors[f"{KEY}.{suffix}"][7] = value

    refused(broken(tmp_path, change), NonFiniteWeights, suffix)


def test_scales_of_a_wrong_length_or_type(tmp_path: Path) -> None:
    def longer(tensors: Tensors) -> None:
        tensors[f"{KEY}.svh"] = torch.ones(385).half()

    def wider(tensors: Tensors) -> None:
        tensors[f"{KEY}.suh"] = tensors[f"{KEY}.suh"].float()

    refused(broken(tmp_path / "longer", longer), BadQuantization, "svh")
    assert "F32" in refused(broken(tmp_path / "wider", wider), BadQuantization, "suh").sentence()


def test_the_scale_of_a_pre_release(tmp_path: Path) -> None:
    """Such weights would be run at another size than they are meant."""
    folder = broken(tmp_path, lambda tensors: tensors.update({f"{KEY}.scale": torch.tensor(0.5)}))
    assert "conversion" in refused(folder, BadQuantization, "scale").remedy()


def test_a_file_that_is_cut_short(tmp_path: Path) -> None:
    folder = pair().write_packed(tmp_path)
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(CorruptFile, match=r"model\.safetensors"):
        open_checkpoint(folder)


def test_shards_hold_the_same_and_an_absent_one_is_named(tmp_path: Path) -> None:
    """Also where a file ends in the middle of a layer."""
    made = pair()
    whole = load(made.write_packed(tmp_path))
    folder = tiny_models.write_folder(tmp_path / "shards", made.config, made.packed, shards=5)
    for one, other in zip(whole, load(folder), strict=True):
        assert one.slot == other.slot
        for part in ("trellis", "suh", "svh") if isinstance(one.tensor, Exl3Weight) else ():
            assert torch.equal(getattr(one.tensor, part), getattr(other.tensor, part))
    (folder / "model-00003-of-00005.safetensors").unlink()
    with pytest.raises(MissingShards, match="model-00003-of-00005"):
        open_checkpoint(folder)


def test_a_matrix_of_another_size(tmp_path: Path) -> None:
    other = make_pair({"_proj": Recipe(3)}, intermediate_size=700)
    made = pair()
    made.packed |= {name: other.packed[name] for name in made.packed if name.startswith(KEY)}
    with pytest.raises(WrongShape) as caught:
        open_checkpoint(made.write_packed(tmp_path))
    assert (caught.value.found, caught.value.expected) == ((768, 256), (320, 192))


def test_packed_and_unpacked_at_once(tmp_path: Path) -> None:
    made = pair()
    made.packed[f"{KEY}.weight"] = made.plain[f"{KEY}.weight"]
    refused(made.write_packed(tmp_path), BadQuantization, "weight")


def test_a_packed_layer_that_the_model_does_not_have(tmp_path: Path) -> None:
    made = pair()
    made.packed |= {name.replace(".1.", ".7."): tensor.clone() for name, tensor in made.packed.items() if KEY in name}
    with pytest.raises(UnexpectedTensors, match=r"layers\.7\.mlp\.up_proj"):
        open_checkpoint(made.write_packed(tmp_path))


def test_a_slice_that_is_missing(tmp_path: Path) -> None:
    made = make_pair({"up_proj": Recipe(2, slices=3)}, intermediate_size=450)
    for name in [name for name in made.packed if f"{KEY}.slice.1." in name]:
        del made.packed[name]
    with pytest.raises(BadQuantization, match=r"up_proj\.slice\.0"):
        open_checkpoint(made.write_packed(tmp_path))


def test_a_table_in_the_place_of_a_matrix_and_the_other_way_round(tmp_path: Path) -> None:
    made = make_pair({"embed_tokens": Recipe(3)})
    with pytest.raises(BadQuantization, match=r"embed_tokens\.trellis is packed as a matrix"):
        open_checkpoint(made.write_packed(tmp_path / "matrix"))
    made = make_pair({}, hidden_size=256)
    del made.packed["lm_head.weight"]
    made.packed |= pack_table("lm_head", (80, 256), 4, seed=1)[0]
    with pytest.raises(BadQuantization, match=r"lm_head\.trellis is packed as a table"):
        open_checkpoint(made.write_packed(tmp_path / "table"))


def test_a_packed_table_cannot_be_the_head(tmp_path: Path) -> None:
    made = make_pair({}, tie_word_embeddings=True)
    del made.packed["model.embed_tokens.weight"]
    made.packed |= pack_table("model.embed_tokens", (80, 192), 4, seed=1)[0]
    with pytest.raises(BadQuantization, match="output head"):
        open_checkpoint(made.write_packed(tmp_path))


@pytest.mark.parametrize("suffix", ["signs", "trellis"])
def test_scales_of_a_table_that_are_not_finite(suffix: str, tmp_path: Path) -> None:
    made = make_pair({})
    del made.packed["model.embed_tokens.weight"]
    table = pack_table("model.embed_tokens", (80, 192), 4, seed=1)[0]
    table[f"model.embed_tokens.{suffix}"].view(torch.float16)[0, 0] = float("nan")
    made.packed |= table
    with pytest.raises(NonFiniteWeights, match=suffix):
        load(made.write_packed(tmp_path))


def test_bits_that_the_config_gets_wrong_are_told_and_the_tensors_believed(tmp_path: Path) -> None:
    made = pair()
    made.claims |= {"bits": 4.25, "head_bits": 8}
    checkpoint = open_checkpoint(made.write_packed(tmp_path))
    assert checkpoint.warnings == (
        "config.json says 4.25 bits for the layers, the tensors hold 3.00; the tensors are believed.",
        "config.json says 8 bits for the head, the tensors hold 6.00; the tensors are believed.",
    )
    assert checkpoint.spec.quantization and checkpoint.spec.quantization.bits == 3


def test_right_claims_are_passed_over_in_silence(tmp_path: Path) -> None:
    made = pair()
    made.claims |= {"bits": 3.0, "head_bits": 6, "codebook": "mul1"}
    folder = made.write_packed(tmp_path)
    write_storage(folder, made)
    checkpoint = open_checkpoint(folder)
    assert (checkpoint.warnings, checkpoint.format) == ((), "exl3")


def test_a_folder_needs_no_claims(tmp_path: Path) -> None:
    made = pair()
    made.claims = {}
    checkpoint = open_checkpoint(made.write_packed(tmp_path))
    assert (checkpoint.warnings, checkpoint.format) == ((), "exl3")


@pytest.mark.parametrize("change", [{"bits_per_weight": 4}, {"mcg_multiplier": 3, "mul1_multiplier": None}])
def test_a_list_of_tensors_that_is_wrong_is_told(change: dict[str, object], tmp_path: Path) -> None:
    made = pair()
    folder = made.write_packed(tmp_path)
    write_storage(folder, made, **{KEY: change})
    (warning,) = open_checkpoint(folder).warnings
    assert KEY in warning and "quantization_config.json" in warning


@pytest.mark.parametrize("text", ["{", '{"quant_method": "exl3", "bits": "three"}'])
def test_claims_that_cannot_be_read_are_told(text: str, tmp_path: Path) -> None:
    folder = pair().write_packed(tmp_path)
    (folder / "quantization_config.json").write_text(text)
    (warning,) = open_checkpoint(folder).warnings
    assert "quantization_config.json" in warning and "believed" in warning


def test_weights_that_only_the_config_calls_packed(tmp_path: Path) -> None:
    made = make_pair({})
    made.claims |= {"bits": 3.0}
    checkpoint = open_checkpoint(made.write_packed(tmp_path))
    assert checkpoint.format == "safetensors" and checkpoint.spec.quantization is None
    assert "run as they are" in checkpoint.warnings[0]


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_headers_of_any_kind_load_or_are_refused(data: st.DataObject, tmp_path: Path) -> None:
    """A header whose shapes, types and names are changed at random raises nothing but our own errors."""
    folder = tmp_path / "packed"
    if not folder.is_dir():
        pair().write(tmp_path)
        (folder / "whole").write_bytes((folder / "model.safetensors").read_bytes())
    whole = (folder / "whole").read_bytes()
    length = struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8 : 8 + length])
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(sorted(set(header) - {"__metadata__"})))
        fields = header.pop(name)
        match data.draw(st.sampled_from(["shape", "dtype", "name", "gone"])):
            case "shape":
                fields["shape"] = data.draw(
                    st.permutations(fields["shape"]) | st.lists(st.integers(0, 400), max_size=4)
                )
                header[name] = fields
            case "dtype":
                fields["dtype"] = data.draw(
                    st.sampled_from(["I16", "U16", "F16", "BF16", "I32", "F32", "F8_E4M3", "?"])
                )
                header[name] = fields
            case "name":
                key, _, _ = name.rpartition(".")
                suffix = data.draw(
                    st.sampled_from(["trellis", "suh", "svh", "su", "sv", "mcg", "scale", "signs", "slice.0.suh"])
                )
                header[f"{key}.{suffix}"] = fields
            case "gone":
                pass
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + whole[8 + length :])
    try:
        loaded = load(folder)
    except TonnelleError as error:
        assert error.sentence() and error.remedy()
    else:
        assert loaded[-1].done == loaded[-1].total


def test_what_was_read_outlives_its_file(tmp_path: Path) -> None:
    """Nothing stays mapped: the file may be replaced while the model runs."""
    made = pair()
    folder = made.write_packed(tmp_path)
    loaded = load(folder)
    file = folder / "model.safetensors"
    save_file({name: torch.zeros_like(tensor) for name, tensor in load_file(file).items()}, file)
    weight = next(one.tensor for one in loaded if one.slot.name == "layers.1.mlp.up.weight")
    assert isinstance(weight, Exl3Weight) and torch.equal(weight.suh, made.packed[f"{KEY}.suh"])
