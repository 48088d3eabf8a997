"""Which messages of a long chat have widgets: a stretch of them that moves with the view."""

from __future__ import annotations

from dataclasses import dataclass

FIRST = 6  # messages that a chat opens with
BATCH = 3  # messages that come at a time while the view moves
MOST = 72  # messages with widgets at a time


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages [first, last) of `total`; at most MOST of them."""

    first: int
    last: int
    total: int

    @classmethod
    def newest(cls, total: int, count: int = FIRST) -> Stretch:
        return cls(max(0, total - count), total, total)

    @property
    def at_end(self) -> bool:
        return self.last == self.total

    def earlier(self) -> Stretch:
        """Grown upwards by a batch, and cut below if it has become too long."""
        first = max(0, self.first - BATCH)
        return Stretch(first, min(self.last, first + MOST), self.total)

    def later(self) -> Stretch:
        """Grown downwards by a batch, and cut above if it has become too long."""
        last = min(self.total, self.last + BATCH)
        return Stretch(max(self.first, last - MOST), last, self.total)

    def appended(self) -> Stretch:
        """With one more message at the end, which has a widget if its neighbour has one."""
        total = self.total + 1
        last = total if self.at_end else self.last
        return Stretch(max(self.first, last - MOST), last, total)
