"""Best-first minimax: searches side by side, and one that follows a game and keeps to a budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from dlgo.vector import longest_game
from engines.base import Call, Kernels
from engines.descent import kernels as best_first
from engines.learning.data.records import NO_RESULT
from engines.search.batched_search import NEEDS_PYTHON, BatchedSearch
from engines.search.searcher import Searcher
from engines.search.tree import MAX_DEPTH, ROOT

# Arrays of `Experience` for some lines: plies, results, actions, flags, returns.
Lines = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class BestFirstSearch(BatchedSearch):
    """`n` searches of best-first minimax, see `kernels.py`.

    Args:
        capacity: maximum number of nodes in each tree.
        evaluator: a `LeafEvaluator` without history, or a compiled one from `evaluators.py`.
        to_end: whether each iteration goes on until the game is decided (descent).
        reuse: allow searches to keep subtrees, which takes the memory of one more tree.

    Attributes:
        plies: int64[n], plies of the game before each root; the values of results depend on it.
    """

    def __init__(
        self, game: GameSpec, n: int, capacity: int, evaluator: Any, to_end: bool = False,
        reuse: bool = True,
    ) -> None:
        leaves = game.num_actions + 1  # the children of a leaf, and one to walk with
        super().__init__(game, n, capacity, None, evaluator, longest_game(game), leaves, reuse)
        self._cells = game.board_rows * game.board_cols
        self._network = not isinstance(evaluator, tuple)
        self._compiled = evaluator.compiled() if self._network else evaluator
        self.asks_for = 1 if self._compiled is None else None
        self._to_end = to_end
        self._walks = np.zeros((n, 2), np.int64)
        self.plies = self._walks[:, best_first.PLIES]
        self._values = np.zeros(n * leaves)
        self._lay_out()

    def _lay_out(self) -> None:
        """Group the arrays for the kernels, once: a step takes microseconds."""
        self._searches = best_first.Searches(
            self._trees, self._plan, self._walks, self.roots, self._rngs)
        self._children = best_first.Children(self._states, self._paths, self._ways, self._values)

    def set_position(self, state: GameState, node: int = -1) -> None:
        super().set_position(state, node)
        self._lay_out()
        self.plies[0] = len(state.moves())

    def step(self, most: int = 1) -> int:
        """Do `most` rounds, with a Python evaluator one; returns the number of complete iterations.

        A round expands one leaf in each search. An iteration of best-first minimax takes one round.
        """
        searches, children = self._searches, self._children
        if self._compiled is not None:
            complete, valued = best_first.run(
                searches, children, self._scratch, self._cells, self._to_end, most, self._compiled)
        else:
            valued = best_first.collect(searches, children, self._scratch.actions, self._cells)
            if valued > 0:
                _, self._values[:valued] = self._evaluator.evaluate(self._states, valued)
            complete = best_first.absorb(searches, children, valued, self._to_end)
        if self._network:
            self.evaluations += max(int(valued), 0)
        return int(complete)

    def run_call(self) -> Call:
        if self._compiled is None:
            raise SpecError(NEEDS_PYTHON)
        return best_first.run, (self._searches, self._children, self._scratch, self._cells,
                                self._to_end, 1, self._compiled)

    def lines(self, i: int, moves: list[int], skipped: int = -1) -> Lines:
        """The positions of search `i`, without those below the child `skipped`; `moves` lead to
        the root."""
        scratch = np.empty((2, MAX_DEPTH + 2), np.int64)
        tree, opening, n_lines, n = self.tree(i), np.array(moves, np.int64), 0, 0
        for _ in range(2):  # first counted, then written
            plies, actions, flags, values = (
                np.zeros(n_lines, np.int64), np.zeros(n, np.int32), np.zeros(n, np.uint8),
                np.zeros(n, np.float32))
            n_lines, n = best_first.write_lines(
                tree, skipped, opening, scratch, plies, actions, flags, values)
        return plies, np.full(n_lines, NO_RESULT, np.int8), actions, flags, values


class BestFirstSearcher(Searcher):
    """One best-first search for one thread."""

    def __init__(self, game: GameSpec, capacity: int, reuse: bool, evaluator: Any) -> None:
        self.game, self._reuse, self._evaluator, self.rule = game, reuse, evaluator, None
        self._search: BestFirstSearch = BestFirstSearch(game, 1, capacity, evaluator, reuse=reuse)
        self.new_game(0)

    def kernels(self, state: GameState) -> Kernels:
        driver, calls, _ = super().kernels(state)
        calls["best_child"] = best_first.best_child, (self._search.tree(0), ROOT, False)
        arrays = {name: f"searches.{name}" for name in ("trees", "roots", "plan", "rngs", "walks")}
        return Kernels(driver, calls, arrays | {"steps": "rounds", "best": "best_child"})
