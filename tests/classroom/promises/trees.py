"""Game trees, which hidden inputs give as functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.classroom.promises import Call


@dataclass(frozen=True)
class Tree:
    """The tree below a position."""

    root: int
    children: Callable[[int], list[int]]
    player: Callable[[int], int]

    @classmethod
    def of(cls, call: Call) -> Tree:
        """Of a function whose arguments begin with position, children, player."""
        return cls(*call.arguments[:3])

    def positions(self) -> Iterator[int]:
        """All of them, the root first."""
        yield self.root
        for child in self.children(self.root):
            yield from Tree(child, self.children, self.player).positions()

    def leaves(self) -> list[int]:
        """The positions without children."""
        return [position for position in self.positions() if not self.children(position)]

    def depth(self) -> int:
        """Plies of the longest line."""
        subtrees = (Tree(child, self.children, self.player) for child in self.children(self.root))
        return max((1 + subtree.depth() for subtree in subtrees), default=0)

    def width(self) -> int:
        """The largest number of children."""
        return max(len(self.children(position)) for position in self.positions())

    def mixed(self) -> bool:
        """Whether siblings that are no leaves have different players to move."""
        return any(len({self.player(child) for child in self.children(position)
                        if self.children(child)}) == 2 for position in self.positions())

    def mixed_leaves(self) -> bool:
        """Whether leaves with the same parent have different players."""
        return any(len({self.player(child) for child in self.children(position)
                        if not self.children(child)}) == 2 for position in self.positions())

    def value(self, result: Callable[[int], int]) -> int:
        """The value of best play, as the first player sees it."""
        values = self.values(result)
        if not values:
            return result(self.root)
        return max(values) if self.player(self.root) == 1 else min(values)

    def values(self, result: Callable[[int], int]) -> list[int]:
        """Those of the root's children."""
        return [Tree(child, self.children, self.player).value(result)
                for child in self.children(self.root)]

    def check(self) -> None:
        """Assert that it is a tree of positions and players."""
        positions = list(self.positions())
        assert len({*positions}) == len(positions), "a position has one parent"
        assert all(type(position) is int for position in positions)
        assert {self.player(position) for position in positions} <= {1, -1}


def asks(name: str, what: Callable[[Tree, Call], bool], player: int = 0) -> Callable[[Call], bool]:
    """Whether a call of a function has a tree of which something holds; with `player`, one where
    this player moves at the root."""
    @functools.wraps(what)
    def asked(call: Call) -> bool:
        if call.name != name:
            return False
        tree = Tree.of(call)
        return tree.player(tree.root) in (player or 1, player or -1) and what(tree, call)

    return asked
