"""CacheManager: prefix reuse, eviction and the books, without torch."""

from __future__ import annotations

import random

import pytest

from engine.cache.manager import CacheManager, Lease, pages_for
from engine.plan.plan import PAGE_TOKENS


def text(length: int, seed: int = 0) -> list[int]:
    generator = random.Random(seed)
    return [generator.randrange(1000) for _ in range(length)]


def run(manager: CacheManager, tokens: list[int]) -> Lease:
    """Opens, computes and closes one sequence."""
    lease = manager.open(tokens)
    assert lease is not None and manager.grow(lease, len(tokens))
    manager.close(lease, tokens, len(tokens))
    manager.check_integrity()
    return lease


def test_nothing_is_known_at_first() -> None:
    manager = CacheManager(4)
    assert run(manager, text(300)).cached == 0
    assert (manager.used, manager.cached) == (0, 2)


@pytest.mark.parametrize("length", [1, 2, 255, 256, 257, 511, 512, 513])
def test_c058_a_fully_cached_prompt_still_computes_its_last_token(length: int) -> None:
    """C058: prompt lengths around the page size, sent twice."""
    manager = CacheManager(8)
    tokens = text(length)
    run(manager, tokens)
    assert run(manager, tokens).cached == length - 1


def test_a_next_turn_reuses_a_partly_filled_page() -> None:
    manager = CacheManager(8)
    first = text(300)
    run(manager, first)
    lease = manager.open([*first, 1, 2, 3])
    assert lease is not None and lease.cached == 300
    assert lease.copy is not None and lease.copy[1] == lease.pages[1] != lease.copy[0]


def test_a_branch_reuses_up_to_where_it_differs() -> None:
    manager = CacheManager(8)
    first = text(700)
    run(manager, first)
    other = [*first[:600], *text(100, seed=1)]
    lease = manager.open(other)
    assert lease is not None and lease.cached == 600


def test_equal_pages_computed_at_the_same_time_become_one() -> None:
    manager = CacheManager(8)
    tokens = text(PAGE_TOKENS)
    leases = [manager.open(tokens), manager.open(tokens)]
    for lease in leases:
        assert lease is not None and manager.grow(lease, len(tokens) + 1)
        manager.commit(lease, tokens, PAGE_TOKENS)
        manager.check_integrity()
    assert leases[0] and leases[1] and leases[0].pages[0] == leases[1].pages[0]
    assert manager.used == 3


def test_growing_evicts_the_longest_unused_text_first() -> None:
    manager = CacheManager(3)
    old, new = text(PAGE_TOKENS, seed=1), text(PAGE_TOKENS, seed=2)
    run(manager, old)
    run(manager, new)
    run(manager, text(2 * PAGE_TOKENS, seed=3))
    lease = manager.open([*new, 1])
    assert lease is not None and lease.cached in (0, PAGE_TOKENS)
    manager.close(lease, new, lease.cached)
    lease = manager.open([*old, 1])
    assert lease is not None and lease.cached == 0


def test_opening_asks_before_it_acts() -> None:
    manager = CacheManager(2)
    held = manager.open(text(300))
    assert held is not None and manager.grow(held, 300)
    assert manager.open(text(300, seed=1)) is None
    manager.check_integrity()
    assert not manager.grow(held, 3 * PAGE_TOKENS) and len(held.pages) == 2
    manager.close(held, text(300), 300)
    assert manager.open(text(300, seed=1)) is not None


def test_c059_random_lives_keep_the_books() -> None:
    """C059: shared prefixes, random tails, cancels and evictions on a cache of 12 pages."""
    generator = random.Random(5)
    manager = CacheManager(12)
    prefixes = [text(generator.randrange(1, 600), seed=seed) for seed in range(5)]
    running: list[tuple[Lease, list[int], int]] = []
    truth: dict[int, list[int]] = {}  # page -> the text, from the start, up to the last token in it
    for _ in range(1500):
        if running and generator.random() < 0.55:
            lease, tokens, computed = running.pop(generator.randrange(len(running)))
            step = min(generator.randrange(1, 300), len(tokens) - computed)
            if generator.random() < 0.3 or not step or not manager.grow(lease, computed + step):
                manager.close(lease, tokens, computed)
            else:
                for position in range(computed, computed + step):
                    truth[lease.pages[position // PAGE_TOKENS]] = tokens[: position + 1]
                manager.commit(lease, tokens, computed + step)
                running.append((lease, tokens, computed + step))
        else:
            tokens = prefixes[generator.randrange(5)] + text(generator.randrange(1, 400), seed=generator.randrange(9))
            opened = manager.open(tokens)
            if opened is not None:
                if opened.copy:
                    truth[opened.copy[1]] = truth[opened.copy[0]]
                for index in range(pages_for(opened.cached)):
                    end = min(opened.cached, (index + 1) * PAGE_TOKENS)
                    assert truth[opened.pages[index]][:end] == tokens[:end], "a page holds another text"
                running.append((opened, tokens, opened.cached))
        manager.check_integrity()
    for lease, tokens, computed in running:
        manager.close(lease, tokens, computed)
    manager.check_integrity()
    assert manager.used == 0
