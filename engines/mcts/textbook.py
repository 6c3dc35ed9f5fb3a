"""UCT as in chapter 4.5 of the book: a class for nodes, and four steps that repeat.

    select     walk down the tree, always to the child with the best score
    expand     add a child for a move that has not been tried
    simulate   finish the game with random moves
    back up    count the result in each node on the path

Results are those of black: 1 black wins, 0 draw, -1 white wins. The player who chooses at a node
changes the sign if needed, so players need not alternate. Beyond the book, draws count half, and
proven results are propagated upwards (Winands et al. 2008). Compiled: `engines/search`.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import ClassVar
from weakref import proxy

from dlgo.api import GameState, Move, Player
from dlgo.rng import below, make_rng
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine
from engines.clock import Clock
from engines.mcts.account import decision_of
from engines.watching.events import BackedUp, Child, Expanded, Listener, Proved, Selected, Simulated


class Node:
    """A position in the tree, and the results of the simulations through it.

    Attributes:
        number: the root is 0, later nodes count up.
        parent, move: the node before, and the move that leads here.
        prior: a network's probability of the move.
        visits: number of simulations through here.
        total: sum of their results for black.
        proven: the result for black if it is certain, else None.
    """

    def __init__(self, number: int, parent: Node | None, move: Move | None, prior: float = 0.0):
        self.number, self.move, self.prior = number, move, prior
        # A weak one: old trees are freed at once.
        self.parent: Node | None = parent and proxy(parent)
        self.children: list[Node] = []
        self.visits, self.total = 0, 0.0
        self.proven: int | None = None

    @cached_property
    def state(self) -> GameState:
        """The position, created at the first use."""
        assert self.parent is not None and self.move is not None  # a root is given its state
        return self.parent.state.apply_move(self.move)

    @cached_property
    def mover(self) -> Player:
        """The player who chooses among the children."""
        return self.state.next_player

    @cached_property
    def untried(self) -> list[Move]:
        """The moves that have no child yet."""
        return self.state.sensible_moves()

    def mean(self, player: Player) -> float:
        """The mean result for `player`, -1 to 1; the exact result if it is proven."""
        mean = self.total / max(self.visits, 1) if self.proven is None else self.proven
        return mean if player is Player.black else -mean

    def proof(self) -> int | None:
        """The result that the children prove: one win is enough, else all must be proven."""
        sign = 1 if self.mover is Player.black else -1
        known = [sign * child.proven for child in self.children if child.proven is not None]
        complete = not self.untried and len(known) == len(self.children)
        return sign * max(known) if 1 in known or complete else None


class TextbookMCTS(Engine):
    """Upper confidence bounds applied to trees (UCT); a random game values each leaf."""

    name = "textbook-mcts"
    summary = "UCT in plain Python, to read and to watch"
    options: ClassVar[tuple[Option, ...]] = (
        Option("c_uct", 0.4, "weight of exploration", low=0, high=100),)
    budgets: tuple[str, ...] = ("sims", "cpu", "wall")
    default_budget = Budget(sims=100)
    listener: Listener | None = None  # receives events if it is not None: see engines/watching

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        self.root, self._nodes = Node(0, None, None), 1
        self.root.state = state
        clock, done = Clock(budget, budget.sims), 0
        while not done or (self.root.proven is None and not clock.is_over(done)):
            self._simulation()
            done += 1
        return decision_of(self.root, self._favourite, Cost(done, self._nodes))

    def _simulation(self) -> None:
        leaf = self._expand(self._select(self.root))
        self._back_up(leaf, self._simulate(leaf) if leaf.proven is None else leaf.proven)

    def _select(self, node: Node) -> Node:
        """Walk down to a node that has an untried move or is proven."""
        while node.children and not node.untried and node.proven is None:
            scores = [self._score(node, child) for child in node.children]
            best = node.children[scores.index(max(scores))]
            if self.listener:
                self.listener(Selected(node.number, best.number, tuple(scores)))
            node = best
        return node

    def _score(self, node: Node, child: Node) -> float:
        """Share of wins plus a bonus for few visits (UCT; Kocsis and Szepesvari 2006)."""
        wins = (1 + child.mean(node.mover)) / 2
        if child.proven is not None:  # nothing to explore
            return wins
        return wins + self.settings["c_uct"] * math.sqrt(math.log(node.visits) / child.visits)

    def _expand(self, node: Node) -> Node:
        """Add a child for a random untried move, and return it as the leaf."""
        if node.proven is not None:
            return node
        move = node.untried.pop(below(self._rng, len(node.untried)))
        self._add_children(node, {move: 0.0})
        leaf = node.children[-1]
        if leaf.state.is_over():
            self._prove(leaf, leaf.state.result())
        return leaf

    def _add_children(self, node: Node, priors: dict[Move, float]) -> None:
        for move, prior in priors.items():
            node.children.append(Node(self._nodes, node, move, prior))
            self._nodes += 1
        if self.listener:
            self.listener(Expanded(node.number, tuple(
                Child(new.number, self.game.move_text(move), new.mover.name, new.prior or None)
                for new, move in zip(node.children[-len(priors):], priors, strict=True))))

    def _prove(self, node: Node | None, result: int | None) -> None:
        """Record a certain result, and what it proves about the nodes above."""
        while node is not None and result is not None and node.proven is None:
            node.proven = result
            if self.listener:
                self.listener(Proved(node.number, result))
            node = node.parent
            result = node.proof() if node else None

    def _simulate(self, leaf: Node) -> int:
        """The result of a random game; players pass only without another sensible move."""
        state = leaf.state
        while not state.is_over():
            moves = state.sensible_moves()
            plays = [move for move in moves if not move.is_pass] or moves
            state = state.apply_move(plays[below(self._rng, len(plays))])
        if self.listener:
            played = map(self.game.move_text, state.moves()[len(leaf.state.moves()):])
            self.listener(Simulated(leaf.number, tuple(played), state.result()))
        return state.result()

    def _back_up(self, leaf: Node, result: float) -> None:
        """Add the result to each node from the leaf to the root."""
        path: list[int] = []
        node: Node | None = leaf
        while node is not None:
            path.append(node.number)
            node.visits += 1
            node.total += result
            node = node.parent
        if self.listener:
            self.listener(BackedUp(tuple(path), result))

    def _favourite(self, node: Node) -> Node:
        """The most visited child; a proven win comes first, a proven loss last."""
        return max(node.children, key=lambda child: (
            0 if child.proven is None else child.mean(node.mover),
            child.visits, child.mean(node.mover), child.prior))
