"""Which clicks on a board make which move, read off the rules.

A move that takes a piece away from one cell and ends on another needs two clicks, any other one,
on the cell where it ends, or whose stone it takes over. A piece that must continue after its move
(a capture of several jumps) makes a turn of several moves. So a new game can be clicked without a
line of code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dlgo import GameSpec, GameState, Move, Player, Point
from dlgo.game_tree import grouped_turns


@dataclass(frozen=True)
class CellMove:
    """A legal move as clicks: on `start`, if it moves a piece, then on `end`."""

    move: Move
    start: Point | None
    end: Point


def cell_moves(state: GameState) -> list[CellMove]:
    """The legal moves that end on a cell (not passes)."""
    moves = (cell_move(state, move) for move in state.legal_moves())
    return [move for move in moves if move is not None]


def cell_move(state: GameState, move: Move) -> CellMove | None:
    """A legal move as clicks; None if it does not end on a cell."""
    if move.point is not None:
        return CellMove(move, None, move.point)
    if not move.is_play:
        return None
    if path := points_of(move):
        return CellMove(move, path[0], path[1])
    successor, mover = state.apply_move(move), state.next_player
    before, after = state.game.stones(state), state.game.stones(successor)
    gone = [point for point, owner in before.items() if after.get(point) is not owner]
    origins = [point for point in gone if before[point] is mover]
    captures = [point for point in gone if before[point] is not mover]
    reached = [point for point, owner in after.items()
               if owner is mover and before.get(point) is not mover]
    if len(captures) == 1 and not origins:
        return CellMove(move, None, captures[0])
    end = reached[0] if len(reached) == 1 else successor.game.last_cell(successor)
    return None if end is None else CellMove(move, origins[0] if len(origins) == 1 else None, end)


def points_of(move: Move) -> list[Point]:
    """The points of a move that names two or more: from, to, and where else it acts; else []."""
    parts = move.place if isinstance(move.place, tuple) else ()
    points = [part for part in parts if isinstance(part, Point)]
    return points if len(points) > 1 else []


def turns(state: GameState) -> Iterator[list[CellMove]]:
    """Every turn that is made on cells: one move, or all moves of a piece that must continue."""
    for first in cell_moves(state):
        yield from _turns_from(state, first)


def turn_text(game: GameSpec, moves: Iterable[Move]) -> str:
    """The moves of a turn as one text."""
    return " ".join(game.whole_moves(list(moves)))


def turns_played(state: GameState) -> list[tuple[Player, list[Move]]]:
    """The turns that have led to a position: who made each, and its moves."""
    return grouped_turns(state.game, state.history()[1])


def last_turn(state: GameState) -> tuple[GameState, list[Move]]:
    """The position before the last turn, and the moves of this turn; none at the start."""
    turns = turns_played(state)
    moves = turns[-1][1] if turns else []
    for _ in moves:
        state = state.previous_state or state
    return state, moves


def _turns_from(state: GameState, first: CellMove) -> Iterator[list[CellMove]]:
    successor = state.apply_move(first.move)
    same_player = successor.next_player is state.next_player and not successor.is_over()
    following = cell_moves(successor) if first.start is not None and same_player else []
    if not following or any(move.start != first.end for move in following):
        yield [first]
        return
    for move in following:
        for continuation in _turns_from(successor, move):
            yield [first, *continuation]
