"""The tree of a search, rebuilt from its events.

    tree = SearchTree(state)
    for event in events:
        tree.apply(event)      # now it equals the engine's tree at this event

A page can step forwards through a search, and backwards by applying fewer events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dlgo.api import GameState
from engines.watching import events


@dataclass
class SeenNode:
    """The counts of a node so far. Values are those of black; None if unknown."""

    number: int
    parent: int | None  # it and the move are None at the root
    move: str | None
    mover: str  # the player to move here, "black" or "white"
    prior: float | None = None  # a network's probability of the move
    children: list[int] = field(default_factory=list)  # in the order in which they came
    visits: int = 0  # of a tree search
    total: float = 0.0  # the sum of their values
    proven: int | None = None  # the certain result
    opinion: float | None = None  # the network's value or the estimate of the position
    value: float | None = None  # of alpha-beta, once it is known
    reason: str = ""  # where that comes from: "result", "estimate" or "moves"
    window: tuple[float, float] | None = None  # of alpha-beta: the least and most that matter here
    skipped: tuple[str, ...] = ()  # moves that alpha-beta did not look at

    @property
    def worth(self) -> float | None:
        """The best known value of the node, for black."""
        if self.proven is not None:
            return float(self.proven)
        if self.visits:
            return self.total / self.visits
        return self.value


class SearchTree:
    """The nodes of a search of `state` by number, built from its events."""

    def __init__(self, state: GameState) -> None:
        self.state = state
        self.nodes = {0: SeenNode(0, None, None, state.next_player.name)}
        self.is_alphabeta = False

    @property
    def root(self) -> SeenNode:
        """The root node."""
        return self.nodes[0]

    def apply(self, event: events.Event) -> None:
        """Apply the next event."""
        match event:
            case events.Expanded(node, children):
                for child in children:
                    self._add(SeenNode(child.node, node, child.move, child.mover, child.prior))
            case events.Evaluated(node, value):
                self.nodes[node].opinion = value
            case events.BackedUp(path, value):
                for number in path:
                    self.nodes[number].visits += 1
                    self.nodes[number].total += value
            case events.Proved(node, result):
                self.nodes[node].proven = result
            case events.Entered(number, parent, move, mover, _, alpha, beta):
                if parent is None:  # a new search, a ply deeper than the last one
                    self.nodes, self.is_alphabeta = {}, True
                window = (alpha, beta) if mover == "black" else (-beta, -alpha)
                self._add(SeenNode(number, parent, move, mover, window=window))
            case events.Valued(number, value, reason):
                valued = self.nodes[number]
                valued.value = value if valued.mover == "black" else -value
                valued.reason = reason
            case events.CutOff(node, skipped=skipped):
                self.nodes[node].skipped = skipped

    def _add(self, node: SeenNode) -> None:
        self.nodes[node.number] = node
        if node.parent is not None:
            self.nodes[node.parent].children.append(node.number)

    def bounds(self, number: int) -> tuple[float, float]:
        """The bounds that alpha-beta has found for the value of a node, for black.

        They are equal if the value is exact, and -1 and 1 if nothing is known.
        """
        node = self.nodes[number]
        if node.value is None:
            return -1.0, 1.0
        if node.reason != "moves":
            return node.value, node.value
        best = max if node.mover == "black" else min
        bounds = [self.bounds(child) for child in node.children]
        if node.skipped:
            bounds.append((-1.0, 1.0))
        return best(low for low, _ in bounds), best(high for _, high in bounds)

    def position(self, number: int) -> GameState:
        """The position of a node."""
        node = self.nodes[number]
        if node.parent is None or node.move is None:
            return self.state
        return self.position(node.parent).apply_move(node.move)

    def path(self, number: int) -> str:
        """The moves from the root to a node, as text."""
        node = self.nodes[number]
        if node.parent is None or node.move is None:
            return "root"
        return node.move if node.parent == 0 else f"{self.path(node.parent)} {node.move}"

    def line(self, moves: list[str]) -> list[int]:
        """The nodes along a line of moves from the root, as far as they are in the tree."""
        numbers = [0]
        for move in moves:
            below = [n for n in self.nodes[numbers[-1]].children if self.nodes[n].move == move]
            if not below:
                break
            numbers.append(below[0])
        return numbers
