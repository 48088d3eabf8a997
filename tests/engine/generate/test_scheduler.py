"""Scheduler: fairness, chunks, pre-emption and the books, without torch."""

from __future__ import annotations

import itertools
import random

from engine.cache.manager import CacheManager
from engine.generate.scheduler import Scheduler, Work
from engine.generate.sequence import Sequence
from engine.plan.plan import PAGE_TOKENS


def sequence(id: str, prompt: int, limit: int, seed: int = 0) -> Sequence:
    generator = random.Random(seed)
    return Sequence(id, [generator.randrange(99) for _ in range(prompt)], prompt, limit)


def next_token(tokens: list[int]) -> int:
    """A model as a function: the next token depends on all before it."""
    return hash(tuple(tokens)) % 99


def step(scheduler: Scheduler) -> list[Work]:
    """One step of that model."""
    work = scheduler.schedule()
    assert sum(one.count for one in work) <= scheduler.budget
    assert len({one.sequence.id for one in work}) == len(work)
    for one in work:
        samples = one.samples
        scheduler.commit(one)
        if samples:
            one.sequence.tokens.append(next_token(one.sequence.tokens))
    for one in work:
        if one.sequence.full:
            scheduler.remove(one.sequence)
    scheduler.cache.check_integrity()
    return work


def alone(template: Sequence) -> list[int]:
    tokens = list(template.tokens)
    while len(tokens) < template.limit:
        tokens.append(next_token(tokens))
    return tokens


def test_a_long_prompt_is_read_in_chunks() -> None:
    scheduler = Scheduler(CacheManager(8), budget=100)
    scheduler.add(sequence("a", 250, 252))
    assert [work.count for _ in range(4) for work in step(scheduler)] == [100, 100, 50, 1]
    assert scheduler.idle


def test_answers_go_on_while_a_long_prompt_is_read() -> None:
    scheduler = Scheduler(CacheManager(16), budget=64)
    scheduler.add(sequence("short", 10, 40, seed=2))
    step(scheduler)
    scheduler.add(sequence("long", 1000, 1001, seed=1))
    for _ in range(15):
        assert {work.sequence.id: work.count for work in step(scheduler)} == {"short": 1, "long": 63}


def test_what_the_budget_leaves_admits_the_next() -> None:
    scheduler = Scheduler(CacheManager(16), budget=64)
    scheduler.add(sequence("long", 1000, 1001, seed=1))
    scheduler.add(sequence("short", 10, 40, seed=2))
    counts: dict[str, list[int]] = {"long": [], "short": []}
    while not scheduler.idle:
        for work in step(scheduler):
            counts[work.sequence.id].append(work.count)
    # The short one is admitted when the long prompt leaves room, at its end; from then on both advance each step.
    assert counts["long"] == [64] * 15 + [40]
    assert counts["short"] == [10] + [1] * 29


def test_c053_a_cancelled_prompt_frees_everything_and_the_next_is_served() -> None:
    """C053: cancel while the prompt is being read; a short request waits behind it."""
    cache = CacheManager(5)
    scheduler = Scheduler(cache, budget=256)
    long, short = sequence("long", 1200, 1201), sequence("short", 300, 302, seed=1)
    scheduler.add(long)
    scheduler.add(short)
    step(scheduler)
    assert [one.sequence.id for one in step(scheduler)] == ["long"]
    scheduler.remove(long)
    assert cache.used == 0
    while not scheduler.idle:
        step(scheduler)
    assert short.tokens == alone(sequence("short", 300, 302, seed=1))


def test_c064_out_of_pages_the_youngest_waits_and_the_oldest_advances() -> None:
    """C064: eight pages, six sequences that need three each at their end."""
    scheduler = Scheduler(CacheManager(8), budget=512)
    originals = [sequence(str(seed), 200, 3 * PAGE_TOKENS - 5, seed) for seed in range(6)]
    running = [sequence(str(seed), 200, 3 * PAGE_TOKENS - 5, seed) for seed in range(6)]
    for one in running:
        scheduler.add(one)
    steps = 0
    while not scheduler.idle:
        assert step(scheduler), "a step without work"
        steps += 1
        assert steps < 6 * 600, "they evict one another for ever"
    assert [one.tokens for one in running] == [alone(one) for one in originals]


def test_random_arrivals_cancels_and_tiny_caches() -> None:
    """Every answer equals its single run; nothing leaks; there is always something to do."""
    generator = random.Random(11)
    for _ in range(150):
        pages = generator.randrange(3, 9)
        scheduler = Scheduler(CacheManager(pages), budget=generator.choice([17, 64, 300]))
        expected: dict[str, list[int]] = {}
        numbers = itertools.count()
        alive: list[Sequence] = []
        for _ in range(60):
            if generator.random() < 0.25:
                prompt = generator.randrange(1, (pages - 1) * PAGE_TOKENS - 60)
                template = sequence(
                    str(next(numbers)), prompt, prompt + generator.randrange(1, 50), generator.randrange(4)
                )
                expected[template.id] = alone(template)
                alive.append(template)
                scheduler.add(template)
            if alive and generator.random() < 0.1:
                gone = alive.pop(generator.randrange(len(alive)))
                if not gone.full:
                    scheduler.remove(gone)
                    del expected[gone.id]
            if not scheduler.idle:
                assert step(scheduler)
        while not scheduler.idle:
            assert step(scheduler)
        assert all(one.tokens == expected[one.id] for one in alive)
        assert scheduler.cache.used == 0


def test_an_abandoned_sequence_leaves_nothing_to_be_found() -> None:
    cache = CacheManager(8)
    scheduler = Scheduler(cache, budget=600)
    first = sequence("a", 550, 560)
    scheduler.add(first)
    step(scheduler)
    scheduler.abandon(first)
    cache.check_integrity()
    assert (cache.used, cache.cached) == (0, 0)
