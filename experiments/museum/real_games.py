"""Properties of players by their moves in a real game, for programs that cannot play trees.

Random games end in positions with few moves left. There, alpha-beta proves what moves are worth, in
any game. A position is a question if one of its moves is proven right and another is wrong and
refuted at once. Whoever plays a wrong move has made a mistake; nothing is a matter of taste. In Go,
only a pass is proven wrong.
"""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from typing import Any, NamedTuple

from dlgo.api import GameSpec, GameState, Move
from engines.base import Engine
from engines.registry import build_engine
from experiments.museum.subject import ASKED, UNSEEN, Findings, Subject

NAMES = ("win in one", "loss in one", "draw beats loss")
_PLAYERS = ("black", "white")
_WORTH = {1: "wins", 0: "draws", -1: "loses"}
# Searches that prove a right move, and that refute a wrong one.
_PROOF, _REFUTATION = "alphabeta:depth=6,nodes=100000", "alphabeta:depth=2,nodes=10000"
# Random games, the moves that they choose from, all together (so that those on large boards take no
# longer), and how many of the last positions of each are looked at.
_GAMES, _CHOICES, _LAST = 300, 200_000, 6
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
    rng, found, choices = random.Random(seed), defaultdict(dict), 0
    for _ in range(_GAMES):
        states = [GameState.new_game(game)]
        while not states[-1].is_over() and choices < _CHOICES:
            moves = states[-1].sensible_moves()
            states.append(states[-1].apply_move(rng.choice(moves)))
            choices += len(moves)
        for state in states[-_LAST - 1 : -1] if states[-1].is_over() else ():
            wins = [move for move in state.sensible_moves() if move.is_play and _won(state, move)]
            wrong = {} if wins else {move: result for move, result
                                     in _results(state, refutation).items() if result == -1}
            known = _results(state, proof) if wins or wrong else {}
            best = max(known, key=known.__getitem__, default=None)
            wrong = {move: result for move, result in (known if wins else wrong).items()
                     if best is not None and result < known[best]}
            if wrong and best.is_play:  # where a pass wins in Go, programs may see dead stones
                name = ("win in one" if wins else "loss in one" if known[best] else
                        "draw beats loss")
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
    asked = {player: questions(subject.game).get((name, player), ()) for player in _PLAYERS}
    for player, its in asked.items():
        moves = [subject.decide(question.state, seed=number).move
                 for number, question in enumerate(its, 1)]
        mistakes = [(question, move) for question, move in zip(its, moves, strict=True)
                    if move in question.wrong or move == Move.resign()]
        if mistakes:
            text = subject.game.move_text
            question, move = mistakes[0]
            before = " ".join(map(text, question.state.moves()))
            yield player, (
                f"{player} errs in {len(mistakes)} of {len(its)} positions. After {before}, it "
                f"plays {text(move)}, which {_WORTH[question.wrong.get(move, -1)]}; "
                f"{text(question.best)} {_WORTH[question.result]}")
    if number := sum(map(len, asked.values())):
        yield ASKED, str(number)
    else:
        yield UNSEEN, f"the random games of {subject.game} end in no such position"


PROPERTIES: dict[str, Any] = {
    name: functools.partial(right_moves, name=name) for name in NAMES
}
