"""Exact scores of Connect Four positions from Python: one, all moves of one, or many.

A score is Pons': +v if the player to move wins with his (22 - v)th stone, -v if the other
player wins with his (22 - v)th, 0 for a draw.

    >>> from dlgo import GameState, get_game
    >>> solver, state = Solver(), GameState.new_game(get_game("connect4"))
    >>> for column in "4455":
    ...     state = state.apply_move(state.game.parse_move(state, column))
    >>> solver.score(state)
    18
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from dlgo.api import GameState
from dlgo.games.connect4 import kernel
from dlgo.games.connect4.kernel import CELLS, COLS, FULL, STRIDE, ConnectFourState
from engines.solver import search
from engines.solver.table import new_table

# Python regains control after so many nodes (about two seconds), so that Ctrl-C works.
_SLICE = 20_000_000
_CENTRE_OUT = sorted(range(COLS), key=lambda col: (abs(col - COLS // 2), col))


class Solver:
    """A search with its table, which is kept from position to position.

    What the table holds stays true, so sharing it changes no result; it saves time when
    positions are related. `forget` empties it.

    Attributes:
        nodes: positions visited since the solver was made or `nodes` was set.
    """

    def __init__(self, table_bits: int = 22, features: int = search.ALL_FEATURES) -> None:
        self._table = new_table(table_bits)
        self._frames = search.new_frames()
        self._info = search.new_info(features)
        self._info[search.SLICE] = _SLICE

    @property
    def nodes(self) -> int:
        return int(self._info[search.NODES])

    @nodes.setter
    def nodes(self, value: int) -> None:
        self._info[search.NODES] = value

    def forget(self) -> None:
        """Empty the table."""
        self._table[:] = 0

    def score(self, state: GameState) -> int:
        """The exact score of an unfinished game for the player to move.

        Raises:
            ValueError: if the game is over or is not Connect Four.
        """
        return self._score(*words_of(state))

    def move_scores(self, state: GameState) -> dict[int, int]:
        """Column (1-7) -> exact score of playing there, for each legal move."""
        own, mask = words_of(state)
        return {
            col + 1: _win_score(mask) if wins else -self._score(*child)
            for col, child, wins in _children(own, mask)
        }

    def solve_many(self, positions: np.ndarray) -> np.ndarray:
        """Exact scores of many positions, in one call of compiled code.

        Args:
            positions: int64[n, 2], `pack`ed.

        Returns:
            int64[n].
        """
        owns, masks = np.ascontiguousarray(positions.T, dtype=np.int64)
        scores = np.empty(len(owns), np.int64)
        self._info[search.SLICE] = search.NO_LIMIT
        search.solve_many(owns, masks, scores, self._table, self._frames, self._info)
        self._info[search.SLICE] = _SLICE
        return scores

    def best_column(self, state: GameState, score: int) -> int:
        """A column (1-7) that reaches `score`, the exact score of `state`."""
        return self._best(*words_of(state), score) + 1

    def best_line(self, state: GameState, score: int) -> list[int]:
        """Columns (1-7) of best play by both sides, from `state` to the end of the game."""
        own, mask = words_of(state)
        line = []
        while mask != FULL:
            col = self._best(own, mask, score)
            line.append(col + 1)
            own, mask, wins = _after(own, mask, col)
            if wins:
                break
            score = -score
        return line

    def _score(self, own: int, mask: int) -> int:
        return self._run(search.solve, own, mask)

    def _best(self, own: int, mask: int, score: int) -> int:
        children = _children(own, mask)
        if len(children) == 1:
            return children[0][0]
        for col, _, wins in children:
            if wins:
                return col
        known = search.known_column(own, mask, score, self._table, self._frames, self._info)
        if known >= 0:
            return int(known)
        for col, (child_own, child_mask), _ in children[:-1]:
            # The move reaches `score` if the other player does not reach 1 - score after it.
            if not self._run(search.reaches, child_own, child_mask, 1 - score):
                return col
        return children[-1][0]

    def _run(self, ask: Callable[..., int], *question: int) -> int:
        """Repeat a search that pauses now and then until it has an answer."""
        try:
            while True:
                answer = ask(*question, self._table, self._frames, self._info)
                if answer != search.UNFINISHED:
                    return answer
        except KeyboardInterrupt:
            self._info[search.RESUME] = 0  # the next search is another one
            raise


def words_of(state: GameState) -> tuple[int, int]:
    """(own, mask) of an unfinished game: the stones of the player to move, and all stones.

    Raises:
        ValueError: if the game is over or is not Connect Four.
    """
    if not isinstance(state.kernel_state, ConnectFourState):
        raise ValueError(f"the solver knows connect4 only, not {state.game}")
    if state.is_over():
        raise ValueError("the game is over: there is nothing to solve")
    words = state.kernel_state.words.tolist()
    own = words[kernel.STONES_1] if words[kernel.TURN] else words[kernel.STONES_0]
    return own, words[kernel.STONES_0] | words[kernel.STONES_1]


def pack(states: Iterable[GameState]) -> np.ndarray:
    """Unfinished games as `Solver.solve_many` takes them: int64[n, 2]."""
    return np.array([words_of(state) for state in states], np.int64).reshape(-1, 2)


def _after(own: int, mask: int, col: int) -> tuple[int, int, bool]:
    """The position after a move as the other player sees it, and whether the move won."""
    taken = mask | (mask + (1 << (STRIDE * col)))
    return own ^ mask, taken, bool(kernel.has_four(own | (taken ^ mask)))


def _children(own: int, mask: int) -> list[tuple[int, tuple[int, int], bool]]:
    """(column, position after it, whether it wins) of each legal move, from the centre out."""
    children = []
    for col in _CENTRE_OUT:
        if not (mask >> (STRIDE * col + STRIDE - 2)) & 1:
            child_own, child_mask, wins = _after(own, mask, col)
            children.append((col, (child_own, child_mask), wins))
    return children


def _win_score(mask: int) -> int:
    """The score of winning with the next stone."""
    return (CELLS + 1 - mask.bit_count()) // 2
