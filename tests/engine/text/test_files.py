"""JSON files: absent, good, damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CorruptFile
from engine.text.files import read_object


def test_an_absent_file_is_an_empty_object(tmp_path: Path) -> None:
    assert read_object(tmp_path / "none.json") == {}


def test_an_object_is_read_as_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes('{"a": "é"}'.encode())
    assert read_object(tmp_path / "a.json") == {"a": "é"}


@pytest.mark.parametrize("data", [b"", b'{"a": ', b"[1, 2]", b'{"a": "\xff"}', b"null"])
def test_a_damaged_file_is_named(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(CorruptFile) as caught:
        read_object(tmp_path / "a.json")
    assert caught.value.path == tmp_path / "a.json" and caught.value.remedy()
