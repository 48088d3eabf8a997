"""CacheManager: the one owner of the cache's pages (no torch).

A sequence's life: `open` (match what is known) → `grow` before each step → `commit` after it → `close`.

    tokens    |<------ cached ------>|<----- computed ----->|<-- next step -->|
    pages     [ shared ][ shared ][ copied+own ][   own    ][   own   ] ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.cache.pages import PagePool
from engine.cache.prefix import Node, PrefixTree
from engine.plan.plan import PAGE_TOKENS


def pages_for(tokens: int) -> int:
    return -(-tokens // PAGE_TOKENS)


@dataclass(slots=True, eq=False)
class Lease:
    """The pages of one sequence.

    cached: tokens that were found in the cache when it was opened. copy: (from, to) pages to be copied before
    the first step, or None. published: the tree's nodes of its first pages; it holds every one of them, so that
    whoever holds a node holds its ancestors, and eviction from the leaves finds all idle pages.
    """

    pages: list[int] = field(default_factory=list)
    cached: int = 0
    copy: tuple[int, int] | None = None
    published: list[Node] = field(default_factory=list)


class CacheManager:
    """Hands out pages, evicts the longest unused ones, and remembers prefixes."""

    def __init__(self, pages: int) -> None:
        self._pool = PagePool(pages)
        self._tree = PrefixTree()
        self._leases: list[Lease] = []

    @property
    def total(self) -> int:
        return self._pool.total

    @property
    def used(self) -> int:
        return self._pool.used

    @property
    def cached(self) -> int:
        return self._pool.cached

    def open(self, tokens: Sequence[int]) -> Lease | None:
        """A lease with everything that is known of `tokens`, its last one excepted: at least one must be
        computed, for its logits. None when the pages that the whole of `tokens` needs cannot be had now."""
        match = self._tree.match(tokens, len(tokens) - 1)
        lease = Lease(pages=[node.page for node in match.nodes], published=list(match.nodes))
        for page in lease.pages:
            self._pool.hold(page)
        self._leases.append(lease)
        # The page to be copied is held until its copy exists, or making room could evict it.
        partial = match.partial
        if partial:
            self._pool.hold(partial.page)
        fits = self._available() >= pages_for(len(tokens)) - len(lease.pages)
        if fits:
            lease.cached = len(match.nodes) * PAGE_TOKENS
            if partial:
                lease.pages.append(self._take())
                lease.copy = (partial.page, lease.pages[-1])
                lease.cached = match.tokens
        if partial:
            self._pool.drop(partial.page)
        if not fits:
            self._release(lease)
            return None
        return lease

    def grow(self, lease: Lease, tokens: int) -> bool:
        """Room for `tokens` tokens in all; False, with nothing changed, when that many pages cannot be had."""
        missing = pages_for(tokens) - len(lease.pages)
        if missing > self._available():
            return False
        lease.pages.extend(self._take() for _ in range(missing))
        return True

    def commit(self, lease: Lease, tokens: Sequence[int], computed: int) -> None:
        """Publishes the pages that are full, now that keys and values of `tokens[:computed]` are in them."""
        while (len(lease.published) + 1) * PAGE_TOKENS <= computed:
            index = len(lease.published)
            node = self._publish(lease, index, tuple(tokens[index * PAGE_TOKENS : (index + 1) * PAGE_TOKENS]))
            self._adopt(lease, index, node)

    def close(self, lease: Lease, tokens: Sequence[int], computed: int) -> None:
        """Ends the lease; what was computed stays findable until its pages are needed."""
        self.commit(lease, tokens, computed)
        index = len(lease.published)
        rest = tuple(tokens[index * PAGE_TOKENS : computed])
        if rest:
            self._publish(lease, index, rest)
        self._release(lease)

    def abandon(self, lease: Lease) -> None:
        """Ends a lease whose keys and values must not be found again; pages that others use are left to them."""
        for node in reversed(lease.published):
            if node.children or self._pool.holders(node.page) > 1:
                break
            self._tree.remove(node)
            self._pool.forget(node.page)
        self._release(lease)

    def check_integrity(self) -> None:
        """AssertionError unless pool, tree and leases tell the same story."""
        self._pool.check_integrity()
        kept = [node.page for node in self._tree.nodes()]
        assert len(kept) == len(set(kept)), "two nodes share a page"
        assert all(self._pool.kept(page) for page in kept), "the tree has a page that is not kept"
        assert sum(map(self._pool.kept, range(self.total))) == len(kept), "a page is kept without a node"
        held = [page for lease in self._leases for page in lease.pages]
        for page in range(self.total):
            assert self._pool.holders(page) == held.count(page), f"page {page}: holders and leases differ"

    def _publish(self, lease: Lease, index: int, tokens: tuple[int, ...]) -> Node:
        """Gives page `index` of the lease to the tree, or finds the node that says the same already."""
        parent = lease.published[index - 1] if index else None
        known = self._tree.child(parent, tokens)
        if known:
            return known
        page = lease.pages[index]
        node = self._tree.insert(parent, tokens, page)
        assert node is not None
        self._pool.keep(page)
        for other in self._tree.covered(node):
            self._tree.remove(other)
            self._pool.forget(other.page)
        return node

    def _adopt(self, lease: Lease, index: int, node: Node) -> None:
        """Makes the node's page the lease's own; where two sequences computed the same page, one copy goes."""
        lease.published.append(node)
        if lease.pages[index] != node.page:
            self._pool.hold(node.page)
            self._pool.drop(lease.pages[index])
            lease.pages[index] = node.page

    def _release(self, lease: Lease) -> None:
        self._leases.remove(lease)
        for page in lease.pages:
            self._pool.drop(page)
        lease.pages = []

    def _available(self) -> int:
        """Pages that are free, or will be once the leaves that nobody holds are dropped one after the other."""
        return self._pool.free + self._pool.cached

    def _take(self) -> int:
        if not self._pool.free:
            self._evict()
        return self._pool.take()

    def _evict(self) -> None:
        """Drops the leaf that was used longest ago."""
        idle = (leaf for leaf in self._tree.leaves() if not self._pool.holders(leaf.page))
        oldest = min(idle, key=lambda leaf: leaf.used)
        self._tree.remove(oldest)
        self._pool.forget(oldest.page)
