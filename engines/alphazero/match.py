"""A match between two networks, to see whether the new one may play the next games.

AlphaGo Zero (Silver et al. 2017) let a new network into self-play only after it had won 55% of a
match against the one that played there; AlphaZero did without. All games of the match are
played in lockstep, each network with a forest of its own: a game's next search is in the forest
of the network whose turn it is.

Games come in pairs with colours changed. Both games of a pair draw the same random numbers for
the same colour, so that a network scores one half against itself, not about one half.

Called by `workers.py`; `run.py` and the doctor ask `playing_network`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import derive_seed
from engines.alphazero.selfplay import draw, new_forest
from engines.alphazero.settings import SelfPlaySettings, longest_game
from engines.learning.selfplay.batched_search import root_policy
from engines.treesearch import tree as ts
from engines.treesearch.gumbel import Gumbel, best_child
from engines.treesearch.leaf_evaluator import LeafEvaluator

# Moves are drawn by the square of their visits: enough to make games differ, and seldom a
# move that the search thinks little of, which would blur who is the better.
TEMPERATURE = 0.5


def playing_network(history: Sequence[Mapping[str, float]], iteration: int) -> int:
    """The round whose network plays the games of round `iteration`; 0: the untrained one.

    Args:
        history: rows of the rounds before, at least. Without a column `promoted`, every
            network is.
    """
    return int(max(
        (row["iteration"] for row in history
         if row["iteration"] < iteration and row.get("promoted", 1.0)),
        default=0,
    ))


@dataclass
class _Board:
    """A game in progress: its number, each network's generator, plies played."""

    number: int
    rngs: list[np.ndarray]
    plies: int = 0


class Match:
    """Games of a new network against an old one.

    Args:
        game: what is played.
        evaluators: the new network and the old one. In even games the new one is player 0.
        settings: of self-play. Searches are full ones without noise, each in a new tree; in the
            first `sample_plies` plies moves are drawn (with Gumbel, at the root).
        seed: game k depends on it, on k, on both networks, and on nothing else but rounding.
    """

    def __init__(
        self, game: GameSpec, evaluators: Sequence[LeafEvaluator], settings: SelfPlaySettings,
        seed: int,
    ) -> None:
        self._game, self._settings, self._seed = game, settings, seed
        rule, _ = settings.rules()
        self._gumbel = rule if isinstance(rule, Gumbel) else None
        self._forests = [
            new_forest(game, settings, settings.games_at_once, evaluator)
            for evaluator in evaluators
        ]
        self._policy = np.empty(game.num_actions)

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, float]]:
        """Play the games with these numbers; each as it ends: (number, points).

        The new network gets 1 point for a game won, and half a point for one that is drawn or
        without end.
        """
        waiting = iter(numbers)
        boards = [self._sit_down(i, waiting) for i in range(self._settings.games_at_once)]
        while any(board is not None for board in boards):
            for forest in self._forests:
                forest.step()
            for i, board in enumerate(boards):
                if board is None or any(forest.left[i] > 0 for forest in self._forests):
                    continue
                result = self._move(i, board)
                if result is not None:
                    sign = 1 - 2 * (board.number % 2)
                    yield board.number, 0.5 + 0.5 * sign * result
                    boards[i] = self._sit_down(i, waiting)

    def _sit_down(self, i: int, waiting: Iterator[int]) -> _Board | None:
        """Begin the next game in row `i` of both forests; None if there is none."""
        number = next(waiting, None)
        if number is None:
            return None
        rngs = []
        for network, forest in enumerate(self._forests):
            player = (network + number) % 2
            rngs.append(forest.seed(i, derive_seed(self._seed, "match", number // 2, player)))
            kernels.copy_into(kernels.row(forest.roots, i), self._game.new_kernel_state())
        board = _Board(number, rngs)
        self._begin_search(i, board)
        return board

    def _on_move(self, i: int, board: _Board) -> int:
        """Which network moves: 0 the new one, 1 the old one."""
        return int(kernels.to_move(kernels.row(self._forests[0].roots, i)) + board.number) % 2

    def _begin_search(self, i: int, board: _Board) -> None:
        settings, forest = self._settings, self._forests[self._on_move(i, board)]
        drawn = self._gumbel is not None and board.plies < settings.sample_plies
        forest.plant(i)
        forest.begin(i, settings.sims, float(drawn), settings.noise)

    def _move(self, i: int, board: _Board) -> int | None:
        """Play what has been found in row `i`; the result for player 0 if that ends the game."""
        network = self._on_move(i, board)
        tree = self._forests[network].tree(i)
        child = best_child(self._gumbel, tree) if self._gumbel else ts.most_visited(tree, ts.ROOT)
        action = int(tree.action[child])
        if self._gumbel is None and board.plies < self._settings.sample_plies:
            root_policy(tree, self._policy)
            action = draw(self._policy, TEMPERATURE, board.rngs[network])
        board.plies += 1
        for forest in self._forests:
            kernels.play(kernels.row(forest.roots, i), action)
        state = kernels.row(self._forests[0].roots, i)
        if kernels.terminal(state):
            return int(kernels.result(state))
        if board.plies >= longest_game(self._game, self._settings):
            return 0
        self._begin_search(i, board)
        return None
