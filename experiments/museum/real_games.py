"""Properties of players by their moves in a real game, for programs that cannot play trees.

Random games end in positions with few moves left. There, alpha-beta proves what moves are worth, in
any game. A position is a question if one of its moves is proven right and another is wrong and
refuted at once. Whoever plays a wrong move has made a mistake; nothing is a matter of taste. In Go,
only a pass is proven wrong.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any

import numpy as np

from dlgo.api import GameSpec, GameState, Move, Player
from engines.base import Engine
from engines.registry import build_engine
from experiments.museum.subject import ASKED, UNSEEN, Findings, Subject, random_game

NAMES = ("win in one", "loss in one", "draw beats loss")
_WORTH = {1: "wins", 0: "draws", -1: "loses"}
# Searches that see what wins or loses at once, and that prove what moves are worth.
_SEARCHES = "alphabeta:depth=1", "alphabeta:depth=6,nodes=10000"
# Random games, their legal moves together (so that games on large boards take no longer), and how
# many of the last positions of each are looked at.
_GAMES, _MOVES, _LAST = 300, 200_000, 6
# Questions about a property for a player.
_QUESTIONS = 8
# A position, and the proven results of its best move, the first one, and of the wrong moves.
Question = tuple[GameState, dict[Move, int]]


@functools.cache
def questions(game: GameSpec, seed: int = 2) -> dict[tuple[str, Player], list[Question]]:
    """The questions about each property for each player: those with the most wrong moves."""
    glance, proof = (build_engine(search, game, seed) for search in _SEARCHES)
    rng, moves = np.random.default_rng(seed), 0
    counts: defaultdict[Any, dict[GameState, dict[Move, int]]] = defaultdict(dict)
    for _ in range(_GAMES):
        states = random_game(game.start(), rng)
        moves += sum(len(state.legal_actions()) for state in states)
        for state in states[-_LAST - 1 : -1] if moves < _MOVES else ():
            at_once = _results(state, glance)
            results = _results(state, proof) if {1, -1} & {*at_once.values()} else {}
            if not results:
                continue
            best = max(results, key=lambda move: (results[move], at_once.get(move, 0)))
            wins = at_once.get(best) == 1
            wrong = {move: result for move, result in results.items()
                     if result < results[best] and (wins or at_once.get(move) == -1)}
            if wrong and best.is_play:  # where a pass wins in Go, programs may see dead stones
                name = NAMES[0 if wins else 1 if results[best] else 2]
                counts[name, state.next_player][state] = {best: results[best], **wrong}
    return {
        key: sorted(rows.items(), key=lambda row: len(row[0].sensible_moves()) / len(row[1]))
        [:_QUESTIONS] for key, rows in counts.items()
    }


def _results(state: GameState, solver: Engine) -> dict[Move, int]:
    """The results of moves for the player to move, where the solver can prove them."""
    results = {}
    for move in state.sensible_moves():
        successor = state.apply_move(move)
        if successor.is_over():
            results[move] = successor.result() * (1 - 2 * state.next_player.index)
        elif (decision := solver.select_move(successor)).proven == 0 or decision.value in (-1, 1):
            # In games whose history matters, `proven` is not given; a value of 1 is proven.
            moves_again = successor.next_player is state.next_player
            results[move] = int(decision.value or 0) * (1 if moves_again else -1)
    return results


def right_moves(subject: Subject, part: str, name: str) -> Findings:
    """The player makes no mistake in the questions about this property."""
    text, count = subject.game.move_text, 0
    for player in Player:
        positions, mistakes = questions(subject.game).get((name, player), ()), []
        count += len(positions)
        for number, (state, results) in enumerate(positions, 1):
            best, move = next(iter(results)), subject.call(part, state, 0, number).move
            if results.get(move, -1 if move.is_resign else results[best]) < results[best]:
                mistakes.append(
                    f"After {' '.join(map(text, state.moves()))}, it plays {text(move)}, which "
                    f"{_WORTH[results.get(move, -1)]}; {text(best)} {_WORTH[results[best]]}")
        if mistakes:
            yield player.name, (
                f"{player.name} errs in {len(mistakes)} of {len(positions)} positions. "
                f"{mistakes[0]}")
    yield (ASKED, str(count)) if count else (
        UNSEEN, f"the random games of {subject.game} end in no such position")


PROPERTIES = {name: functools.partial(right_moves, name=name) for name in NAMES}
