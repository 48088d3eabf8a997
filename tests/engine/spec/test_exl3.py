"""What headers alone tell of packed matrices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.errors import BadQuantization, MissingTensors
from engine.spec.exl3 import RATES, Exl3Matrix, Exl3Part, Exl3Table, mean_rate, padded
from engine.spec.exl3_config import disagreements
from engine.spec.exl3_headers import find_packed
from tests.broken_checkpoints import write_config

FILE = Path("model.safetensors")


@dataclass(frozen=True, slots=True)
class Head:
    name: str
    shape: tuple[int, ...]
    dtype: str
    file: Path = FILE


Headers = dict[str, Head]


def layer(
    key: str, inner: int = 256, out: int = 128, rate: float = 3, codebook: str = "mul1", *, signs: bool = False
) -> Headers:
    suffixes: dict[str, tuple[tuple[int, ...], str]] = {
        "trellis": ((inner // 16, out // 16, int(16 * rate)), "I16"),
        **(
            {"su": ((inner // 16,), "I16"), "sv": ((out // 16,), "I16")}
            if signs
            else {"suh": ((inner,), "F16"), "svh": ((out,), "F16")}
        ),
        **({} if codebook == "3inst" else {codebook: ((), "I32")}),
    }
    return {f"{key}.{suffix}": Head(f"{key}.{suffix}", *facts) for suffix, facts in suffixes.items()}


@pytest.mark.parametrize("codebook", ["3inst", "mcg", "mul1"])
@pytest.mark.parametrize("rate", RATES)
def test_every_rate_and_codebook_is_recognized(rate: float, codebook: str) -> None:
    headers = layer("a", rate=rate, codebook=codebook)
    if rate != int(rate) and codebook != "mul1":
        with pytest.raises(BadQuantization, match=f"{rate:g} bits, which the codebook {codebook}"):
            find_packed(headers)
        return
    packed = find_packed(headers)
    (part,) = packed.matrices["a"].parts
    assert part == Exl3Part("a", FILE, rate, codebook, 256, 128)  # type: ignore[arg-type]
    assert packed.names == set(headers)
    assert part.bytes == 256 * 128 * rate / 8 + 2 * (256 + 128)
    assert part.marker == (None if codebook == "3inst" else f"a.{codebook}")


def test_layers_differ_in_all_they_have_and_plain_tensors_are_no_layers() -> None:
    experts = [layer(f"moe.experts.{index}.up_proj", rate=rate) for index, rate in enumerate((2, 2.5, 8))]
    other = {"norm.weight": Head("norm.weight", (256,), "BF16"), "a.bias": Head("a.bias", (128,), "F16")}
    headers = layer("a", codebook="3inst") | layer("b", rate=1, codebook="mcg") | other
    for expert in experts:
        headers |= expert
    packed = find_packed(headers)
    assert len(packed.matrices) == 5 and not packed.tables
    assert set(headers) - packed.names == set(other)
    assert mean_rate((packed.matrices["a"], packed.matrices["b"])) == 2


def test_old_signs_are_read_where_there_are_no_scales() -> None:
    part = find_packed(layer("a", signs=True)).matrices["a"].parts[0]
    assert (part.input_scales, part.output_scales) == ("a.su", "a.sv")
    both = layer("a") | layer("a", signs=True)
    packed = find_packed(both)
    assert packed.matrices["a"].parts[0].input_scales == "a.suh" and packed.names == set(both)


def test_slices_are_joined_in_the_order_of_their_numbers() -> None:
    outs = [128] * 11 + [256]
    headers: Headers = {}
    for index, out in enumerate(outs):
        headers |= layer(f"l.gate_proj.slice.{index}", out=out, rate=2 if index else 4)
        headers |= layer(f"l.down_proj.slice.{index}", inner=out, out=256)
    packed = find_packed(headers)
    gate, down = packed.matrices["l.gate_proj"], packed.matrices["l.down_proj"]
    assert (gate.along, gate.shape, gate.parts[10].key) == ("out", (1664, 256), "l.gate_proj.slice.10")
    assert (down.along, down.shape, down.parts[11].inner) == ("in", (256, 1664), 256)
    assert gate.rate == pytest.approx((4 * 128 + 2 * 1536) / 1664)


@pytest.mark.parametrize(
    "headers",
    [
        layer("l.gate_proj.slice.1"),
        layer("l.gate_proj.slice.0") | layer("l.gate_proj.slice.2"),
        layer("l.gate_proj") | layer("l.gate_proj.slice.0"),
        layer("l.q_proj.slice.0") | layer("l.q_proj.slice.1"),
        layer("l.gate_proj.slice.0") | layer("l.gate_proj.slice.1", inner=128),
    ],
    ids=["no first", "a gap", "whole too", "not an MLP", "another width"],
)
def test_slices_that_do_not_make_a_matrix(headers: Headers) -> None:
    with pytest.raises(BadQuantization, match="slice"):
        find_packed(headers)


def test_a_table_is_told_by_its_signs() -> None:
    groups, rate = 3, 4
    headers = {
        "e.trellis": Head("e.trellis", (1000, groups * (1 + 16 * rate)), "I16"),
        "e.signs": Head("e.signs", (groups, 256), "F16"),
    }
    table = find_packed(headers).tables["e"]
    assert table == Exl3Table("e", FILE, rate, 1000, groups)
    assert table.shape == padded((1000, 576), table.rounding) == (1000, 768)
    assert table.bytes == 1000 * groups * (1 + 16 * rate) * 2 + groups * 256 * 2


@pytest.mark.parametrize(
    ("trellis", "signs"),
    [
        ((9, 195), (3, 128)),
        ((9, 194), (3, 256)),
        ((9, 3 * 25), (3, 256)),
        ((9, 3 * 145), (3, 256)),
        ((9, 5, 48), (3, 256)),
    ],
    ids=["short signs", "no whole rings", "half a bit", "nine bits", "tiles"],
)
def test_tables_that_are_none(trellis: tuple[int, ...], signs: tuple[int, ...]) -> None:
    headers = {"e.trellis": Head("e.trellis", trellis, "I16"), "e.signs": Head("e.signs", signs, "F16")}
    with pytest.raises(BadQuantization, match=r"e\."):
        find_packed(headers)


@pytest.mark.parametrize("suffix", ["trellis", "suh", "svh"])
def test_a_missing_part_is_named_with_the_file_of_the_others(suffix: str) -> None:
    headers = layer("a")
    del headers[f"a.{suffix}"]
    with pytest.raises(MissingTensors) as caught:
        find_packed(headers)
    assert (caught.value.source, caught.value.names) == (FILE, (f"a.{suffix}",))


@pytest.mark.parametrize(("inner", "out"), [(240, 128), (256, 64), (0, 128)])
def test_sides_are_multiples_of_128(inner: int, out: int) -> None:
    with pytest.raises(BadQuantization, match="multiples of 128"):
        find_packed(layer("a", inner, out))


def test_sizes_are_rounded_up() -> None:
    part = Exl3Part("a", FILE, 3, "mul1", 640, 1536)
    assert padded((1536, 576), Exl3Matrix("a", (part,)).rounding) == Exl3Matrix("a", (part,)).shape == (1536, 640)


def test_claims_of_both_files_are_held_against_the_tensors(tmp_path: Path) -> None:
    matrices = find_packed(layer("a", rate=3) | layer("b", rate=4) | layer("lm_head", rate=6)).matrices
    folder = write_config(tmp_path, quantization_config={"quant_method": "exl3", "bits": 3.5, "head_bits": 6})
    assert disagreements(folder, matrices) == ()
    beside = folder / "quantization_config.json"
    beside.write_text(
        '{"quant_method": "exl3", "bits": 2.0, "tensor_storage": {"b": {"bits_per_weight": 4}, "norm": {}}}'
    )
    averages, listed = disagreements(folder, matrices)
    assert averages.startswith("quantization_config.json says 2 bits for the layers, the tensors hold 3.50")
    assert "another codebook for b;" in listed  # it is listed without the multiplier of its codebook
