"""Breakthrough for users: a move is two cells, `a2-a3`, or `a2xb3` if it captures."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move, Point
from dlgo.errors import NotationError
from dlgo.games.breakthrough import kernel
from dlgo.games.lettered import Lettered
from dlgo.specs import Option

CAPTURE = "x"


class Breakthrough(Lettered):
    """The first man on the last row wins. With 5x5 cells the second player wins."""

    name = "breakthrough"
    title = "Breakthrough"
    options = (
        Option("rows", 8, "rows of the board", low=4, high=kernel.MOST_ROWS),
        Option("cols", 8, "columns of the board", low=2, high=kernel.MOST_ROWS),
    )
    opening_plies = 2
    piece_kinds = ("man",)
    symmetry_names = ("identity", "mirror")
    colour_symmetry = "flip"
    first_row_on_top = False

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.board_rows, self.board_cols = self.settings["rows"], self.settings["cols"]
        self.num_actions = 10 * self.board_rows * self.board_cols
        self._places = dict(self._all_places())
        self._actions = {place: action for action, place in self._places.items()}

    def new_kernel_state(self) -> kernel.BreakthroughState:
        state = kernel.BreakthroughState(
            np.array([self.board_rows, self.board_cols] + [0] * 5),
            np.zeros((2, self.board_rows + 2), np.int64))
        kernels.reset(state)
        return state

    def _all_places(self) -> Iterator[tuple[int, Hashable]]:
        """Each action with its place: from, to, and CAPTURE if it is one."""
        for action in range(self.num_actions):
            (row, col), way = divmod(action // 10, self.board_cols), action % 5
            start = Point(row + 1, col + 1)
            end = Point(row + 2 - 2 * (action // 5 % 2), col + 1 + kernel.RUNS[way])
            if 1 <= end.row <= self.board_rows and 1 <= end.col <= self.board_cols:
                yield action, (start, end) if way < kernel.STEPS else (start, end, CAPTURE)

    def move_of(self, action: int) -> Move:
        return Move.play(self._places[int(action)])

    def action_of(self, move: Move) -> int | None:
        return self._actions.get(move.place) if isinstance(move.place, tuple) else None

    def move_text(self, move: Move) -> str:
        match move.place:
            case (Point() as start, Point() as end) | (Point() as start, Point() as end, "x"):
                sign = CAPTURE if len(move.place) == 3 else "-"  # legal or not
                return self.cell_label(*start) + sign + self.cell_label(*end)
        return str(move)

    def parse_move(self, state: GameState, text: str) -> Move:
        cells = [self.read_cell(word) for word in re.split("[-x]", text.strip().lower())]
        start, end = (*cells, None, None)[:2]
        if len(cells) != 2 or start is None or end is None:
            last = self.cell_label(self.board_rows, self.board_cols)
            raise NotationError(
                f"{text.strip()!r} is not a move: write two cells of a1 to {last}, such as a2-a3"
            )
        meets = CAPTURE in text.lower() or self.cell(state, *end) is state.next_player.other
        captures = meets and start.col != end.col
        return Move.play((start, end, CAPTURE) if captures else (start, end))

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return "Breakthrough has no pass"
        return "a man goes one step ahead, and captures only diagonally"

    def winning_cells(self, state: GameState) -> list[Point]:
        """The man that has reached the last row."""
        end = self.last_cell(state)
        return [end] if state.is_over() and end and end.row in (1, self.board_rows) else []
