"""Config: typed reading of a model's JSON files. Every error names the file and the key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from engine.errors import ConfigError, CorruptFile

D = TypeVar("D")
_REQUIRED = object()


class Config:
    """One JSON object of a file. A key whose value is null counts as absent."""

    def __init__(self, values: Mapping[str, object], file: Path, section: str = "") -> None:
        self.values = {key: value for key, value in values.items() if value is not None}
        self.file = file
        self.section = section

    @classmethod
    def read(cls, file: Path) -> Config:
        """Raises CorruptFile if the file is no JSON object."""
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CorruptFile(file, f"it cannot be read as JSON ({error})") from error
        if not isinstance(values, dict):
            raise CorruptFile(file, "it holds no JSON object")
        return cls(values, file)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def within(self, key: str) -> Config | None:
        """The object below a key; None if the key is absent."""
        value = self._typed(key, dict, None, "an object")
        return None if value is None else Config(value, self.file, f"{self.section}{key}.")

    def integer(self, key: str, default: int | D = _REQUIRED) -> int | D:  # type: ignore[assignment]
        """A whole number of 1 or more."""
        value = self._typed(key, int, default, "a whole number")
        if isinstance(value, int) and value is not default and value < 1:
            raise self.error(key, f"must be 1 or more, not {value}")
        return value

    def number(self, key: str, default: float | D = _REQUIRED) -> float | D:  # type: ignore[assignment]
        value = self._typed(key, (int, float), default, "a number")
        return float(value) if isinstance(value, int | float) and value is not default else value

    def flag(self, key: str, default: bool) -> bool:
        return self._typed(key, bool, default, "true or false")

    def text(self, key: str, default: str | D = _REQUIRED) -> str | D:  # type: ignore[assignment]
        return self._typed(key, str, default, "a text")

    def numbers(self, key: str) -> tuple[float, ...]:
        values = self._typed(key, list, _REQUIRED, "a list of numbers")
        if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            raise self.error(key, "must hold numbers only")
        return tuple(map(float, values))

    def ids(self, key: str) -> frozenset[int]:
        """Token ids: one, a list of them, or none."""
        value = self.values.get(key, [])
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
            raise self.error(key, f"must be a token id or a list of them, not {value!r}")
        return frozenset(listed)

    def error(self, key: str, reason: str) -> ConfigError:
        return ConfigError(self.file, f"{self.section}{key}", reason)

    def _typed(self, key: str, kind: type | tuple[type, ...], default: object, words: str):  # type: ignore[no-untyped-def]
        value = self.values.get(key, default)
        if value is _REQUIRED:
            raise self.error(key, "is missing")
        if value is not default and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
            raise self.error(key, f"must be {words}, not {value!r}")
        return value
