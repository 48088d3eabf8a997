"""Reference models that are made once: kept in a folder that outlives the run, and made again when their recipe or
their source changed."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.models import starter, widen


def starter_folder(file: Path, cache: Path) -> Path:
    """The starter's .gguf file as a Hugging Face folder."""
    return _made(cache, "starter", _key(file, starter.__file__), lambda target: starter.write_folder(file, target))


def starter_twin(folder: Path, cache: Path) -> Path:
    """The widened twin of `starter_folder`."""
    key = _key(folder / "config.json", widen.__file__) + folder.name
    return _made(
        cache, "twin", hashlib.sha256(key.encode()).hexdigest(), lambda target: widen.write_twin(folder, target)
    )


def _key(source: Path, recipe: str | None) -> str:
    assert recipe is not None
    facts = f"{source.name} {source.stat().st_size}".encode()
    return hashlib.sha256(facts + Path(recipe).read_bytes()).hexdigest()


def _made(cache: Path, name: str, key: str, make: Callable[[Path], None]) -> Path:
    """Made under another name first, so that what bears its own is whole, also when several runs make it at once."""
    finished = cache / f"{name}-{key[:16]}"
    if finished.is_dir():
        return finished
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        made = Path(temporary) / name
        make(made)
        try:
            made.rename(finished)
        except OSError:
            if not finished.is_dir():  # else another run was faster
                raise
    for old in cache.glob(f"{name}-*"):
        if old != finished:
            shutil.rmtree(old)
    return finished
