"""Games of descent against itself: each position of their search trees is training data.

The subtree below the move that is played is kept; before, the rest of the tree is written down as
lines of moves (tree learning).

Moves are drawn by their rank (ordinal distribution): of n moves the best one has the share
`exploitation + (1 - exploitation) / n`, the next the same share of the rest for n - 1 moves, and so
on. With exploitation 0 all moves are equal, with 1 the best is played.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import below, derive_seed, uniform
from engines.descent.config import DescentConfig
from engines.descent.search import BestFirstSearch, Lines
from engines.learning.data.records import NO_RESULT
from engines.learning.selfplay.lockstep import LockstepGames
from engines.search import tree as ts
from engines.search.batched_search import NO_ACTION

# Maximum number of nodes in the tree of a game; a full tree keeps its values and does not grow.
_MOST_NODES = 1_000_000


@dataclass
class _Slot:
    """A game in progress."""

    number: int
    rng: np.ndarray  # shared with its search
    moves: list[int]
    lines: list[Lines] = field(default_factory=list)
    plies: int = 0


def ranks(tree: ts.Tree) -> list[int]:
    """The children of the root, the best first: by completion, value and visits."""
    first = int(tree.first_child[ts.ROOT])
    children = np.arange(first, first + int(tree.n_children[ts.ROOT]))
    sign = 1 - 2 * int(tree.mover[ts.ROOT])
    proven = tree.proven[children].astype(np.int64)
    completion = np.where(proven == ts.UNPROVEN, 0, sign * proven)
    order = np.lexsort((tree.visits[children], sign * tree.value_sum[children], completion))
    return children[order[::-1]].tolist()


def ordinal(n: int, exploitation: float, rng: np.ndarray) -> int:
    """Draw a rank from 0 to n - 1 from the ordinal distribution."""
    for rank in range(n - 1):
        if uniform(rng) < exploitation + (1 - exploitation) / (n - rank):
            return rank
    return n - 1


class DescentGames(LockstepGames):
    """Plays games side by side; `play` yields (number, list of `Lines`). The first line is the
    game, with nothing to learn.

    Args:
        evaluator: as of `BestFirstSearch`.
        seed: game k depends on the seed, on k and on the network.
    """

    to_end = True  # whether the search is descent

    def __init__(
        self, game: GameSpec, n: int, evaluator: Any, config: DescentConfig, exploitation: float,
        seed: int,
    ) -> None:
        depth = game.board_rows * game.board_cols if self.to_end else 1
        capacity = min(2 * (config.sims + 1) * depth * game.num_actions, _MOST_NODES)
        self._search = BestFirstSearch(game, n, capacity, evaluator, self.to_end)
        super().__init__(game, [self._search])
        self._config, self._exploitation, self._seed = config, exploitation, seed

    def start_game(self, i: int, number: int) -> _Slot:
        rng = self._search.seed(i, derive_seed(self._seed, "descent", number))
        opening = self.random_opening(i, rng, self._config.random_share, self._config.random_plies)
        return _Slot(number, rng, opening, plies=len(opening))

    def start_turn(self, i: int, slot: _Slot, action: int) -> None:
        if action == NO_ACTION:
            self._search.set_root(i)
        else:
            self._search.advance(i, action)
        self._search.plies[i] = slot.plies
        self._search.start(i, self._config.sims)

    def choose(self, i: int, slot: _Slot) -> int:
        tree = self._search.tree(i)
        children = ranks(tree)
        child = children[ordinal(len(children), self._exploitation, slot.rng)]
        slot.lines.append(self._search.lines(i, slot.moves, child))
        slot.moves.append(int(tree.action[child]))
        return slot.moves[-1]

    def finish(self, slot: _Slot, result: int) -> Any:
        n = len(slot.moves)
        game = (np.array([n]), np.array([result], np.int8), np.array(slot.moves, np.int32),
                np.zeros(n, np.uint8), np.zeros(n, np.float32))
        return [game, *slot.lines]


class GamesAgainstRandom(DescentGames):
    """Games of best-first minimax against random play, with each colour in turn; `play` yields
    (number, points)."""

    to_end = False

    def choose(self, i: int, slot: _Slot) -> int:
        tree = self._search.tree(i)
        if tree.mover[ts.ROOT] == slot.number % 2:
            return int(tree.action[ts.most_visited(tree, ts.ROOT)])
        state = kernels.row(self._search.roots, i)
        return int(self._actions[below(slot.rng, kernels.search_actions(state, self._actions))])

    def finish(self, slot: _Slot, result: int) -> float:
        points = 0 if result == NO_RESULT else result * (1 - 2 * (slot.number % 2))
        return 0.5 + 0.5 * points
