"""Which tensor of a checkpoint fills which slot: decided from names and headers, before any data is read.

Rules for what is left over:
- rotary tables and the like, which old exporters saved, are passed over in silence;
- tensors of vision, sound or drafting, and all that lies outside of a nested text model, with a notice;
- so is a head in a model that declares it tied to the embedding; `Resolution.head` tells it to whoever may look closer;
- anything else means that configuration and weights do not belong together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import MissingTensors, UnexpectedTensors, WrongShape
from engine.spec.model import ModelSpec
from engine.spec.names import NameRules, Slot, slots
from engine.weights.entry import Entry

Nesting = tuple[str, str]

HEAD = "head.weight"
# Parts of multimodal checkpoints that a text model has no use for, and prediction heads beside the main one.
OTHER_MODELS = ("vision", "visual", "image", "audio", "multi_modal_projector", "mm_projector", "mtp.")


@dataclass(frozen=True, slots=True)
class Resolution:
    """The entry of every slot; the head that a tied model holds nevertheless; what was left out."""

    entries: Mapping[str, Entry]
    head: Entry | None
    warnings: tuple[str, ...]


def resolve(spec: ModelSpec, rules: NameRules, entries: Mapping[str, Entry], source: Path) -> Resolution:
    """Raises MissingTensors, WrongShape or UnexpectedTensors, in this order."""
    wanted = list(slots(spec))
    nesting = _nesting(wanted, rules, entries)
    found = {slot.name: _find(slot.name, rules, nesting, entries) for slot in wanted}
    chosen = {name: entry for name, entry in found.items() if entry}
    missing = [rules.nested(rules.file_name(name), nesting) for name in found if name not in chosen]
    if missing:
        raise MissingTensors(source, tuple(missing))
    for slot in wanted:
        entry = chosen[slot.name]
        if not entry.holds(slot.shape):
            raise WrongShape(entry.file, entry.name, slot.shape, entry.shape)
    head = _find(HEAD, rules, nesting, entries) if spec.tied else None
    left = set(entries) - {entry.name for entry in chosen.values()} - ({head.name} if head else set())
    return Resolution(chosen, head, tuple(_leftovers(spec, rules, nesting, left, source)))


def _nesting(wanted: list[Slot], rules: NameRules, entries: Mapping[str, Entry]) -> Nesting:
    """That under which most of the names are found."""
    names = [rules.file_name(slot.name) for slot in wanted]
    return max(rules.nestings, key=lambda nesting: sum(rules.nested(name, nesting) in entries for name in names))


def _find(slot: str, rules: NameRules, nesting: Nesting, entries: Mapping[str, Entry]) -> Entry | None:
    """A head may be nested in another way than the rest, or not at all."""
    ways = (nesting, *rules.nestings) if slot == HEAD else (nesting,)
    names = (rules.nested(rules.file_name(slot), way) for way in ways)
    return next((entries[name] for name in names if name in entries), None)


def _leftovers(spec: ModelSpec, rules: NameRules, nesting: Nesting, left: set[str], source: Path) -> list[str]:
    """What to tell of them. Raises UnexpectedTensors."""
    left = {name for name in left if not any(part in name for part in rules.ignored)}
    drafts = _drafts(spec, rules, nesting, left)
    others = {name for name in left - drafts if _of_another_model(name, nesting)}
    unexpected = left - drafts - others
    if unexpected:
        raise UnexpectedTensors(source, tuple(sorted(unexpected)))
    warnings = []
    if others:
        warnings.append(f"{len(others)} tensors of vision, sound or drafting are left out: only text is run.")
    if spec.draft_layers:
        held = "they are left out" if drafts or others else "the files do not hold them"
        warnings.append(f"The model announces {spec.draft_layers} layers for drafting; {held}, and none is done.")
    return warnings


def _drafts(spec: ModelSpec, rules: NameRules, nesting: Nesting, left: set[str]) -> set[str]:
    """Tensors of the layers that are announced to follow the model's own."""
    layers = range(len(spec.layers), len(spec.layers) + spec.draft_layers)
    places = tuple(rules.nested(rules.layer.format(index), nesting) for index in layers)
    return {name for name in left if name.startswith(places)}


def _of_another_model(name: str, nesting: Nesting) -> bool:
    return not name.startswith(nesting[1]) or any(part in name for part in OTHER_MODELS)
