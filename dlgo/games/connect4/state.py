"""Connect Four as people see it: a move is a column, 1 to 7."""

from __future__ import annotations

from collections.abc import Callable

from dlgo import symmetry
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.errors import NotationError
from dlgo.games.connect4 import board, features, kernel
from dlgo.games.lines import cells_in_lines


class ConnectFour(GameSpec):
    """Four in a row on a 7x6 board where stones fall. The first player wins (Allis 1988)."""

    name = "connect4"
    title = "Connect Four"
    opening_plies = 4
    num_actions = board.COLS
    board_rows, board_cols = board.ROWS, board.COLS
    symmetry_names = symmetry.LEFT_RIGHT
    feature_slots = features.SLOTS

    def new_kernel_state(self) -> board.ConnectFourState:
        state = board.new_state()
        kernel.reset(state)
        return state

    def move_of(self, action: int) -> Move:
        return Move.play(int(action) + 1)

    def action_of(self, move: Move) -> int | None:
        if move.is_play and type(move.place) is int and 1 <= move.place <= board.COLS:
            return move.place - 1
        return None

    def move_text(self, move: Move) -> str:
        return str(move.place) if move.is_play else move.kind

    def parse_move(self, state: GameState, text: str) -> Move:
        text = text.strip()
        if text in tuple("1234567"):
            return Move.play(int(text))
        raise NotationError(f"{text!r} is not a column: write a number 1-{board.COLS}")

    def map_move(self, move: Move, to: Callable[[Point], Point]) -> Move:
        return Move.play(to(Point(1, move.place)).col) if move.is_play else move

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return "Connect Four has no pass"
        if self.action_of(move) is None:
            return f"there is no such column, only 1-{board.COLS}"
        return "the column is full"

    def winning_cells(self, state: GameState) -> list[Point]:
        return cells_in_lines(state, 4)

    def col_label(self, col: int) -> str:
        return str(col)

    def last_cell(self, state: GameState) -> Point | None:
        if state.last_move is None or not state.last_move.is_play:
            return None
        col = state.last_move.place
        words = state.kernel_state.words
        stones = words[board.STONES_0] | words[board.STONES_1]
        return Point(int(kernel.height(stones, col - 1)), col)
