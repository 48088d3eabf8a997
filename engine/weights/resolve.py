"""Which tensor of a checkpoint fills which slot: decided from names and headers, before any data is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import MissingTensors, UnexpectedTensors, WrongShape
from engine.spec.model import ModelSpec
from engine.spec.names import NameRules, Slot, slots
from engine.weights.entry import Entry

# Parts of multimodal checkpoints that a text model has no use for, and prediction heads beside the main one.
OTHER_MODELS = ("vision", "visual", "image", "audio", "multi_modal_projector", "mm_projector", "mtp.")


@dataclass(frozen=True, slots=True)
class Resolution:
    """The entry of every slot, and what was left out."""

    entries: Mapping[str, Entry]
    warnings: tuple[str, ...]


def resolve(spec: ModelSpec, rules: NameRules, entries: Mapping[str, Entry], source: Path) -> Resolution:
    """Raises MissingTensors, WrongShape or UnexpectedTensors, in this order."""
    wanted = list(slots(spec))
    prefix = _prefix(wanted, rules, entries)
    chosen: dict[str, Entry] = {}
    missing = []
    for slot in wanted:
        name = rules.file_name(slot.name)
        # A multimodal checkpoint may nest its head or leave it outside.
        entry = entries.get(prefix + name) or (entries.get(name) if slot.name.startswith("head.") else None)
        if entry is None:
            missing.append(prefix + name)
        else:
            chosen[slot.name] = entry
    if missing:
        raise MissingTensors(source, tuple(missing))
    for slot in wanted:
        entry = chosen[slot.name]
        if entry.shape != slot.shape:
            raise WrongShape(entry.file, entry.name, slot.shape, entry.shape)
    warnings = _check_leftovers(spec, rules, prefix, set(entries) - {entry.name for entry in chosen.values()}, source)
    return Resolution(chosen, warnings)


def _prefix(wanted: list[Slot], rules: NameRules, entries: Mapping[str, Entry]) -> str:
    """What stands before the names of the text model: that under which most of them are found."""
    names = [rules.file_name(slot.name) for slot in wanted]
    return max(rules.prefixes, key=lambda prefix: sum(prefix + name in entries for name in names))


def _check_leftovers(
    spec: ModelSpec, rules: NameRules, prefix: str, leftovers: set[str], source: Path
) -> tuple[str, ...]:
    left = {name for name in leftovers if not any(part in name for part in rules.ignored)}
    others = {name for name in left if any(part in name for part in OTHER_MODELS)}
    left -= others
    warnings = []
    if others:
        warnings.append(f"{len(others)} tensors of vision, sound or drafting are left out: only text is run.")
    if spec.tied:
        heads = {f"{one}{rules.file_name('head.weight')}" for one in (prefix, "")} & left
        if heads:
            left -= heads
            warnings.append(
                "The files hold an output head, but the model declares it tied to the embedding, which is used."
            )
    if left:
        raise UnexpectedTensors(source, tuple(sorted(left)))
    return tuple(warnings)
