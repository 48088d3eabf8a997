"""Which cards the CUDA runtime shows, and how it numbers them.

The management library (NVML) lists all cards by PCI bus; the runtime numbers them by CUDA_DEVICE_ORDER and
CUDA_VISIBLE_DEVICES (CUDA C++ Programming Guide, "CUDA Environment Variables"). Cards are told apart by uuid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placed:
    """What the order of a card depends on. speed: cores times clock, any unit."""

    uuid: str
    bus: str
    speed: float


def in_runtime_order(cards: Sequence[Placed], device_order: str | None) -> tuple[list[Placed], list[str]]:
    """All cards in the order of the CUDA runtime before hiding, and notices.

    PCI_BUS_ID: by bus. Otherwise fastest first, which NVIDIA does not define further: we take cores times clock,
    equal cards by bus, and say so when the cards differ.
    """
    by_bus = sorted(cards, key=lambda card: card.bus)
    if device_order == "PCI_BUS_ID":
        return by_bus, []
    notices = []
    if device_order not in (None, "FASTEST_FIRST"):
        notices.append(f"CUDA_DEVICE_ORDER is {device_order!r}, neither PCI_BUS_ID nor FASTEST_FIRST; it is ignored.")
    if len({card.speed for card in cards}) > 1:
        notices.append(
            "The cards differ, and their numbers are our estimate of which is fastest; "
            "set CUDA_DEVICE_ORDER=PCI_BUS_ID to number them by their place on the bus."
        )
    return sorted(by_bus, key=lambda card: -card.speed), notices


def shown(cards: Sequence[Placed], visible: str | None) -> tuple[list[Placed], list[str]]:
    """The cards that CUDA_VISIBLE_DEVICES leaves, in its order, and notices.

    An entry is a number in the runtime's order or a uuid, which may be shortened while it stays unique. As in the
    runtime, the list ends before the first entry that names no card; we also report that entry.
    """
    if visible is None:
        return list(cards), []
    chosen: list[Placed] = []
    for entry in (part.strip() for part in visible.split(",")):
        if entry in ("", "-1"):
            break
        matches = _matches(cards, entry)
        if len(matches) != 1 or matches[0] in chosen:
            why = "repeats a card" if matches and matches[0] in chosen else "names no card of this machine"
            return chosen, [
                f"CUDA_VISIBLE_DEVICES is {visible!r}: {entry!r} {why}, so it and what follows are not used. "
                "Write numbers or uuids, separated by commas, without quotes."
            ]
        chosen += matches
    if not chosen and cards:
        return [], [f"CUDA_VISIBLE_DEVICES is {visible!r}, which hides every card."]
    return chosen, []


def _matches(cards: Sequence[Placed], entry: str) -> list[Placed]:
    if entry.isascii() and entry.isdecimal():
        return list(cards[int(entry) : int(entry) + 1])
    return [card for card in cards if entry.startswith("GPU-") and card.uuid.startswith(entry)]
