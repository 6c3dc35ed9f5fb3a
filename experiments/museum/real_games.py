"""Properties of players by their moves in a real game, for programs that cannot play trees.

Random games end in positions with few moves left. There, alpha-beta proves what moves are worth, in
any game. A position is a question if one of its moves is proven right and another is wrong and
refuted at once. Whoever plays a wrong move has made a mistake; nothing is a matter of taste.
"""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from typing import Any, NamedTuple

from dlgo.api import GameSpec, GameState, Move
from engines.base import Engine
from engines.registry import build_engine
from experiments.museum.subject import UNSEEN, Findings, Subject

NAMES = ("win in one", "loss in one", "draw beats loss", "double move")
_WORTH = {1: "wins", 0: "draws", -1: "loses"}
# Searches that prove a right move, and that refute a wrong one.
_PROOF, _REFUTATION = "alphabeta:depth=6,nodes=100000", "alphabeta:depth=2"
# Random games, their greatest length, and how many of the last positions of each are looked at.
_GAMES, _PLIES, _LAST = 100, 400, 6
# Questions about a property for a player.
_QUESTIONS = 8


class Question(NamedTuple):
    """A position; its best move and that move's result for the player to move; its wrong moves and
    their results."""

    state: GameState
    best: Move
    result: int
    wrong: dict[Move, int]


@functools.cache
def questions(game: GameSpec, seed: int = 1) -> dict[tuple[str, str], list[Question]]:
    """The questions about each property for each player: those with the most wrong moves."""
    proof, refutation = (build_engine(spec, game, seed) for spec in (_PROOF, _REFUTATION))
    rng, found = random.Random(seed), defaultdict(dict)
    for _ in range(_GAMES):
        states = [GameState.new_game(game)]
        while not states[-1].is_over() and len(states) < _PLIES:
            states.append(states[-1].apply_move(rng.choice(states[-1].sensible_moves())))
        for state in states[-_LAST - 1 : -1] if states[-1].is_over() else ():
            known = _results(state, proof)
            best = max(known, key=known.__getitem__, default=None)
            wins = [move for move in known if move.is_play and _won(state, move)]
            refuted = known if wins else _results(state, refutation)
            wrong = {move: result for move, result in refuted.items() if best is not None
                     and result < known[best] and (wins or result == -1)}
            if wrong:
                twice = any(not (after := state.apply_move(move)).is_over()
                            and after.next_player is state.next_player for move in known)
                name = ("double move" if twice else "win in one" if wins else
                        "loss in one" if known[best] else "draw beats loss")
                found[name, state.next_player.name][state] = Question(
                    state, wins[0] if wins else best, known[best], wrong)
    return {key: sorted(asked.values(), key=lambda one: len(one.state.sensible_moves())
                        / len(one.wrong))[:_QUESTIONS] for key, asked in found.items()}


def _won(state: GameState, move: Move) -> bool:
    """Whether a move wins at once."""
    after = state.apply_move(move)
    return after.is_over() and after.winner() is state.next_player


def _results(state: GameState, solver: Engine) -> dict[Move, int]:
    """The results of moves for the player to move, where the solver can prove them."""
    results = {}
    for move in state.sensible_moves():
        after = state.apply_move(move)
        if after.is_over():
            results[move] = after.result() * (1 - 2 * state.next_player.index)
        else:
            decision = solver.select_move(after)
            # In games whose history matters, `proven` is not given; a value of 1 is proven.
            result = decision.value if decision.proven is None else decision.proven
            if decision.proven == 0 or abs(result) == 1:
                results[move] = int(result) * (1 if after.next_player is state.next_player else -1)
    return results


def right_moves(subject: Subject, part: str, name: str) -> Findings:
    """The player makes no mistake in the questions about this property."""
    asked = questions(subject.game)
    for player in ("black", "white"):
        mistakes = []
        for number, question in enumerate(asked.get((name, player), ())):
            move = subject.decide(question.state, seed=number + 1).move
            if move in question.wrong or move == Move.resign():
                mistakes.append((question, move))
        if mistakes:
            text = subject.game.move_text
            question, move = mistakes[0]
            moves = " ".join(map(text, question.state.moves()))
            yield player, (
                f"{player} errs in {len(mistakes)} of {number + 1} positions. After {moves}, it "
                f"plays {text(move)}, which {_WORTH[question.wrong.get(move, -1)]}; "
                f"{text(question.best)} {_WORTH[question.result]}")
    if not any((name, player) in asked for player in ("black", "white")):
        yield UNSEEN, f"the random games of {subject.game} end in no such position"


PROPERTIES: dict[str, Any] = {
    name: functools.partial(right_moves, name=name) for name in NAMES
}
