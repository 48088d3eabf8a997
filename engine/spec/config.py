"""Config: typed reading of a model's JSON files. Every error names the file and the key."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard, TypeVar

from engine.errors import ConfigError, CorruptFile

D = TypeVar("D")


class Missing(enum.Enum):
    """That there is no default: the key must be there."""

    MISSING = enum.auto()


MISSING = Missing.MISSING
LARGEST = 2**53  # above it a whole number of a JSON file may have been rounded


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
        except (OSError, ValueError, RecursionError) as error:
            raise CorruptFile(file, f"it cannot be read as JSON ({error})") from error
        if not isinstance(values, dict):
            raise CorruptFile(file, "it holds no JSON object")
        return cls(values, file)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def within(self, key: str) -> Config | None:
        """The object below a key; None if the key is absent."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"must be an object, not {value!r}")
        return Config(value, self.file, f"{self.section}{key}.")

    def integer(self, key: str, default: D | Missing = MISSING, least: int = 1) -> int | D:
        """A whole number of `least` or more."""
        value = self.values.get(key)
        if value is None:
            return self._default(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST:
            raise self.error(key, f"must be a whole number of {least} or more, not {value!r}")
        return value

    def number(self, key: str, default: D | Missing = MISSING) -> float | D:
        value = self.values.get(key)
        if value is None:
            return self._default(key, default)
        if not _is_number(value):
            raise self.error(key, f"must be a number, not {value!r}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {value!r}")
        return value

    def text(self, key: str, default: D | Missing = MISSING) -> str | D:
        value = self.values.get(key)
        if value is None:
            return self._default(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"must be a text, not {value!r}")
        return value

    def numbers(self, key: str) -> tuple[float, ...]:
        values = self.values.get(key, MISSING)
        if values is MISSING:
            raise self.error(key, "is missing")
        if not isinstance(values, list) or not all(map(_is_number, values)):
            raise self.error(key, "must be a list of numbers")
        return tuple(map(float, values))

    def ids(self, key: str) -> frozenset[int]:
        """Token ids: one, a list of them, or none, which some files write as -1."""
        value = self.values.get(key, [])
        listed = value if isinstance(value, list) else [value]
        found = [one for one in listed if isinstance(one, int) and not isinstance(one, bool)]
        if len(found) != len(listed):
            raise self.error(key, f"must be a token id or a list of them, not {value!r}")
        return frozenset(one for one in found if one >= 0)

    def error(self, key: str, reason: str) -> ConfigError:
        return ConfigError(self.file, f"{self.section}{key}", reason)

    def _default(self, key: str, default: D | Missing) -> D:
        if isinstance(default, Missing):
            raise self.error(key, "is missing")
        return default


def _is_number(value: object) -> TypeGuard[int | float]:
    """A finite one, of a size that is meant."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30
