"""Chapter 3.5: the textbook board with Zobrist keys instead of stored positions.

To test for superko, `Board.situation` builds a set of all stones for every possible move. A
Zobrist key replaces this set by one integer. Each (player, point) has a random 63-bit word, and
the key of a board is the XOR of the words of its stones:

* To add a stone, XOR its word. To remove it, XOR its word again, because w ^ w == 0.
* So a move costs one XOR for each stone that changes, not for each stone on the board.
* One more word means that White moves next: superko must tell apart the same stones with
  different players to move.

Two different boards can have the same key, with probability 1 in 2**63. A game on 19x19 compares
about 10**7 pairs of boards, so about one game in 10**12 contains a wrong answer.

This file has all differences from `textbook.py`.
"""

from __future__ import annotations

import functools

from dlgo.api import Player, Point
from dlgo.games.go.textbook import Board, GoString, TextbookState
from dlgo.zobrist import zobrist_table

EMPTY_BOARD = 0
WHITE_TO_MOVE = int(zobrist_table(1, stream="textbook go side")[0])


@functools.cache
def stone_words(size: int) -> dict[tuple[Player, Point], int]:
    """The random word of each possible stone, for a board size; always the same words."""
    table = zobrist_table(2, size, size, stream="textbook go stones").tolist()
    return {
        (player, Point(row + 1, col + 1)): table[player.index][row][col]
        for player in Player for row in range(size) for col in range(size)
    }


class ZobristBoard(Board):
    """A board that updates its key with each stone."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._words = stone_words(size)
        self._key = EMPTY_BOARD

    def place_stone(self, player: Player, point: Point) -> None:
        super().place_stone(player, point)
        self._key ^= self._words[player, point]

    def remove(self, string: GoString) -> None:
        super().remove(string)
        for point in string.stones:
            self._key ^= self._words[string.color, point]

    def zobrist_key(self) -> int:
        """The key of the stones alone."""
        return self._key

    def situation(self, next_player: Player) -> int:
        """The key of the stones and the player to move."""
        return self._key ^ (WHITE_TO_MOVE if next_player is Player.white else 0)


class ZobristState(TextbookState):
    """A `TextbookState` on a `ZobristBoard`."""

    board_class = ZobristBoard
