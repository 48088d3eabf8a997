"""Checkpoint: a model's files, opened and checked; its tensors are read one at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol

from torch import Tensor

from engine.errors import MissingShards, MissingTensors
from engine.spec.gguf import read_gguf
from engine.spec.gguf_file import GgufFile, open_gguf
from engine.spec.hf import read_folder
from engine.spec.model import ModelSpec
from engine.spec.names import GGUF_LLAMA, NameRules, Slot
from engine.weights import gguf as gguf_tensors
from engine.weights.entry import Entry
from engine.weights.read import is_copy, read_safetensor
from engine.weights.resolve import Resolution, resolve
from engine.weights.safetensors import Inventory, take_inventory

TIED = "The files hold an output head that is a copy of the embedding; the embedding is used for both."
UNTIED = "The model declares its output head tied to the embedding, but holds another one, which is used."


class Checkpoint(Protocol):
    """name: for people. parameters: elements of all slots. warnings: one sentence each."""

    @property
    def path(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> Literal["safetensors", "gguf"]: ...
    @property
    def spec(self) -> ModelSpec: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def parameters(self) -> int: ...

    def read(self, slot: Slot) -> Tensor:
        """The slot's tensor on the processor, as precise as it is stored (of GGUF: float32)."""

    def entry(self, slot: Slot) -> Entry:
        """Where it is stored, and how."""


def open_checkpoint(path: Path) -> Checkpoint:
    """A Hugging Face folder or a .gguf file, with every name and shape checked.

    Raises the errors of reading descriptions (`spec`), MissingShards, MissingTensors, WrongShape, UnexpectedTensors.
    """
    return GgufCheckpoint(path) if path.is_file() else FolderCheckpoint(path)


class FolderCheckpoint:
    """safetensors files beside a config.json."""

    format: Literal["safetensors"] = "safetensors"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        self.spec, declaration = read_folder(path)
        inventory = take_inventory(path)
        self._found = _resolve(self.spec, declaration.names, inventory, path)
        warnings = list(inventory.warnings)
        head = self._found.head
        if head and is_copy(head, self._found.entries["embedding.weight"]):
            warnings.append(TIED)
        elif head:
            warnings.append(UNTIED)
            self.spec = replace(self.spec, tied=False)
            self._found = _resolve(self.spec, declaration.names, inventory, path)
        self.warnings = (*warnings, *self._found.warnings)

    @property
    def parameters(self) -> int:
        return _elements(self._found.entries)

    def read(self, slot: Slot) -> Tensor:
        return read_safetensor(self._found.entries[slot.name])

    def entry(self, slot: Slot) -> Entry:
        return self._found.entries[slot.name]


class GgufCheckpoint:
    """One .gguf file."""

    format: Literal["gguf"] = "gguf"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: GgufFile = open_gguf(path)
        self.name = path.stem  # general.name is often that of an intermediate folder of whoever converted it
        self.spec, _ = read_gguf(self._file)
        self._found: Resolution = resolve(self.spec, GGUF_LLAMA, gguf_tensors.entries(self._file), path)
        self.warnings = self._found.warnings

    @property
    def parameters(self) -> int:
        return _elements(self._found.entries)

    def read(self, slot: Slot) -> Tensor:
        return gguf_tensors.read(self._file, self.spec, slot, self._found.entries[slot.name])

    def entry(self, slot: Slot) -> Entry:
        return self._found.entries[slot.name]


def _resolve(spec: ModelSpec, rules: NameRules, inventory: Inventory, folder: Path) -> Resolution:
    """What is missing is told as the missing files, if there are any."""
    try:
        return resolve(spec, rules, inventory.entries, folder)
    except MissingTensors as error:
        if inventory.absent:
            raise MissingShards(folder, inventory.absent) from error
        raise


def _elements(entries: Mapping[str, Entry]) -> int:
    return sum(math.prod(entry.shape) for entry in entries.values())
