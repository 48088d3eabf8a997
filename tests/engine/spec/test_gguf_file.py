"""The head of a GGUF file."""

from __future__ import annotations

import struct
from pathlib import Path

import gguf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import CorruptFile, NotAModel, TonnelleError
from engine.spec import read_spec
from engine.spec.gguf_file import open_gguf
from tests import tiny_models


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.gguf"
    return tiny_models.write_gguf(path, tiny_models.config("Qwen2ForCausalLM", num_hidden_layers=1)).read_bytes()


def test_tensors_lie_where_the_library_finds_them(starter: Path) -> None:
    file, reader = open_gguf(starter), gguf.GGUFReader(starter)
    assert {name: (one.shape, one.kind, one.offset) for name, one in file.tensors.items()} == {
        one.name: (tuple(reversed(one.shape.tolist())), one.tensor_type.value, one.data_offset)
        for one in reader.tensors
    }


def test_short_values_are_read_and_vocabularies_stepped_over(starter: Path) -> None:
    file = open_gguf(starter)
    assert file.architecture == "llama"
    assert file.metadata["general.languages"] == ["en"]
    assert file.metadata["llama.rope.freq_base"] == 100000.0
    assert file.metadata["tokenizer.ggml.add_bos_token"] is False
    assert "tokenizer.ggml.tokens" not in file.metadata


FIELDS = {
    "tokenizer.texts": ["a", "", "漢字 🌳"],
    "tokenizer.numbers": [1, -2, 3],
    "tokenizer.reals": [0.5, -1000.0],
    "tokenizer.flags": [True, False],
    "tokenizer.text": "{{ é }}",
    "tokenizer.flag": True,
    "tokenizer.number": 4_000_000_000,
    "tokenizer.real": 0.25,
    "tokenizer.nested": [[1, 2], [3]],
    "tokenizer.long": [str(number) for number in range(600)],
}


def test_every_kind_of_value_comes_back_and_long_lists_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for key, value in FIELDS.items():
        if isinstance(value, list):
            writer.add_array(key, value)
    writer.add_string("tokenizer.text", "{{ é }}")
    writer.add_bool("tokenizer.flag", True)
    writer.add_uint32("tokenizer.number", 4_000_000_000)
    writer.add_float32("tokenizer.real", 0.25)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    everything = {"general.architecture": "llama", **FIELDS}
    assert open_gguf(path, lists="tokenizer.").metadata == everything
    del everything["tokenizer.long"]
    assert open_gguf(path).metadata == open_gguf(path, lists="other.").metadata == everything


def head(format: str, *values: object) -> bytes:
    """A file that says version 3, no tensors, and then this."""
    return b"GGUF" + struct.pack(f"<IQ{format}", 3, 0, *values)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version"),
        (head("Q", 2**60), "cut short"),
        (head("QQ", 1, 2**63), "cut short"),
        (head("QQcI", 1, 1, b"k", 77), "type of value"),
        (head("QQcIIQ", 1, 1, b"k", 9, 4, 2**40), "cut short"),
        (head("QQcIIQ", 1, 1, b"k", 9, 9, 2**61) + bytes(4), "cut short"),
        (head("QQcI", 1, 1, b"k", 9) + struct.pack("<IQ", 9, 1) * 5000, "recursion"),
        (head("QQcIQc", 1, 1, b"k", 8, 1, b"\xff"), "utf-8"),
    ],
)
def test_what_lies_about_sizes_is_damaged(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(data)
    with pytest.raises(CorruptFile, match=reason):
        open_gguf(tmp_path / "a.gguf")


def test_tensors_begin_at_the_alignment_that_the_file_names(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_custom_alignment(4096)
    writer.add_tensor("x", tiny_models.tensors(tiny_models.config())["model.norm.weight"].numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert open_gguf(path).tensors["x"].offset == 4096


def test_what_is_no_gguf_file(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(CorruptFile, match="does not begin with GGUF"):
        open_gguf(tmp_path / "a.gguf")
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(NotAModel, match=r"\.gguf"):
        open_gguf(tmp_path / "a.zip")
    with pytest.raises(NotAModel, match="no such file"):
        open_gguf(tmp_path / "b.gguf")


def test_an_old_version_is_named(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(whole[:4] + b"\x01" + whole[5:])
    with pytest.raises(CorruptFile, match="version 0x1"):
        open_gguf(tmp_path / "a.gguf")


def test_a_head_cut_short_anywhere_is_damaged(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(whole)
    head = min(one.offset for one in open_gguf(path).tensors.values()) - 32
    for size in range(0, head, 7):
        path.write_bytes(whole[:size])
        with pytest.raises(CorruptFile):
            open_gguf(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(4, 3000), value=st.binary(min_size=1, max_size=8))
def test_any_bytes_are_read_or_refused_as_one_of_our_errors(
    at: int, value: bytes, whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(whole[:at] + value + whole[at + len(value) :])
    try:
        read_spec(path)
    except TonnelleError as error:
        assert str(error)
