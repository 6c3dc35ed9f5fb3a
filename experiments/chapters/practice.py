"""Shared by the chapters' notebooks: many games of the textbook's learners at once, and a test on
solved positions.

The learners of `engines/*/textbook.py` play game after game in Python, to be read. Here the same
networks play hundreds of games side by side in compiled code, and the learners' own `step` learns
from them.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cache

import numpy as np

from dlgo import GameSpec, GameState, Player, get_game
from dlgo.encoders import get_encoder
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.data.experience import Experience
from engines.learning.data.records import PLAYER_1
from engines.learning.selfplay import policy_games
from engines.learning.selfplay.policy_games import Side
from engines.learning.selfplay.schedule import Schedule, points
from engines.policy_gradient.textbook import Decision, TextbookReinforce
from engines.q_learning.textbook import TextbookQ
from engines.solver.outcomes import outcomes_of
from experiments.measures.tictactoe import all_states
from reports.intervals import proportion_interval

ILLEGAL = -2
_AT_ONCE = 256


def arrays(part: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """All positions of data as rows of numbers (own stones 1, the other's -1), and the moves."""
    options = BatchOptions(max(part.n_positions, 1), shuffle=False)
    batch = next(batches(part, get_encoder("oneplane", part.game), options))
    return batch.planes.reshape(len(batch), -1).astype(float), batch.policies.argmax(axis=1)


def side(learner: TextbookReinforce, learns: bool = True) -> Side:
    """How a learner plays: as it learns, or its best move."""
    def score(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        flat = planes.reshape(len(planes), -1).astype(np.float64)
        values = getattr(learner, "values", lambda rows: np.zeros(len(rows)))(flat)
        return learner.scores(flat).astype(np.float32), values.astype(np.float32)

    if not learns:
        return Side(score, learner.encoder, temperature=0.0)
    if isinstance(learner, TextbookQ):
        return Side(score, learner.encoder, learns=True, temperature=0.0, epsilon=learner.epsilon)
    return Side(score, learner.encoder, learns=True)


def play(sides: Sequence[Side], schedule: Schedule, game: GameSpec) -> Experience:
    """Play a schedule's games."""
    return policy_games.play(game, sides, schedule, _AT_ONCE)


def decisions_of(learner: TextbookReinforce, experience: Experience) -> list[Decision]:
    """The decisions of games, as the textbook remembers them."""
    rows = experience.decisions
    inputs = experience.encode(rows, learner.encoder)
    players = [Player.from_index(int(flags & PLAYER_1 > 0)) for flags in experience.flags[rows]]
    return [Decision(*row) for row in zip(
        inputs.planes.reshape(len(rows), -1).astype(np.float64), inputs.legal,
        inputs.actions.tolist(), players, inputs.probabilities.tolist(), strict=True,
    )]


def train_batch(learner: TextbookReinforce, games: int, seed: int) -> Experience:
    """One batch: play games against itself and learn from them; returns the games."""
    experience = play([side(learner)], Schedule.practice(games, seed), learner.game)
    experience = experience.with_returns(learner.discount, getattr(learner, "gae_lambda", 1.0))
    returns = experience.returns[experience.decisions].astype(float)
    learner.step(decisions_of(learner, experience), returns)
    return experience


def trained(learner: TextbookReinforce, batches: int, seed: int) -> TextbookReinforce:
    """A copy of the learner that has learned from batches of 64 games."""
    learner = copy.deepcopy(learner)
    for batch in range(batches):
        train_batch(learner, 64, 1000 * seed + batch)
    return learner


def results_against(
    learner: TextbookReinforce, opponent: TextbookReinforce, games: int, seed: int
) -> np.ndarray:
    """Points of one learner against another, each as it learns: 1, 0.5, 0; float64[games]."""
    # Every game has its own luck, so that the results are independent.
    schedule = Schedule.practice(games, seed, opponent=True)
    return points(play([side(learner), side(opponent)], schedule, learner.game), schedule)


def decided(results: np.ndarray) -> tuple[float, float, float]:
    """The share of games won, draws left out, and its 95% interval (Clopper and Pearson 1934)."""
    wins, games = int((results == 1).sum()), int((results != 0.5).sum())
    return wins / games, *proportion_interval(wins, games, method="exact")


@cache
def solved(encoder: str) -> tuple[np.ndarray, np.ndarray]:
    """All unfinished positions of tic-tac-toe, and what each action leads to with perfect play.

    float64[4520, inputs]; int[4520, 9]: 1, 0, -1 for who moves, or ILLEGAL.
    """
    game, states = get_game("tictactoe"), all_states()
    outcomes = np.full((len(states), game.num_actions), ILLEGAL)
    solve = outcomes_of(game)
    assert solve is not None  # tic-tac-toe is solved
    for row, answer in zip(outcomes, solve([state.actions() for state in states]), strict=True):
        row[list(answer)] = list(answer.values())
    board_encoder = get_encoder(encoder, game)
    return np.array([board_encoder.encode(state).ravel() for state in states], np.float64), outcomes


def evaluate_solved(learner: TextbookReinforce) -> tuple[np.ndarray, np.ndarray]:
    """What a learner thinks of all actions of all positions, and what is true: see `solved`."""
    planes, outcomes = solved(learner.encoder.name)
    return learner.scores(planes), outcomes


def losing_mistakes(learner: TextbookReinforce) -> np.ndarray:
    """In which of all 4,520 positions its best move loses what was not lost: bool[4520]."""
    return losing(*evaluate_solved(learner))


def losing(scores: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """In which positions the move with the highest score loses what was not lost: bool[n]."""
    best = np.where(outcomes == ILLEGAL, -np.inf, scores).argmax(axis=1)
    got = outcomes[np.arange(len(best)), best]
    return (got == -1) & (outcomes.max(axis=1) > -1)


def games_of(experience: Experience) -> list[bytes]:
    """The actions of each game, to be compared."""
    ends = np.cumsum(experience.plies)
    return [experience.actions[end - n : end].tobytes()
            for end, n in zip(ends, experience.plies, strict=True)]


def rows_met(learner: TextbookReinforce, experience: Experience) -> list[int]:
    """The row of `solved` of each decision in these games of tic-tac-toe."""
    inputs = experience.encode(experience.decisions, learner.encoder)
    planes = inputs.planes.reshape(len(inputs), -1).astype(np.float64)
    rows = _rows(learner.encoder.name)
    return [rows[position.tobytes()] for position in planes]


def losing_moves(learner: TextbookReinforce, experience: Experience) -> np.ndarray:
    """Which decisions in these games of tic-tac-toe lost what was not lost: bool[decisions]."""
    outcomes = solved(learner.encoder.name)[1][rows_met(learner, experience)]
    got = outcomes[np.arange(len(outcomes)), experience.actions[experience.decisions]]
    return (got == -1) & (outcomes.max(axis=1) > -1)


@cache
def followers() -> list[dict[int, tuple[int | None, float]]]:
    """What each move in each row of `solved` leads to: a row and 0, or None and whether it wins."""
    game, encoder = get_game("tictactoe"), get_encoder("planes", get_game("tictactoe"))

    def following(state: GameState) -> tuple[int | None, float]:
        if state.is_over():
            return None, float(abs(state.result()))
        return _rows("planes")[encoder.encode(state).ravel().astype(np.float64).tobytes()], 0.0

    return [{action: following(state.apply_move(game.move_of(action)))
             for action in state.legal_actions().tolist()} for state in all_states()]


@cache
def _rows(encoder: str) -> dict[bytes, int]:
    return {position.tobytes(): row for row, position in enumerate(solved(encoder)[0])}
