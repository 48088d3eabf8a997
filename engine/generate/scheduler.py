"""Scheduler: who computes what in the next step (no torch).

Each step has a budget of tokens. Running sequences come first, oldest first, so that the oldest always advances;
one whose prompt is not yet read takes a chunk of it, leaving a token for each that decodes. What is left of the
budget admits waiting sequences in their order. When pages run out, the youngest running sequence gives its own
back and waits at the head of the queue: what it computed stays in the cache as long as nobody needs the room.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from engine.cache.manager import CacheManager
from engine.generate.sequence import Sequence


@dataclass(frozen=True, slots=True)
class Work:
    """`count` tokens of a sequence, from its first one that is not computed."""

    sequence: Sequence
    count: int

    @property
    def start(self) -> int:
        return self.sequence.computed

    @property
    def samples(self) -> bool:
        """The last of its tokens is reached, so that the step yields the next one."""
        return self.count == self.sequence.remaining


class Scheduler:
    """Waiting and running sequences over one cache."""

    def __init__(self, cache: CacheManager, budget: int) -> None:
        """budget: most tokens computed in one step."""
        self.cache = cache
        self.budget = budget
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []  # oldest first

    @property
    def idle(self) -> bool:
        return not self.waiting and not self.running

    def add(self, sequence: Sequence) -> None:
        self.waiting.append(sequence)

    def schedule(self) -> list[Work]:
        """The next step; empty only when idle."""
        work: list[Work] = []
        budget = self.budget
        decoding = sum(sequence.remaining == 1 for sequence in self.running)
        for sequence in list(self.running):
            decodes = sequence.remaining == 1
            decoding -= decodes
            count = 1 if decodes else min(sequence.remaining, budget - decoding)
            if sequence.lease is None or not 0 < count <= budget:
                continue  # lost its pages to an older one just now, or must wait for the next step
            if self._make_room(sequence, count):
                work.append(Work(sequence, count))
                budget -= count
        while self.waiting and budget and self._admit(self.waiting[0]):
            sequence = self.waiting[0]
            count = min(sequence.remaining, budget)
            assert sequence.lease is not None
            roomy = self.cache.grow(sequence.lease, sequence.computed + count)
            assert roomy, "a lease is opened only where the whole sequence fits"
            self.running.append(self.waiting.popleft())
            work.append(Work(sequence, count))
            budget -= count
        return work

    def commit(self, work: Work) -> None:
        """The work's keys and values are in the cache."""
        sequence = work.sequence
        assert sequence.lease is not None
        sequence.computed += work.count
        self.cache.commit(sequence.lease, sequence.tokens, sequence.computed)

    def remove(self, sequence: Sequence) -> None:
        """Ends a sequence, whatever state it is in; its pages stay findable."""
        if sequence.lease is not None:
            self._give_back(sequence)
        self._forget(sequence)

    def abandon(self, sequence: Sequence) -> None:
        """Ends a sequence whose computation went wrong: what it left in the cache must not be used."""
        if sequence.lease is not None:
            self.cache.abandon(sequence.lease)
            sequence.lease = None
        self._forget(sequence)

    def _forget(self, sequence: Sequence) -> None:
        if sequence in self.running:
            self.running.remove(sequence)
        elif sequence in self.waiting:
            self.waiting.remove(sequence)

    def _admit(self, sequence: Sequence) -> bool:
        """Opens a lease, if the whole sequence as it is fits beside those that run."""
        lease = self.cache.open(sequence.tokens)
        if lease is None:
            return False
        sequence.lease = lease
        sequence.computed = lease.cached
        if not sequence.admitted:
            sequence.admitted = True
            sequence.cached = lease.cached
        return True

    def _make_room(self, sequence: Sequence, count: int) -> bool:
        """Pages for `count` more tokens, taken from the youngest if need be; False if that is itself."""
        assert sequence.lease is not None
        while not self.cache.grow(sequence.lease, sequence.computed + count):
            youngest = self.running.pop()
            self._give_back(youngest)
            self.waiting.appendleft(youngest)
            if youngest is sequence:
                return False
        return True

    def _give_back(self, sequence: Sequence) -> None:
        assert sequence.lease is not None
        self.cache.close(sequence.lease, sequence.tokens, sequence.computed)
        sequence.lease = None
        sequence.computed = 0
