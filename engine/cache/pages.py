"""PagePool: which pages of the cache are free and who holds the others (no torch).

A page is free, or held: by any number of sequences (`holders`) and by the prefix tree (`kept`).
Kept pages without holders are what eviction may take.
"""

from __future__ import annotations

from collections import deque


class PagePool:
    """Bookkeeping of `total` pages, numbered from 0."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._free = deque(range(total))
        self._holders = [0] * total
        self._kept = [False] * total
        self._used = 0

    @property
    def free(self) -> int:
        return len(self._free)

    @property
    def used(self) -> int:
        """Pages that a sequence holds."""
        return self._used

    @property
    def cached(self) -> int:
        """Pages that only the prefix tree keeps."""
        return self.total - self._used - len(self._free)

    def holders(self, page: int) -> int:
        return self._holders[page]

    def kept(self, page: int) -> bool:
        return self._kept[page]

    def take(self) -> int:
        """A free page, now with one holder. IndexError if none is free: ask `free` first."""
        page = self._free.popleft()
        self._holders[page] = 1
        self._used += 1
        return page

    def hold(self, page: int) -> None:
        """One more holder of a page that is held or kept."""
        self._holders[page] += 1
        self._used += self._holders[page] == 1

    def drop(self, page: int) -> None:
        """One holder less; nobody left and not kept: the page is free."""
        self._holders[page] -= 1
        self._used -= self._holders[page] == 0
        self._free_if_unwanted(page)

    def keep(self, page: int) -> None:
        self._kept[page] = True

    def forget(self, page: int) -> None:
        """The tree no longer keeps the page."""
        self._kept[page] = False
        self._free_if_unwanted(page)

    def _free_if_unwanted(self, page: int) -> None:
        if not self._holders[page] and not self._kept[page]:
            self._free.append(page)

    def check_integrity(self) -> None:
        """AssertionError unless every page is in exactly one state."""
        free = set(self._free)
        assert len(free) == len(self._free), "a page is free twice"
        assert self._used == sum(1 for holders in self._holders if holders), "the count of used pages is off"
        for page, (holders, kept) in enumerate(zip(self._holders, self._kept, strict=True)):
            assert holders >= 0, f"page {page} has {holders} holders"
            assert (page in free) == (not holders and not kept), f"page {page} is free and wanted, or neither"
