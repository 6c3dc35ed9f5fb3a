"""An opponent in draughts that shares no code with us: material minimax on pydraughts' rules.

Men count 1 and kings 1.5. It needs pydraughts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dlgo import GameState, Move, get_game

GAME = get_game("draughts")


def material(game: Any) -> float:
    """Men and half as much again for kings, for the player to move; a pydraughts game."""
    worth = {1: 0.0, 2: 0.0}
    for piece in game.board.searcher.uncaptured_pieces:
        worth[piece.player] += 1.5 if piece.king else 1.0
    return worth[game.whose_turn()] - worth[3 - game.whose_turn()]


def minimax(game: Any, depth: int, alpha: float, beta: float) -> float:
    """Material after `depth` whole moves for the player to move; cuts change no value."""
    moves = game.get_possible_moves()
    if not moves:
        return -100.0 - depth  # who cannot move has lost, and sooner is worse
    if depth == 0:
        return material(game)
    for move in moves:
        alpha = max(alpha, after(game, move, depth, alpha, beta))
        if alpha >= beta:
            break
    return alpha


def after(game: Any, move: list[int], depth: int, alpha: float, beta: float) -> float:
    """The value of a step or jump for the player who makes it; a capture may go on."""
    child = game.copy_fast()
    child.move(move)
    if child.whose_turn() == game.whose_turn():
        return minimax(child, depth, alpha, beta)
    return -minimax(child, depth - 1, -beta, -alpha)


def opponent_moves(
    state: GameState, depth: int, generator: np.random.Generator
) -> Iterator[Move]:
    """A best turn at `depth` by pydraughts' rules, one step or jump after the other.

    Args:
        state: a position at the start of a turn.
    """
    from draughts.core.game import Game

    game = Game("english", GAME.fen(state))
    while True:  # until the turn is complete
        moves, best, chosen = game.get_possible_moves(), -math.inf, []
        for move in moves:
            value = after(game, move, depth, best - 0.25, math.inf) if len(moves) > 1 else 0
            if value > best:
                best, chosen = value, []
            if value == best:
                chosen.append(move)
        move = chosen[generator.integers(len(chosen))]
        turn = game.whose_turn()
        game.move(move)
        yield GAME.parse_move(state, f"{move[0]}-{move[1]}")
        if game.whose_turn() != turn:
            return
