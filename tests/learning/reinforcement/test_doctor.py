"""The doctor of learners without search finds planted faults, and none where there is none.

No network is trained: fixed scores play and are examined.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from dlgo import get_game
from dlgo.encoders import get_encoder
from engines.actor_critic.trainer import ActorCriticConfig
from engines.learning.data.replay import Replayer
from engines.learning.diagnostics.findings import FINE, ILL, WATCH, Diagnosis
from engines.learning.reinforcement.doctor import RunEvidence, examine, results_of
from engines.learning.selfplay.policy_games import PolicyGames, Side
from engines.learning.selfplay.schedule import Schedule, points

GAME = get_game("connect4")
ENCODER = get_encoder("planes", GAME)
CONFIG = ActorCriticConfig.make("connect4")
GOOD = [{"iteration": k, "games": 9, "decisions": 9, "loss": 1.0, "score_random": 0.5 + 0.04 * k}
        for k in range(1, 12)]


class Judge:
    """Likes some columns; its value counts three in a row.

    Args:
        sign: of its values. sharp: how sure of its moves it is.
    """

    def __init__(self, sign: float = 1.0, sharp: float = 1.0) -> None:
        self._sign, self._sharp = sign, sharp

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        likes = np.array([0, 1, 2, 3, 2.1, 1.1, 0.5], np.float32) * self._sharp
        across = planes[:, :, :-2] * planes[:, :, 1:-1] * planes[:, :, 2:]
        upwards = planes[:, :-2] * planes[:, 1:-1] * planes[:, 2:]
        threes = across.sum(axis=(1, 2)) + upwards.sum(axis=(1, 2))
        value = np.tanh(threes[:, 0] - threes[:, 1])
        return np.tile(likes, (len(planes), 1)), (self._sign * value).astype(np.float32)


def diagnosis(
    scorer: Judge | None = None, raw: bool = False, history: Any = GOOD,
    schedule: Schedule | None = None, **settings: Any,
) -> Diagnosis:
    scorer = scorer or Judge()
    games = PolicyGames(GAME, 100)
    side = Side(scorer, ENCODER, learns=True, raw=raw)
    experience = games.play([side], Schedule.practice(300, 1)).with_returns()
    rows = experience.decisions
    decisions = experience.made(Replayer(ENCODER), rows)
    schedule = schedule or Schedule.match(64, 1)
    played = games.play([side, side], schedule)
    report = Diagnosis("test")
    examine(report, RunEvidence(
        dataclasses.replace(CONFIG, **settings), history, decisions,
        results_of(experience, rows), scorer.score(decisions.planes)[0],
        float(points(played, schedule).mean()),
    ))
    return report


def test_a_sound_run_is_found_sound() -> None:
    found = diagnosis()
    assert {finding.name: finding.level for finding in found.findings} == dict.fromkeys(
        ("win rate", "policy entropy", "value sign", "recorded policy", "self-match"), FINE)


def changed(**columns: float) -> list[dict[str, float]]:
    return [{**row, **columns} for row in GOOD]


@pytest.mark.parametrize(("name", "level", "part", "planted"), [
    ("policy entropy", ILL, "collapsed", {"scorer": Judge(sharp=100.0),
                                          "history": changed(score_random=0.6)}),
    ("policy entropy", WATCH, "entropy is gone", {"scorer": Judge(sharp=100.0)}),
    ("value sign", ILL, "turned around", {"scorer": Judge(sign=-1.0)}),
    ("win rate", ILL, "wrong sign", {"history": changed(score_random=0.0)}),
    ("win rate", ILL, "learned nothing", {"history": changed(score_random=0.52)}),
    ("win rate", WATCH, "forgotten", {"history": [*GOOD, {**GOOD[-1], "score_random": 0.7}]}),
    ("recorded policy", ILL, "before the mask", {"raw": True}),
    ("mask", WATCH, "mask is forgotten", {"mask": False}),
    ("self-match", ILL, "not treated alike", {"schedule": Schedule.practice(64, 3, opponent=True)}),
])
def test_planted_faults_are_found(name: str, level: str, part: str, planted: dict) -> None:
    found = diagnosis(**planted)
    (finding,) = [one for one in found.findings if one.name == name]
    assert (finding.level, part in finding.text) == (level, True), finding.text
