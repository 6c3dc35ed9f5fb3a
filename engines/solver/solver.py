"""Exact scores and best moves of Connect Four positions, one or many, from Python.

A score is Pons': +v if the player to move wins with their (22 - v)th stone, -v if the other
player wins with their (22 - v)th, 0 for a draw.

    >>> from dlgo import GameState, get_game
    >>> solver, state = Solver(), GameState.new_game(get_game("connect4"))
    >>> for column in "4455":
    ...     state = state.apply_move(state.game.parse_move(state, column))
    >>> solver.score(state)
    18
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import GameState, Move
from dlgo.games.connect4.board import CELLS, ConnectFourState
from engines.clock import is_stopped
from engines.solver import answers, search
from engines.solver.board import stones_of
from engines.solver.book import MOST_PLIES, shipped_book
from engines.solver.table import new_table

# Number of nodes, about 20 ms, after which Python regains control, for answers and for Ctrl-C.
_SLICE = 200_000


class Answer(NamedTuple):
    """The analysis of one position."""

    score: int  # exact, for the player to move
    best: int  # a column (1-7) that reaches it
    nodes: int  # positions visited
    cpu_ms: float  # CPU milliseconds since the line was read
    scores: list[int | None] | None  # of columns 1-7 (None: full); None without `all_moves`


class Unsolved(Exception):
    """The search was stopped (`engines.clock.stopped_by`) before it had an answer."""


class Solver:
    """The search with its table, whose entries stay valid from position to position."""

    def __init__(self, table_bits: int = 22, features: int = search.ALL_FEATURES) -> None:
        self._table = new_table(table_bits)
        self._frames = search.new_frames()
        self._book = np.zeros(0, np.int64)
        self._info = search.new_info(features)
        self._slice = _SLICE

    @property
    def nodes(self) -> int:
        """Number of positions visited since the solver was created or `nodes` was set."""
        return int(self._info[search.NODES])

    @nodes.setter
    def nodes(self, value: int) -> None:
        self._info[search.NODES] = value

    def forget(self) -> None:
        """Empty the table."""
        self._table[:] = 0

    def score(self, state: GameState) -> int:
        """The exact score of an unfinished game of Connect Four for the player to move."""
        return self._run(answers.solve, *words_of(state), -CELLS)

    def move_scores(self, state: GameState) -> dict[int, int]:
        """The exact score of each legal move, by column (1-7)."""
        scores: dict[int, int] = {}
        for action in state.legal_actions().tolist():
            successor = state.apply_move(state.game.move_of(action))
            if successor.is_over():
                won = successor.winner() is not None
                scores[action + 1] = (44 - len(successor.moves())) // 2 if won else 0
            else:
                scores[action + 1] = -self.score(successor)
        return scores

    def solve_many(self, positions: np.ndarray) -> np.ndarray:
        """Exact scores, int64[n], of positions, int64[n, 2] (`pack`), in one compiled call."""
        owns, masks = np.ascontiguousarray(positions.T, dtype=np.int64)
        self.open_book(min((int(mask).bit_count() for mask in masks), default=CELLS))
        scores = np.empty(len(owns), np.int64)
        answers.solve_many(owns, masks, scores, *self._scratch())
        return scores

    def analyse(self, lines: Sequence[str], all_moves: bool) -> Iterator[list[Answer | None]]:
        """Score and best move of positions, each given as the columns that lead to it.

        An empty line is the empty board. The answer is None for a line that is no unfinished
        position. Yields lists of answers, in order, about every 20 ms.
        """
        began = time.process_time()
        text = np.frombuffer("\n".join((*lines, "")).encode("ascii", "replace"), np.uint8)
        rows = np.zeros((len(lines), answers.ROW), np.int64)
        self.open_book(min(map(len, lines), default=CELLS))
        first = at = counted = 0
        try:
            while first < len(lines):
                self._info[search.LIMIT] = self._info[search.NODES] + self._slice
                done, at = answers.analyse_lines(
                    text, (first, at), rows, all_moves, *self._scratch())
                if done > first:
                    # Time outside the compiled code is added to the first answer.
                    ticks = int(rows[: done + 1, answers.TICKS].sum())
                    spent = 1000 * (time.process_time() - began)
                    rows[first, answers.TICKS] += max(
                        0, int(spent * answers.TICKS_PER_MS) - ticks + counted)
                    counted, began = ticks, time.process_time()
                    yield [_answer(row, all_moves) for row in rows[first:done].tolist()]
                first = done
        finally:
            self._info[search.RESUME] = self._info[search.STEP] = 0

    def best_column(self, state: GameState, score: int) -> int:
        """A column (1-7) that reaches `score`, the exact score of `state`."""
        return self._run(answers.best_move, *words_of(state), score) + 1

    def best_line(self, state: GameState, score: int) -> list[int]:
        """Columns (1-7) of best play by both players, from `state` to the end of the game."""
        line = []
        while True:
            line.append(self.best_column(state, score))
            state = state.apply_move(Move.play(line[-1]))
            if state.is_over():
                return line
            score = -score

    def _run(self, ask: Callable[..., int], *question: int) -> int:
        """Continue a search that pauses until it has an answer, or raise Unsolved."""
        self.open_book(question[1].bit_count())
        try:
            while True:
                self._info[search.LIMIT] = self._info[search.NODES] + self._slice
                answer = ask(*question, *self._scratch())
                if answer != search.UNFINISHED:
                    return answer
                if is_stopped():
                    raise Unsolved
        except (KeyboardInterrupt, Unsolved):
            self._info[search.RESUME] = 0  # the next search is another one
            raise

    def open_book(self, stones: int = 0) -> None:
        """Read the book if it may contain positions with this number of stones."""
        needed = stones <= MOST_PLIES and self._info[search.USED_FEATURES] & search.BOOK
        if needed and self._info[search.BOOK_PLIES] < 0:
            self._info[search.BOOK_PLIES], self._book = shipped_book()

    def _scratch(self) -> tuple[np.ndarray, ...]:
        return self._table, self._frames, self._book, self._info

    def kernels(self, state: GameState) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        """The calls of `score` and `best_column`, and of what they ask of a position."""
        self.open_book()
        own, mask = words_of(state)
        return {
            "stones_of": (stones_of, (state.kernel_state,)),
            "solve": (answers.solve, (own, mask, -CELLS, *self._scratch())),
            "best_move": (answers.best_move, (own, mask, 0, *self._scratch())),
        }


def words_of(state: GameState) -> tuple[int, int]:
    """(own, mask) of an unfinished game: the stones of the player to move, and all stones.

    Raises ValueError for another game, or if the game is over.
    """
    if not isinstance(state.kernel_state, ConnectFourState):
        raise ValueError(f"the solver plays connect4 only, not {state.game}")
    if state.is_over():
        raise ValueError("the game is over, so there is nothing to solve")
    return stones_of(state.kernel_state)


def pack(states: Iterable[GameState]) -> np.ndarray:
    """Unfinished games in the form for `Solver.solve_many`: int64[n, 2]."""
    return np.array([words_of(state) for state in states], np.int64).reshape(-1, 2)


def _answer(row: list[int], all_moves: bool) -> Answer | None:
    score, best, nodes, ticks = row[: answers.MOVE_SCORES]
    if score == answers.NO_SCORE:
        return None
    moves = [None if x == answers.NO_SCORE else x for x in row[answers.MOVE_SCORES :]]
    return Answer(
        score, best + 1, nodes, ticks / answers.TICKS_PER_MS, moves if all_moves else None)
