"""Typed reading of JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError, CorruptFile
from engine.spec.config import Config

FILE = Path("config.json")


def test_null_counts_as_absent() -> None:
    config = Config({"a": None}, FILE)
    assert "a" not in config
    assert config.integer("a", 3) == 3 and config.number("a", 0.5) == 0.5 and config.text("a", "x") == "x"
    assert config.flag("a", True) and config.within("a") is None and config.ids("a") == frozenset()


@pytest.mark.parametrize("read", [Config.integer, Config.number, Config.text, Config.numbers])
def test_what_has_no_default_must_be_there(read: Callable[[Config, str], Any]) -> None:
    with pytest.raises(ConfigError, match=r"config\.json: outer\.a: is missing"):
        read(Config({}, FILE, "outer."), "a")


@pytest.mark.parametrize(
    ("read", "value"),
    [
        *((Config.integer, value) for value in (0, -1, 2**60, 1.5, True, "1", [1])),
        *((Config.number, value) for value in (float("nan"), float("inf"), 10**400, True, "1", [1.0])),
        *((Config.text, value) for value in (1, True, ["a"])),
        *((Config.numbers, value) for value in (1.0, ["a"], [float("nan")], [True], {"a": 1})),
        *((Config.within, value) for value in (1, "a", [1])),
        *((Config.ids, value) for value in ("1", 1.5, True, [1, None], {"a": 1})),
    ],
    ids=str,
)
def test_a_value_of_another_type_or_size_is_refused(read: Callable[[Config, str], Any], value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read(Config({"a": value}, FILE), "a")
    assert (caught.value.file, caught.value.key) == (FILE, "a")


def test_ids_are_one_or_several_and_minus_one_is_none() -> None:
    config = Config({"one": 2, "several": [5, 2, 5], "none": -1}, FILE)
    assert [config.ids(key) for key in ("one", "several", "none")] == [{2}, {2, 5}, set()]


def test_a_section_keeps_its_name_in_errors() -> None:
    inner = Config({"a": {"b": {"c": "x"}}}, FILE).within("a")
    assert inner is not None
    deeper = inner.within("b")
    assert deeper is not None
    with pytest.raises(ConfigError, match=r"a\.b\.c"):
        deeper.integer("c")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_file_that_holds_no_object_is_damaged(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(CorruptFile, match=r"config\.json"):
        Config.read(tmp_path / "config.json")
