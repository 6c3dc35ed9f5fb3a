"""Positions of Go from diagrams in text, and what happens on them."""

from __future__ import annotations

from collections.abc import Sequence

from dlgo import GameState, Player, Point, get_game
from dlgo.games.go.textbook import Board


def position(
    rows: Sequence[str], player: Player = Player.black, komi: float = 7.5
) -> GameState:
    """The position of a diagram, highest row first: x black, o white, a point for empty."""
    stones: dict[str, list[Point]] = {"x": [], "o": [], ".": []}
    for row, line in enumerate(reversed(rows), 1):
        for col, cell in enumerate(line, 1):
            stones[cell].append(Point(row, col))
    game = get_game("go", size=len(rows), komi=komi)
    return game.position(stones["x"], stones["o"], player)


def play(state: GameState, *moves: str) -> GameState:
    """The state after the moves, each written as a point or `pass`."""
    for text in moves:
        state = state.apply_move(state.game.parse_move(state, text))
    return state


def count(state: GameState, colour: Player) -> int:
    """Stones of a colour on the board."""
    size = range(1, state.game.size + 1)
    return sum(state.game.cell(state, row, col) is colour for row in size for col in size)


def liberties(state: GameState, point: Point) -> frozenset[Point]:
    """The liberties of the chain on `point`, as the textbook board keeps them."""
    board = Board(state.game.size)
    for spot in board.points():
        if owner := state.game.cell(state, spot.row, spot.col):
            board.place_stone(owner, spot)
    return board.get_go_string(point).liberties
