"""English draughts for users: squares 1-32, `11-15` for a step, `11x18` for a jump."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move, Player, Point
from dlgo.errors import NotationError
from dlgo.games.draughts import board, kernel, notation, perft


class Draughts(GameSpec):
    """English draughts, also called American checkers. Perfect play draws (Schaeffer 2007).

    A move is a pair of squares, one step or one jump; a multiple capture is several moves of
    the same player. Pieces of black (x, kings X) start on 1-12 and move first.
    """

    name = "draughts"
    title = "Draughts"
    # Tournaments also draw the first three moves by lot (the "three-move restriction").
    opening_plies = 3
    history_matters = True
    colour_symmetry = "rotate180"
    num_actions = kernel.NUM_ACTIONS
    board_rows = board_cols = 8
    piece_kinds = ("man", "king")
    extra_planes = (
        "the piece that must go on jumping",
        "plies since the last capture or man's move, of 80, everywhere",
        "how often the position has come up before, of 2, everywhere",
    )

    def new_kernel_state(self) -> board.DraughtsState:
        state = board.new_state()
        kernel.reset(state)
        return state

    def same_position(self, first: board.DraughtsState, second: board.DraughtsState) -> bool:
        n = first.words[board.QUIET] + 1
        return np.array_equal(first.words, second.words) and np.array_equal(
            np.sort(first.history[:n]), np.sort(second.history[:n])
        )

    def perft(self, kernel_state: board.DraughtsState, depth: int) -> int:
        """Sequences of whole moves, as published tables count them; draw rules left out."""
        return perft.count_moves(kernel_state, depth)

    @classmethod
    def from_fen(cls, text: str) -> GameState:
        """A game that starts from a position such as `B:W18,24,K27:B1,5-8`."""
        return GameState(cls(), notation.parse_fen(text))

    def fen(self, state: GameState) -> str:
        """The position as `from_fen` reads it. Raises ValueError in the middle of a capture."""
        return notation.fen_text(state.kernel_state)

    def move_of(self, action: int) -> Move:
        return Move.play(notation.PLACES[int(action)])

    def action_of(self, move: Move) -> int | None:
        squares = notation.squares_of(move)
        return notation.ACTIONS.get(squares) if squares else None

    def map_move(self, move: Move, to: Callable[[Point], Point]) -> Move:
        squares = notation.squares_of(move)
        if squares is None or not _on_board(squares):
            return move
        return Move.play(tuple(notation.number_at(to(notation.point_of(n))) for n in squares))

    def move_text(self, move: Move) -> str:
        return notation.turn_texts([move])[0]

    def parse_move(self, state: GameState, text: str) -> Move:
        squares = notation.read_squares(text)
        if len(squares) > 2:
            raise NotationError(f"{text.strip()!r} is several moves: write one jump at a time")
        return Move.play((squares[0], squares[1]))

    def parse_moves(self, state: GameState, text: str) -> list[Move]:
        """The moves of a whole turn: `11-15`, `11x18x25`, or `11x25` if nothing else fits."""
        return notation.parse_turn(state, text)

    def whole_moves(self, moves: list[Move]) -> list[str]:
        """The moves of a game as turns: the jumps of one capture become one, `11x18x25`."""
        return notation.turn_texts(moves)

    def why_illegal(self, state: GameState, move: Move) -> str:
        if not move.is_play:
            return "draughts has no pass"
        squares = notation.squares_of(move)
        if squares is None or not _on_board(squares):
            return "a move is two squares, numbered 1-32"
        start, end = squares
        owner, mover = self.cell(state, *notation.point_of(start)), state.next_player
        if owner is None:
            return f"there is no piece on {start}"
        if owner is not mover:
            return f"the piece on {start} is not {mover.name}'s"
        if squares not in notation.ACTIONS:
            return f"{end} is neither diagonally next to {start} nor one jump away"
        must = [self.move_text(legal) for legal in state.legal_moves() if notation.is_jump(legal)]
        jumper = int(state.kernel_state.words[board.JUMPER])
        if jumper and jumper != board.bit_of(start):
            return f"the capture must go on with the same piece: {' or '.join(must)}"
        if self.cell(state, *notation.point_of(end)) is not None:
            return f"square {end} is occupied"
        is_king = bool(state.kernel_state.words[board.KINGS] & board.bit_of(start))
        if not is_king and (end > start) != (mover is Player.black):
            return "a man cannot move backwards"
        if notation.is_jump(move):
            return "there is no opposing piece to jump over"
        return f"a capture must be made: {' or '.join(must)}"

    def result_text(self, state: GameState) -> str:
        if not kernels.terminal(state.kernel_state):  # a resignation
            return super().result_text(state)
        words = state.kernel_state.words
        if state.winner() is not None:
            pieces = words[state.next_player.index]
            reason = "cannot move" if pieces else "has no pieces left"
            return f"{super().result_text(state)}: {state.next_player.name} {reason}"
        if words[board.SEEN] >= board.REPETITIONS:
            return "draw: the position has come up three times"
        return "draw: 40 moves each without a capture or a man's move"

    def render(self, state: GameState) -> str:
        """The board with black's side on top; to the left of each row its square numbers."""
        text = super().render(state)
        if state.kernel_state.words[board.JUMPER] and not state.is_over():
            text += f"\n{state.next_player.name} must go on with the capture"
        return text

    def row_label(self, row: int) -> str:
        first = 4 * (8 - row) + 1
        return f"{first:>2}-{first + 3:<2}"

    def cell_label(self, row: int, col: int) -> str:
        return str(notation.number_at(Point(row, col)) or "")

    def piece_symbol(self, piece: int) -> str:
        symbol = self.symbols[piece % 2]
        return symbol.upper() if piece > 1 else symbol

    def piece_mark(self, piece: int) -> str:
        return "♚" if piece > 1 else ""

    def last_cell(self, state: GameState) -> Point | None:
        squares = state.last_move and notation.squares_of(state.last_move)
        return notation.point_of(squares[1]) if squares else None


def _on_board(squares: tuple[int, int]) -> bool:
    return all(1 <= number <= board.SQUARES for number in squares)
