"""Checkpoint: a model's files, opened and checked; its tensors are read one at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol

from torch import Tensor

from engine.errors import MissingShards, MissingTensors
from engine.layers.weight import PackedWeight
from engine.spec.exl3_config import disagreements
from engine.spec.exl3_headers import find_packed
from engine.spec.gguf import read_gguf
from engine.spec.gguf_file import GgufFile, open_gguf
from engine.spec.hf import read_folder
from engine.spec.model import ModelSpec
from engine.spec.names import GGUF_LLAMA, Slot, slots
from engine.weights import exl3
from engine.weights import gguf as gguf_tensors
from engine.weights.entry import Entry
from engine.weights.read import is_copy, read_any, read_safetensor
from engine.weights.resolve import Resolution, resolve
from engine.weights.safetensors import Inventory, take_inventory

TIED = "The files hold an output head that is a copy of the embedding; the embedding is used for both."
UNTIED = "The model declares its output head tied to the embedding, but holds another one, which is used."


Format = Literal["safetensors", "exl3", "gguf"]


class Checkpoint(Protocol):
    """name: for people. parameters: elements of all slots. warnings: one sentence each."""

    @property
    def path(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> Format: ...
    @property
    def spec(self) -> ModelSpec: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def parameters(self) -> int: ...

    def read(self, slot: Slot) -> Tensor:
        """The slot's tensor on the processor, as precise as it is stored (of GGUF: float32)."""

    def packed(self, slot: Slot, device: str) -> PackedWeight | None:
        """What fills the slot, on the device, as it is packed; None if it is not, and is to be read."""

    def entry(self, slot: Slot) -> Entry:
        """Where it is stored, and how."""


def open_checkpoint(path: Path) -> Checkpoint:
    """A Hugging Face folder or a .gguf file, with every name and shape checked.

    Raises the errors of reading descriptions (`spec`), BadQuantization, MissingShards, MissingTensors, WrongShape,
    UnexpectedTensors.
    """
    return GgufCheckpoint(path) if path.is_file() else FolderCheckpoint(path)


class FolderCheckpoint:
    """safetensors files beside a config.json, plain or with matrices packed by EXL3."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        spec, declaration = read_folder(path)
        self._inventory = take_inventory(path)
        with _told_as_files(self._inventory, path):
            self._packed = find_packed(self._inventory.entries)
            entries = exl3.as_entries(self._packed, self._inventory.entries)
            found = resolve(spec, declaration.names, entries, path)
        warnings = [*self._inventory.warnings, *disagreements(path, self._packed.matrices)]
        head = found.head
        if head and is_copy(head, found.entries["embedding.weight"]):
            warnings.append(TIED)
        elif head:
            if head.dtype != exl3.FORMAT:  # its writers always store a head of its own
                warnings.append(UNTIED)
            spec = replace(spec, tied=False)
            found = resolve(spec, declaration.names, entries, path)
        exl3.check_places(self._packed, found.entries, tied=spec.tied)
        self._found = found
        self.warnings = (*warnings, *found.warnings)
        chosen = ((slot, found.entries[slot.name]) for slot in slots(spec))
        self.spec = replace(spec, quantization=exl3.quantization(self._packed, chosen))
        self.format: Format = "exl3" if self.spec.quantization else "safetensors"

    @property
    def parameters(self) -> int:
        return _elements(self.spec)

    def read(self, slot: Slot) -> Tensor:
        tensor = read_safetensor(self._found.entries[slot.name])
        return tensor[tuple(slice(size) for size in slot.shape)]

    def packed(self, slot: Slot, device: str) -> PackedWeight | None:
        entry = self._found.entries[slot.name]
        if entry.dtype != exl3.FORMAT:
            return None
        key = entry.name.removesuffix(".weight")
        if key in self._packed.tables:
            return exl3.read_table(self._packed.tables[key], slot, self._read_part, device)
        return exl3.read_matrix(self._packed.matrices[key], slot, self._read_part, device)

    def _read_part(self, name: str) -> Tensor:
        return read_any(self._inventory.entries[name])

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
        return _elements(self.spec)

    def packed(self, slot: Slot, device: str) -> PackedWeight | None:
        return None

    def read(self, slot: Slot) -> Tensor:
        return gguf_tensors.read(self._file, self.spec, slot, self._found.entries[slot.name])

    def entry(self, slot: Slot) -> Entry:
        return self._found.entries[slot.name]


@contextmanager
def _told_as_files(inventory: Inventory, folder: Path) -> Iterator[None]:
    """What is missing is told as the missing files, if there are any."""
    try:
        yield
    except MissingTensors as error:
        if inventory.absent:
            raise MissingShards(folder, inventory.absent) from error
        raise


def _elements(spec: ModelSpec) -> int:
    return sum(math.prod(slot.shape) for slot in slots(spec))
