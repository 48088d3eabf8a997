"""From the name of an architecture to its declaration."""

from __future__ import annotations

import difflib
import functools
import importlib

from engine.errors import UnknownArchitecture
from engine.spec.declare import Declaration

FAMILIES = ("llama", "mistral", "qwen")


def architectures() -> tuple[str, ...]:
    """Every architecture that is declared."""
    return tuple(declaration.architecture for declaration in _declarations())


def find(architecture: str) -> Declaration:
    """Raises UnknownArchitecture with the nearest known ones."""
    for declaration in _declarations():
        if declaration.architecture == architecture:
            return declaration
    raise UnknownArchitecture(architecture, tuple(difflib.get_close_matches(architecture, architectures(), cutoff=0.5)))


def find_by_type(model_type: str) -> Declaration | None:
    """By the `model_type` of a config.json."""
    return next((one for one in _declarations() if one.model_type == model_type), None)


@functools.cache
def _declarations() -> tuple[Declaration, ...]:
    modules = [importlib.import_module(f"engine.spec.arch.{family}") for family in FAMILIES]
    return tuple(declaration for module in modules for declaration in module.DECLARATIONS)
