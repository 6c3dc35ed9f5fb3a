"""One tree and all that a thread needs to grow it. Used by `engine.py`, one for each thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from dlgo.api import GameSpec, GameState
from dlgo.rng import make_rng
from engines.base import Budget
from engines.treesearch import tree as ts
from engines.treesearch.search import new_scratch, run

# A time limit is checked after so many seconds' worth of simulations.
_SLICE_SECONDS = 0.005

# A clock, and the time on it at which to stop.
Limit = tuple[Callable[[], float], float]


def limits_of(budget: Budget) -> list[Limit]:
    """The times at which a search that begins now must end."""
    limits: list[Limit] = []
    if budget.cpu is not None:
        limits.append((time.process_time, time.process_time() + budget.cpu))
    if budget.wall is not None:
        limits.append((time.perf_counter, time.perf_counter() + budget.wall))
    return limits


class Searcher:
    """A search tree that follows a game.

    Args:
        game: what is played.
        capacity: nodes of the tree.
        reuse: keep the part of the tree below the moves played; takes a second tree.
        rule, evaluator: of `rules.py` and `evaluators.py`.
        expand: visits before a leaf gets children.
        room: keyword arguments of `tree.new_tree`.

    Attributes:
        evaluations: positions a `LeafEvaluator` has been asked about, since the start.
    """

    evaluations = 0

    def __init__(
        self, game: GameSpec, capacity: int, reuse: bool, rule: Any, evaluator: Any,
        expand: int, **room: bool,
    ) -> None:
        self.game = game
        self.tree = ts.new_tree(capacity, **room)
        self._spare = ts.new_tree(capacity, **room) if reuse else None
        self._rule, self._evaluator, self._expand = rule, evaluator, expand
        self._scratch = new_scratch(game.num_actions)
        self._work: Any = None
        self.new_game(0)

    def new_game(self, seed: int) -> None:
        """Forget the tree and seed the generator."""
        self._rng = make_rng(seed)
        self._root: GameState | None = None  # what the tree is planted at

    def warm_up(self) -> None:
        """Compile what a search only sometimes needs: keeping a tree depends on the replies."""
        ts.plant(self.tree, GameState.new_game(self.game).kernel_state)
        if self._spare is not None:
            ts.advance(self.tree, self._spare, ts.ROOT)
        ts.find_child(self.tree, ts.ROOT, 0)
        self.new_game(0)

    def plant(self, state: GameState) -> None:
        """Make `state` the root: of the subtree that holds it, if any, else of a fresh tree."""
        node = self._descend_to(state)
        if node > 0 and self._spare is not None:
            ts.advance(self.tree, self._spare, node)
            self.tree, self._spare = self._spare, self.tree
        elif node < 0:
            ts.plant(self.tree, state.kernel_state)
        self._root = state
        self._work = self.game.scratch_state(state.kernel_state, room=ts.MAX_DEPTH + 2)

    def _descend_to(self, state: GameState) -> int:
        """The node of `state` if it continues the game of the last search, else -1."""
        if self._root is None or self._spare is None:
            return -1
        moves = []
        ancestor: GameState | None = state
        while ancestor is not None and ancestor is not self._root and len(moves) < 8:
            moves.append(ancestor.last_move)
            ancestor = ancestor.previous_state
        if ancestor is not self._root:
            return -1
        node = ts.ROOT
        for move in reversed(moves):
            action = None if move is None else self.game.action_of(move)
            node = -1 if action is None else ts.find_child(self.tree, node, action)
            if node < 0 or self.tree.visits[node] == 0:
                return -1
        # Proofs below stand, but a proven root would stop the search before it has children.
        return int(node) if self.tree.n_children[node] > 0 else -1

    def simulate(self, simulations: int | None, limits: list[Limit]) -> int:
        """Simulate until the first limit is reached; the number of simulations run.

        Releases the interpreter lock, so that several searchers can run in threads.
        """
        assert self._root is not None
        target = simulations if simulations is not None else 1 << 62
        # Without a clock to watch, one call does it all.
        slice_size = 16 if limits else target
        done = 0
        while done < target:
            began = time.perf_counter()
            asked = min(slice_size, target - done)
            ran = run(
                self.tree, self._root.kernel_state, self._work, self._scratch, self._rng,
                asked, self._expand, self._rule, self._evaluator,
            )
            done += ran
            if ran < asked or any(clock() >= end for clock, end in limits):
                break
            speed = ran / max(time.perf_counter() - began, 1e-6)
            slice_size = max(1, min(4 * slice_size, int(speed * _SLICE_SECONDS)))
        return done
