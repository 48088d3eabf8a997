"""PrefixTree: finds pages whose keys and values a new prompt can use again (no torch).

A node is one page and the tokens in it; its path from the root spells the whole text before them, since keys
and values depend on all that precedes. Only leaves may be partly filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.plan.plan import PAGE_TOKENS


@dataclass(slots=True, eq=False)
class Node:
    """One kept page. tokens: those whose keys and values it holds. used: tick of the latest use."""

    tokens: tuple[int, ...]
    page: int
    parent: Node | None
    used: int = 0
    children: dict[tuple[int, ...], Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """What a prompt finds: whole pages in order, and perhaps the first `partial_tokens` of one more page."""

    nodes: tuple[Node, ...]
    partial: Node | None
    partial_tokens: int

    @property
    def tokens(self) -> int:
        return len(self.nodes) * PAGE_TOKENS + self.partial_tokens


class PrefixTree:
    """All kept pages."""

    def __init__(self) -> None:
        self._root = Node((), -1, None)
        self._tick = 0

    def match(self, tokens: Sequence[int], limit: int) -> Match:
        """The longest known beginning of `tokens[:limit]`; marks it as used."""
        self._tick += 1
        node, nodes, start = self._root, [], 0
        while start + PAGE_TOKENS <= limit:
            child = node.children.get(tuple(tokens[start : start + PAGE_TOKENS]))
            if child is None:
                break
            child.used = self._tick
            nodes.append(child)
            node, start = child, start + PAGE_TOKENS
        rest = tokens[start : min(limit, start + PAGE_TOKENS)]
        partial = max(node.children.values(), key=lambda child: _common(child.tokens, rest), default=None)
        length = _common(partial.tokens, rest) if partial else 0
        if not partial or not length:
            return Match(tuple(nodes), None, 0)
        partial.used = self._tick
        return Match(tuple(nodes), partial, length)

    def insert(self, parent: Node | None, tokens: tuple[int, ...], page: int) -> Node | None:
        """Keeps a page below `parent` (None: the root). None if the tree has these tokens there already."""
        parent = parent or self._root
        if tokens in parent.children:
            parent.children[tokens].used = self._tick
            return None
        node = Node(tokens, page, parent, self._tick)
        parent.children[tokens] = node
        return node

    def child(self, parent: Node | None, tokens: tuple[int, ...]) -> Node | None:
        return (parent or self._root).children.get(tokens)

    def covered(self, node: Node) -> list[Node]:
        """Partly filled siblings whose tokens are a beginning of the node's own: they are of no more use."""
        assert node.parent is not None
        return [
            other
            for other in node.parent.children.values()
            if other is not node and not other.children and node.tokens[: len(other.tokens)] == other.tokens
        ]

    def remove(self, node: Node) -> None:
        assert node.parent is not None and not node.children, "only leaves are removed"
        del node.parent.children[node.tokens]

    def nodes(self) -> Iterator[Node]:
        stack = list(self._root.children.values())
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())

    def leaves(self) -> list[Node]:
        return [node for node in self.nodes() if not node.children]


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """Length of the common beginning."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))
