"""The textbook Go board of chapter 3: stones and liberties as sets, written to be read.

From the bottom up:

    GoString         connected stones of one colour, with their liberties
    Board            the grid: placing a stone, capturing
    TextbookState    turns, the rules that forbid a play, the end of the game, the count

This code is simple, not fast. `textbook_zobrist.py` stores positions as integers (chapter 3.5).
`board.py` is the compiled board that engines use. `tests/games/test_go_boards_agree.py` checks
that all three have the same stones, legal moves and results; `python -m
experiments.chapters.ch03` compares their speed.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from dlgo.api import Move, Player, Point
from dlgo.errors import IllegalMoveError


@dataclass(frozen=True)
class GoString:
    """A string (or chain): connected stones of one colour, and their liberties.

    A string never changes: a move makes new strings. So several boards can share one.
    """

    color: Player
    stones: frozenset[Point]
    liberties: frozenset[Point]

    def without_liberty(self, point: Point) -> GoString:
        """The string after an opponent's stone was placed on `point`."""
        return GoString(self.color, self.stones, self.liberties - {point})

    def with_liberty(self, point: Point) -> GoString:
        """The string after a captured stone was removed from `point`."""
        return GoString(self.color, self.stones, self.liberties | {point})

    def merged_with(self, other: GoString) -> GoString:
        """Both strings as one. A point with a stone of either string is no liberty."""
        stones = self.stones | other.stones
        return GoString(self.color, stones, (self.liberties | other.liberties) - stones)


class Board:
    """Stones on a square grid, with captures; without turns and history."""

    def __init__(self, size: int) -> None:
        self.size = size
        # Each occupied point maps to the string of its stone.
        self._grid: dict[Point, GoString] = {}

    def is_on_grid(self, point: Point) -> bool:
        """Whether `point` is on the board."""
        return 1 <= point.row <= self.size and 1 <= point.col <= self.size

    def get(self, point: Point) -> Player | None:
        """The player whose stone is on `point`; None if it is empty."""
        string = self._grid.get(point)
        return string.color if string else None

    def get_go_string(self, point: Point) -> GoString | None:
        """The string on `point`; None if it is empty."""
        return self._grid.get(point)

    def neighbors(self, point: Point) -> list[Point]:
        """The two to four points of the board next to `point`."""
        return [near for near in point.neighbors() if self.is_on_grid(near)]

    def points(self) -> list[Point]:
        """All points, row by row from A1."""
        lines = range(1, self.size + 1)
        return [Point(row, col) for row in lines for col in lines]

    def place_stone(self, player: Player, point: Point) -> None:
        """Put a stone on an empty point and remove captured strings.

        The opponent's strings without liberties are removed first, because this can give the
        new string a liberty. A new string without liberties stays on the board:
        `TextbookState` forbids such a move.
        """
        assert self.is_on_grid(point) and self.get(point) is None, f"{point} is not free"
        near = self.neighbors(point)
        adjacent = {self._grid[other] for other in near if other in self._grid}
        free = frozenset(other for other in near if other not in self._grid)

        string = GoString(player, frozenset([point]), free)
        for friend in adjacent:
            if friend.color is player:
                string = string.merged_with(friend)
        self._put(string)

        for enemy in adjacent:
            if enemy.color is not player:
                enemy = enemy.without_liberty(point)
                if enemy.liberties:
                    self._put(enemy)
                else:
                    self.remove(enemy)

    def remove(self, string: GoString) -> None:
        """Remove a string; its points become liberties of the strings next to them."""
        for point in string.stones:
            del self._grid[point]
        for point in string.stones:
            for near in self.neighbors(point):
                if near in self._grid:
                    self._put(self._grid[near].with_liberty(point))

    def _put(self, string: GoString) -> None:
        for point in string.stones:
            self._grid[point] = string

    def copy(self) -> Board:
        """A board that can be changed without changing this one.

        Copying the dictionary is enough, because the strings in it are immutable.
        """
        board = copy.copy(self)
        board._grid = dict(self._grid)
        return board

    def situation(self, next_player: Player) -> Hashable:
        """The stones and the player to move: situational superko forbids repeating them."""
        return next_player, frozenset((point, self.get(point)) for point in self._grid)

    def area(self) -> dict[Player, int]:
        """Points of both players by area counting (AGA, Chinese); all stones count as alive.

        A player owns the points of their stones, and each empty region that touches only
        their colour.
        """
        count = {Player.black: 0, Player.white: 0}
        for string in self._grid.values():
            count[string.color] += 1
        seen: set[Point] = set()
        for start in self.points():
            if start not in self._grid and start not in seen:
                region, colors = self._empty_region(start)
                seen |= region
                if len(colors) == 1:
                    count[colors.pop()] += len(region)
        return count

    def _empty_region(self, start: Point) -> tuple[set[Point], set[Player]]:
        """The empty points connected to `start`, and the colours they touch (a flood fill)."""
        region = {start}
        colors = set()
        to_visit = [start]
        while to_visit:
            for near in self.neighbors(to_visit.pop()):
                color = self.get(near)
                if color is not None:
                    colors.add(color)
                elif near not in region:
                    region.add(near)
                    to_visit.append(near)
        return region, colors

    def __str__(self) -> str:
        """The board as text: `x` black, `o` white, the highest row first."""
        symbol = {None: ".", Player.black: "x", Player.white: "o"}
        lines = range(1, self.size + 1)
        return "\n".join(
            " ".join(symbol[self.get(Point(row, col))] for col in lines) for row in reversed(lines)
        )


class TextbookState:
    """A position in a game of Go, with the methods of `dlgo.GameState`.

    Attributes:
        board: the stones; do not change it.
        next_player: the player to move (after a resignation, the player who resigned).
        komi: White's points for moving second.
        previous_state, last_move: the state before the last move; both None at the start.
        situations: every situation of the game up to this one.
    """

    board_class: ClassVar[type[Board]] = Board

    def __init__(
        self, board: Board, next_player: Player, komi: float,
        previous_state: TextbookState | None = None, last_move: Move | None = None,
    ) -> None:
        self.board = board
        self.next_player = next_player
        self.komi = komi
        self.previous_state = previous_state
        self.last_move = last_move
        past = previous_state.situations if previous_state else frozenset()
        self.situations: frozenset[Hashable] = past | {board.situation(next_player)}

    @classmethod
    def new_game(cls, size: int = 9, komi: float = 7.5) -> TextbookState:
        """An empty board, Black to move."""
        return cls(cls.board_class(size), Player.black, komi)

    def apply_move(self, move: Move) -> TextbookState:
        """The state after `move`.

        Raises:
            IllegalMoveError: if the rules forbid it.
        """
        if not self.is_valid_move(move):
            raise IllegalMoveError(f"{move} is illegal for {self.next_player.name}")
        board = self._board_after(move.point) if move.point else self.board
        player = self.next_player if move.is_resign else self.next_player.other
        return type(self)(board, player, self.komi, self, move)

    def is_valid_move(self, move: Move) -> bool:
        """Whether the rules allow `move`. Never raises.

        Passing and resigning are always allowed. A stone needs an empty point, its string
        must have a liberty after captures, and the situation must be new.
        """
        if self.is_over():
            return False
        if not move.is_play:
            return move.is_pass or move.is_resign
        point = move.point
        if point is None or not self.board.is_on_grid(point) or self.board.get(point) is not None:
            return False
        board = self._board_after(point)
        return not self._is_self_capture(board, point) and not self._violates_superko(board)

    def _board_after(self, point: Point) -> Board:
        board = self.board.copy()
        board.place_stone(self.next_player, point)
        return board

    def _is_self_capture(self, board: Board, point: Point) -> bool:
        """Whether the stone just placed has no liberty, even after its captures."""
        string = board.get_go_string(point)
        return string is not None and not string.liberties

    def _violates_superko(self, board: Board) -> bool:
        """Whether this situation occurred before in the game.

        This is not asked of passes: two players who both want to pass must be able to end the
        game.
        """
        return board.situation(self.next_player.other) in self.situations

    def legal_moves(self) -> list[Move]:
        """All legal moves, row by row from A1, then the pass; empty after the end."""
        if self.is_over():
            return []
        plays = (Move.play(point) for point in self.board.points())
        return [*filter(self.is_valid_move, plays), Move.pass_turn()]

    def is_over(self) -> bool:
        """Whether a player has resigned, or both have passed one after the other."""
        last, previous = self.last_move, self.previous_state
        if last is None or previous is None or last.is_play:
            return False
        if last.is_resign:
            return True
        return previous.last_move is not None and previous.last_move.is_pass

    def margin(self) -> float:
        """Black's area minus White's area and komi."""
        area = self.board.area()
        return area[Player.black] - area[Player.white] - self.komi

    def winner(self) -> Player | None:
        """The winner of a finished game; None for a draw or an unfinished one."""
        if not self.is_over():
            return None
        if self.last_move is not None and self.last_move.is_resign:
            return self.next_player.other
        margin = self.margin()
        if margin == 0:
            return None
        return Player.black if margin > 0 else Player.white


def is_point_an_eye(board: Board, point: Point, player: Player) -> bool:
    """Whether an empty point is the player's eye, by the strict definition of chapter 3.3.

    All neighbours are the player's stones. So are the diagonal points: all of them at the edge,
    at least three of four elsewhere. A bot that never fills an eye keeps its living groups, and
    its games end. The definition misses eyes whose stones are joined farther away.
    """
    if board.get(point) is not None:
        return False
    if any(board.get(near) is not player for near in board.neighbors(point)):
        return False
    corners = [Point(point.row + up, point.col + right) for up in (-1, 1) for right in (-1, 1)]
    on_board = [corner for corner in corners if board.is_on_grid(corner)]
    friendly = sum(board.get(corner) is player for corner in on_board)
    return friendly >= 3 if len(on_board) == 4 else friendly == len(on_board)
