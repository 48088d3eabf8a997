"""The key-value section of GGUF files, against the `gguf` package's writer."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import gguf
import pytest

from engine.errors import CorruptFile, NotAModel
from engine.text.gguf_file import read_metadata

FIELDS: dict[str, Any] = {
    "tokenizer.texts": ["a", "", "漢字 🌳"],
    "tokenizer.numbers": [1, -2, 3],
    "tokenizer.reals": [0.5, -1000.0],
    "tokenizer.flags": [True, False],
    "tokenizer.text": "{{ é }}",
    "tokenizer.flag": True,
    "tokenizer.number": 4_000_000_000,
    "tokenizer.real": 0.25,
    "tokenizer.nested": [[1, 2], [3]],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for key in ("texts", "numbers", "reals", "flags", "nested"):
        writer.add_array(f"other.{key}", FIELDS[f"tokenizer.{key}"])
        writer.add_array(f"tokenizer.{key}", FIELDS[f"tokenizer.{key}"])
    writer.add_string("tokenizer.text", "{{ é }}")
    writer.add_bool("tokenizer.flag", True)
    writer.add_uint32("tokenizer.number", 4_000_000_000)
    writer.add_float32("tokenizer.real", 0.25)
    writer.add_uint64("other.number", 2**40)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_every_kind_of_value_comes_back(file: Path) -> None:
    assert read_metadata(file, "tokenizer.") == FIELDS
    everything = read_metadata(file)
    assert everything["general.architecture"] == "llama" and everything["other.number"] == 2**40


def test_a_file_cut_anywhere_is_damaged(file: Path, tmp_path: Path) -> None:
    data = file.read_bytes()
    end = len(data.rstrip(b"\0")) - 4  # whatever the writer fills up with
    cut = tmp_path / "cut.gguf"
    for size in range(0, end, 7):
        cut.write_bytes(data[:size])
        with pytest.raises(CorruptFile) as caught:
            read_metadata(cut, "tokenizer.")
        assert caught.value.path == cut


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04" + bytes(40), "GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "cut short"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63), "cut short"),
        (b"GGUF" + struct.pack("<IQQQcI", 3, 0, 1, 1, b"k", 77), "value type"),
        (b"GGUF" + struct.pack("<IQQQcIIQ", 3, 0, 1, 1, b"k", 9, 4, 2**40), "cut short"),
        (b"GGUF" + struct.pack("<IQQQcIIQ", 3, 0, 1, 1, b"k", 9, 9, 2**61) + bytes(4), "cut short"),
        (b"GGUF" + struct.pack("<IQQQcI", 3, 0, 1, 1, b"k", 9) + struct.pack("<IQ", 9, 1) * 5000, "recursion"),
        (b"GGUF" + struct.pack("<IQQQcIQc", 3, 0, 1, 1, b"k", 8, 1, b"\xff"), "utf-8"),
    ],
)
def test_what_is_no_gguf_or_lies_about_sizes(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(data)
    with pytest.raises(CorruptFile, match=reason):
        read_metadata(tmp_path / "a.gguf")


def test_an_absent_file(tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match="no such file"):
        read_metadata(tmp_path / "a.gguf")
