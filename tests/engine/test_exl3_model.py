"""Whole models packed by EXL3, run from the packed weights: each against the plain twin that it stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.generate.session import finish, load_model, load_session
from engine.layers.embedding import PackedEmbedding
from engine.layers.weight import DenseWeight, Exl3Weight, SlicedWeight
from engine.model.model import Model
from engine.plan.plan import Plan, Wishes
from engine.quant.measure import logits_of, measure
from engine.settings import EngineSettings
from tests.exl3_models import Pair, Recipe, make_pair, pack_table, round_up
from tests.tiny_tokenizers import byte_level_folder

TOKENS = torch.arange(40) * 7 % 80
MIXED = {
    "self_attn.q_proj": Recipe(1.5),
    "self_attn.k_proj": Recipe(2, "3inst"),
    "self_attn.v_proj": Recipe(8, "mcg"),
    "self_attn.o_proj": Recipe(3.5),
    "0.mlp.gate_proj": Recipe(4, "3inst"),
    "0.mlp.up_proj": Recipe(5, "mcg"),
    "1.mlp.gate_proj": Recipe(2.5),
    "1.mlp.up_proj": Recipe(1),
    "mlp.down_proj": Recipe(7, "3inst"),
    "lm_head": Recipe(6, "mcg"),
}


def load(folder: Path, **wishes: Any) -> tuple[Model, Plan]:
    return finish(load_model(folder, Wishes(**{"device": "cpu", "dtype": "float32", **wishes}), EngineSettings()))


def assert_same(folder: Path, pair: Pair) -> Model:
    """Both folders of the pair give the same logits; returns the packed model."""
    packed, plain = pair.write(folder)
    model = load(packed)[0]
    ours, theirs = (torch.cat(list(logits_of(one, TOKENS))) for one in (model, load(plain)[0]))
    assert float((ours - theirs).norm() / theirs.norm()) < 1e-4
    return model


def test_sizes_that_are_no_multiple_of_128_are_padded(tmp_path: Path) -> None:
    """Hidden 192 in 256, MLP of 320 in 384, 80 tokens in 128, heads of 4 × 48 in 256."""
    model = assert_same(tmp_path, make_pair({"_proj": Recipe(), "lm_head": Recipe(6)}))
    head = model.head.weight
    assert isinstance(head, Exl3Weight) and head.svh.shape == (128,) and head.out_features == 80


def test_rates_and_codebooks_mix_between_layers_and_within(tmp_path: Path) -> None:
    assert_same(tmp_path, make_pair(MIXED))


@pytest.mark.parametrize("architecture", ["Qwen2ForCausalLM", "Qwen3ForCausalLM", "MistralForCausalLM"])
def test_every_architecture_runs_packed(architecture: str, tmp_path: Path) -> None:
    """That of Qwen2 with padded biases in float16."""
    pair = make_pair({"_proj": Recipe(4), "lm_head": Recipe(6)}, architecture)
    for name in [name for name in pair.packed if name.endswith(".bias")]:
        pair.plain[name] = pair.plain[name].half().float()
        bias = pair.plain[name].half()
        pair.packed[name] = torch.nn.functional.pad(bias, (0, round_up(len(bias)) - len(bias)))
    assert_same(tmp_path, pair)


def test_packed_signs_of_old_files(tmp_path: Path) -> None:
    pair = make_pair({"self_attn.q_proj": Recipe(2, "3inst", signs=True), "mlp.up_proj": Recipe(2, signs=True)})
    assert {name.rpartition(".")[2] for name in pair.packed} >= {"su", "sv"}
    assert_same(tmp_path, pair)


def test_wide_matrices_in_slices(tmp_path: Path) -> None:
    cut = {
        "gate_proj": Recipe(2, slices=3),
        "up_proj": Recipe(3, slices=3),
        "down_proj": Recipe(2.5, slices=3, along="in"),
    }
    model = assert_same(tmp_path, make_pair(cut, intermediate_size=450))
    down = model.blocks[0].mlp.down.weight
    assert isinstance(down, SlicedWeight) and (down.along, down.sizes) == ("in", (128, 128, 194))


def test_what_is_left_at_16_bits_may_be_padded(tmp_path: Path) -> None:
    """As the converter saves layers that its recipe leaves alone: float16, rounded up with zeros."""
    pair = make_pair({"mlp.up_proj": Recipe(3)})
    for name in ("lm_head.weight", "model.layers.1.self_attn.q_proj.weight"):
        pair.plain[name] = pair.plain[name].half().float()
        out, inner = pair.plain[name].shape
        sides = (0, round_up(inner) - inner, 0, round_up(out) - out)
        pair.packed[name] = torch.nn.functional.pad(pair.plain[name].half(), sides)
    model = assert_same(tmp_path, pair)
    head = model.head.weight
    assert isinstance(head, DenseWeight) and head.matrix.shape == (80, 192) and head.matrix.is_contiguous()


def test_a_packed_embedding_is_decoded_row_by_row(tmp_path: Path) -> None:
    pair = make_pair({"_proj": Recipe(3), "lm_head": Recipe(6)})
    del pair.packed["model.embed_tokens.weight"]
    table, pair.plain["model.embed_tokens.weight"] = pack_table("model.embed_tokens", (80, 192), 4, seed=5)
    pair.packed |= table
    model = assert_same(tmp_path, pair)
    assert isinstance(model.embedding, PackedEmbedding)
    assert (model.embedding.vocab, model.embedding.trellis.dtype) == (80, torch.int16)


def test_a_head_of_its_own_counts_though_the_config_ties_it(tmp_path: Path) -> None:
    """Converters always write one; without any, the table is the head."""
    pair = make_pair({"lm_head": Recipe(6)})
    tied = {**pair.config, "tie_word_embeddings": True}
    packed = Pair(tied, pair.packed, pair.plain, pair.recipes).write_packed(tmp_path / "tied")
    ours, theirs = (torch.cat(list(logits_of(load(one)[0], TOKENS))) for one in (packed, pair.write(tmp_path)[1]))
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)


def test_the_plan_counts_what_is_loaded(tmp_path: Path) -> None:
    folder = make_pair(MIXED).write_packed(tmp_path)
    model, plan = load(folder, dtype="auto")
    linears = [part for block in model.blocks for part in (block.attention, block.mlp)]
    layers = [
        getattr(part, name)
        for part in linears
        for name in ("q", "k", "v", "o", "gate", "up", "down")
        if hasattr(part, name)
    ]
    norms = [model.norm, *(norm for block in model.blocks for norm in (block.attention_norm, block.mlp_norm))]
    held = sum(layer.weight.nbytes for layer in (*layers, model.head)) + sum(norm.weight.nbytes for norm in norms)
    assert model.embedding.weight.nbytes + held == plan.memory.weights  # type: ignore[union-attr]
    assert len(layers) == 14


def test_the_cache_of_packed_weights_is_float16(tmp_path: Path) -> None:
    """bfloat16 would round keys and values more than the packing leaves room for."""
    pair = make_pair({"_proj": Recipe(3)}, dtype="bfloat16")
    packed, plain = pair.write(tmp_path)
    assert (load(packed, dtype="auto")[1].dtype, load(packed, dtype="auto")[1].cache_dtype) == ("bfloat16", "float16")
    assert load(plain, dtype="auto")[1].cache_dtype == "bfloat16"
    assert load(packed, dtype="bfloat16")[1].cache_dtype == "bfloat16"


def test_the_model_card_tells_bits_and_codebook(tmp_path: Path) -> None:
    pair = make_pair({"_proj": Recipe(2.5), "lm_head": Recipe(6, "mcg")}, vocab_size=300)
    folder = byte_level_folder(pair.write_packed(tmp_path))
    session = finish(load_session(folder, Wishes(device="cpu"), EngineSettings()))
    card = session.card
    assert (card.format, card.bits, card.head_bits, card.codebooks) == ("exl3", 2.5, 6.0, ("mcg", "mul1"))
    assert card.weight_bytes == session.plan.memory.weights
    assert card.parameters == sum(tensor.numel() for tensor in pair.plain.values())
    assert "Weights packed by EXL3 at 2.50 bits" in " ".join(session.plan.reasons)


def find_golden() -> Path | None:
    """The whole model that another engine wrote, where a checkout has it beside itself."""
    folder = Path(__file__).parents[3] / "shared" / "golden" / "smollm2-768-exl3-3bpw"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def golden_model(
    starter: Path, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, Path]:
    """The model joined with its embedding; its unpacked twin; the folder of what it must compute."""
    from tests.models import cached

    golden = find_golden()
    if golden is None:
        pytest.skip("the golden model is not beside this checkout")
    cache = pytestconfig.cache.mkdir("models") if pytestconfig.cache else tmp_path_factory.mktemp("models")
    twin = cached.starter_twin(cached.starter_folder(starter, cache), cache)
    folder = tmp_path_factory.mktemp("golden")
    tensors = load_file(golden / "quantized.safetensors")
    tensors["model.embed_tokens.weight"] = load_file(twin / "model.safetensors")["model.embed_tokens.weight"]
    save_file(tensors, folder / "model.safetensors")
    for name in ("config.json", "quantization_config.json"):
        (folder / name).write_bytes((golden / name).read_bytes())
    return folder, twin, golden


@pytest.mark.slow
def test_the_golden_model_computes_what_its_writer_did(golden_model: tuple[Path, Path, Path]) -> None:
    folder, _, golden = golden_model
    known = load_file(golden / "golden-logits.safetensors")
    expected = known["logits_last16"].float().view(16, -1)
    model, _ = load(folder, dtype="auto", context=256)
    found = torch.cat(list(logits_of(model, known["input_ids"].flatten().long())))[-16:]
    assert float((found - expected).norm() / expected.norm()) < 5e-3
    assert torch.equal(found.argmax(1), expected.argmax(1))


@pytest.mark.slow
def test_the_golden_model_is_as_far_from_its_source_as_known(golden_model: tuple[Path, Path, Path]) -> None:
    """Over the first 256 tokens; its figures over all of them are KL 0.147 and perplexity 13.33."""
    folder, twin, golden = golden_model
    ids = load_file(golden.parent / "eval-ids.safetensors")["input_ids"][:1, :256].long()
    packed, plain = load(folder, dtype="auto", context=256)[0], load(twin, context=256)[0]
    *_, quality = measure(packed, ids, plain)
    assert quality.kl is not None and quality.agreement is not None
    assert 0.05 < quality.kl < 0.3 and 0.7 < quality.agreement < 0.9
