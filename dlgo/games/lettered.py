"""Cells named by a small letter and a number, as players of Hex, Othello and chess write them."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import ClassVar

from dlgo.errors import NotationError
from dlgo.game_spec import GameSpec, GameState
from dlgo.moves import Move, Point


class Lettered(GameSpec):
    """Cells are `a1` and so on, the letter I included."""

    first_row_on_top: ClassVar[bool] = True
    # Moves that are words, such as {"swap": Move.play("swap")}.
    named_moves: Mapping[str, Move] = {}

    def row_label(self, row: int) -> str:
        return str(self.board_rows + 1 - row if self.first_row_on_top else row)

    def col_label(self, col: int) -> str:
        return string.ascii_lowercase[col - 1]

    def cell_label(self, row: int, col: int) -> str:
        return f"{self.col_label(col)}{self.row_label(row)}"

    def move_text(self, move: Move) -> str:
        if move.point and self.action_of(move) is not None:
            return self.cell_label(*move.point)
        return super().move_text(move)

    def read_cell(self, word: str) -> Point | None:
        """The cell that a word in small letters names, or None."""
        col = string.ascii_lowercase.find(word[:1]) + 1 if word else 0
        labels = [self.row_label(row) for row in range(1, self.board_rows + 1)]
        if not 1 <= col <= self.board_cols or word[1:] not in labels:
            return None
        return Point(labels.index(word[1:]) + 1, col)

    def parse_move(self, state: GameState, text: str) -> Move:
        word = text.strip().lower()
        if word in self.named_moves:
            return self.named_moves[word]
        if cell := self.read_cell(word):
            return Move.play(cell)
        last = self.cell_label(1 if self.first_row_on_top else self.board_rows, self.board_cols)
        alternatives = "".join(f", or {name}" for name in self.named_moves)
        raise NotationError(f"{text.strip()!r} is not a cell: write a1 to {last}{alternatives}")
