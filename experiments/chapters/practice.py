"""Many games of the learners of the textbook, played in compiled code; and an exam.

The learners of `engines/*/textbook.py` play game after game in Python, to be read. Here the same
networks play hundreds of games side by side (`engines/learning/selfplay/policy_games.py`), and the
learners' own `step` learns from them.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from dlgo import GameSpec, Player, get_game
from dlgo.encoders import get_encoder
from engines.learning.data.experience import Experience
from engines.learning.data.replay import Replayer
from engines.learning.selfplay.policy_games import RANDOM, PolicyGames, Side
from engines.learning.selfplay.schedule import Schedule, points
from engines.policy_gradient.textbook import Decision, TextbookReinforce
from engines.q_learning.textbook import TextbookQ
from engines.solver.outcomes import outcomes_of
from experiments.measures.tictactoe import all_states

ILLEGAL = -2
_AT_ONCE = 256


class TextbookScorer:
    """The network of a textbook learner as a `Scorer`."""

    def __init__(self, learner: TextbookReinforce) -> None:
        self._learner = learner

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        flat = planes.reshape(len(planes), -1).astype(np.float64)
        values = getattr(self._learner, "values", lambda rows: np.zeros(len(rows)))(flat)
        return self._learner.scores(flat).astype(np.float32), values.astype(np.float32)


def side(learner: TextbookReinforce, learns: bool = True) -> Side:
    """How a learner plays: as it learns, or its best move."""
    scorer = TextbookScorer(learner)
    if not learns:
        return Side(scorer, learner.encoder, temperature=0.0)
    if isinstance(learner, TextbookQ):
        return Side(scorer, learner.encoder, temperature=0.0, epsilon=learner.epsilon, learns=True)
    return Side(scorer, learner.encoder, learns=True)


@cache
def _games(game: str) -> PolicyGames:
    return PolicyGames(get_game(game), _AT_ONCE)


def play(sides: Sequence[Side], schedule: Schedule, game: GameSpec) -> Experience:
    """Play a schedule's games."""
    return _games(str(game)).play(sides, schedule)


def decisions_of(learner: TextbookReinforce, played: Experience) -> list[Decision]:
    """The decisions of games, as the textbook remembers them."""
    rows = played.decisions
    made = played.made(Replayer(learner.encoder), rows)
    players = (played.flags[rows] >> 1).tolist()
    return [
        Decision(planes, legal, action, (Player.black, Player.white)[player], share)
        for planes, legal, action, player, share in zip(
            made.planes.reshape(len(rows), -1).astype(np.float64), made.legal,
            made.actions.tolist(), players, made.probabilities.tolist(), strict=True)
    ]


def practise(learner: TextbookReinforce, games: int, seed: int) -> Experience:
    """One batch: play games against itself and learn from them; returns the games."""
    played = play([side(learner)], Schedule.practice(games, seed), learner.game)
    played = played.with_returns(learner.discount, getattr(learner, "gae_lambda", 1.0))
    learner.step(decisions_of(learner, played), played.returns[played.decisions].astype(float))
    return played


def trained(
    learner: TextbookReinforce, batches: int, seed: int, games: int = 64
) -> TextbookReinforce:
    """A copy of the learner that has learned from so many batches of games."""
    learner = copy.deepcopy(learner)
    for batch in range(batches):
        practise(learner, games, 1000 * seed + batch)
    return learner


def results_against(
    one: TextbookReinforce, other: TextbookReinforce, games: int, seed: int = 0
) -> np.ndarray:
    """Points of one learner against another, each as it learns: 1, 0.5, 0; float64[games].

    Every game has its own luck, so that the results are independent.
    """
    schedule = Schedule.practice(games, seed, opponent=True)
    return points(play([side(one), side(other)], schedule, one.game), schedule)


def decided(results: np.ndarray) -> tuple[float, float, float]:
    """The share of games won, draws left out, and its 95% interval (Clopper and Pearson 1934).

    Args:
        results: 1, 0.5, 0 of each game; at least one is decided.
    """
    from scipy.stats import binomtest

    wins, games = int((results == 1).sum()), int((results != 0.5).sum())
    interval = binomtest(wins, games).proportion_ci()
    return wins / games, float(interval.low), float(interval.high)


def against_random(learner: TextbookReinforce, games: int, seed: int = 0) -> float:
    """The share of points of a learner's best moves against random play."""
    schedule = Schedule.match(games, seed)
    played = play([side(learner, learns=False), RANDOM], schedule, learner.game)
    return float(points(played, schedule).mean())


@cache
def _exam(encoder: str) -> tuple[np.ndarray, np.ndarray]:
    """All positions of tic-tac-toe, and what each action leads to with perfect play.

    float64[positions, inputs]; int[positions, 9]: 1, 0, -1 for who moves, or ILLEGAL.
    """
    game = get_game("tictactoe")
    solve, shown, states = outcomes_of(game), get_encoder(encoder, game), all_states()
    assert solve is not None
    outcomes = np.full((len(states), game.num_actions), ILLEGAL)
    lines = [[game.action_of(move) for move in state.moves()] for state in states]
    for row, answer in zip(outcomes, solve(lines), strict=True):
        row[list(answer)] = list(answer.values())
    return np.array([shown.encode(state).ravel() for state in states], np.float64), outcomes


def exam(learner: TextbookReinforce) -> tuple[np.ndarray, np.ndarray]:
    """What a learner thinks of all actions of all positions of tic-tac-toe, and what is true.

    float64[4520, 9]; int[4520, 9]: 1, 0, -1 for who moves with perfect play, or ILLEGAL.
    """
    planes, outcomes = _exam(learner.encoder.name)
    return learner.scores(planes), outcomes


def losing_mistakes(learner: TextbookReinforce) -> np.ndarray:
    """In which of all 4,520 positions its best move loses what was not lost: bool[4520]."""
    scores, outcomes = exam(learner)
    best = np.where(outcomes == ILLEGAL, -np.inf, scores).argmax(axis=1)
    got = outcomes[np.arange(len(best)), best]
    return (got == -1) & (outcomes.max(axis=1) > -1)


def games_of(played: Experience) -> list[bytes]:
    """The actions of each game, to be compared."""
    ends = np.cumsum(played.plies)
    return [played.actions[end - n : end].tobytes()
            for end, n in zip(ends, played.plies, strict=True)]


def rows_met(learner: TextbookReinforce, played: Experience) -> np.ndarray:
    """Which rows of the exam these games of tic-tac-toe have met."""
    keys, rows = _keys(learner.encoder.name)
    made = played.made(Replayer(learner.encoder), played.decisions)
    return rows[np.searchsorted(keys, np.unique(_key(made.planes.reshape(len(made), -1))))]


@cache
def _keys(encoder: str) -> tuple[np.ndarray, np.ndarray]:
    """The keys of the exam's positions in ascending order, and their rows."""
    keys = _key(_exam(encoder)[0])
    rows = np.argsort(keys)
    return keys[rows], rows


def _key(planes: np.ndarray) -> np.ndarray:
    """A number for each row of zeros and ones."""
    return planes.astype(np.int64) @ (1 << np.arange(planes.shape[1]))


def mean_text(values: Sequence[float]) -> str:
    """The mean of several seeds in percent, with half its 95% interval."""
    mean, half = spread(values)
    return f"{mean:.1f}%" if math.isnan(half) else f"{mean:.1f} +-{half:.1f}%"


def spread(values: Sequence[float]) -> tuple[float, float]:
    """The mean of several seeds, and half its 95% interval (Student's t); nan for one seed."""
    from scipy.stats import t

    n = len(values)
    if n == 1:
        return values[0], math.nan
    return float(np.mean(values)), float(
        t.ppf(0.975, n - 1) * np.std(values, ddof=1) / math.sqrt(n))
