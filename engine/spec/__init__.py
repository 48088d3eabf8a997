"""What a model is, read from its files, as pure data without torch."""

from __future__ import annotations

from pathlib import Path

from engine.spec.model import ModelSpec

__all__ = ["ModelSpec", "read_spec"]


def read_spec(path: Path) -> ModelSpec:
    """The model in a Hugging Face folder or a .gguf file. Raises the errors of `spec.hf` and `spec.gguf`."""
    from engine.spec.gguf import read_gguf
    from engine.spec.gguf_file import open_gguf
    from engine.spec.hf import read_folder

    if path.is_file():
        return read_gguf(open_gguf(path))[0]
    return read_folder(path)[0]
