"""Chapter 3.5: the textbook board with Zobrist keys instead of stored positions.

`Board.situation` builds a set of all stones, for every candidate move, only to ask whether
it has been seen. A Zobrist key says the same in one integer. Every (player, point) gets a
random 64-bit word, and the key of a board is the XOR of the words of its stones:

* a stone comes: XOR its word; a stone goes: XOR its word again, because w ^ w == 0;
* so a play costs as many XORs as stones change, not as many as stand on the board;
* one word more says that White moves next: the same stones with the other player to move
  are another situation, and superko must tell them apart.

Two different boards could share a key. A game on 19x19 compares some 10**7 pairs of them, and
a pair has odds of one in 2**63: about one wrong answer in 10**12 games. Everyone accepts that.

What changes against `textbook.py` is on this page, and nothing else does.
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
    """The random word of every possible stone; the same in every process, for any size."""
    table = zobrist_table(2, size, size, stream="textbook go stones").tolist()
    return {
        (player, Point(row + 1, col + 1)): table[player.index][row][col]
        for player in Player for row in range(size) for col in range(size)
    }


class ZobristBoard(Board):
    """A board that keeps its key up to date as stones come and go."""

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
        """The key of the stones and of whose turn it is."""
        return self._key ^ (WHITE_TO_MOVE if next_player is Player.white else 0)


class ZobristState(TextbookState):
    """A `TextbookState` on a `ZobristBoard`."""

    board_class = ZobristBoard
