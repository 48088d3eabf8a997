"""JSON files of a model folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from engine.errors import CorruptFile


def read_object(path: Path) -> Mapping[str, object]:
    """The JSON object in a file; empty when there is no such file. Raises CorruptFile."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:  # both of bytes that are not UTF-8 and of text that is not JSON
        raise CorruptFile(path, f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise CorruptFile(path, f"it holds a {type(value).__name__} where an object belongs")
    return value
