"""The doctor of learners without search finds planted faults, and none where there is none.

No network is trained: fixed scores play and are examined.
"""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import get_game
from dlgo.encoders import get_encoder
from engines.learning.data.experience import Decisions
from engines.learning.diagnostics.findings import FINE, ILL, WATCH, Diagnosis
from engines.learning.reinforcement import doctor
from engines.learning.selfplay.policy_games import Side, play
from engines.learning.selfplay.schedule import Schedule

GAME = get_game("connect4")
ENCODER = get_encoder("planes", GAME)


class Judge:
    """Likes some columns; its value counts three in a row.

    Args:
        sign: of its values. sharp: how sure of its moves it is.
    """

    def __init__(self, sign: float = 1.0, sharp: float = 1.0) -> None:
        self._sign, self._sharp = sign, sharp

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        likes = np.array([0, 1, 2, 3, 2.1, 1.1, 0.5], np.float32) * self._sharp
        across = planes[:, :, :-2] * planes[:, :, 1:-1] * planes[:, :, 2:]
        upwards = planes[:, :-2] * planes[:, 1:-1] * planes[:, 2:]
        threes = across.sum(axis=(1, 2)) + upwards.sum(axis=(1, 2))
        value = np.tanh(threes[:, 0] - threes[:, 1])
        return np.tile(likes, (len(planes), 1)), (self._sign * value).astype(np.float32)


def made(scorer: Judge) -> tuple[Decisions, np.ndarray]:
    """Decisions of games, and what the scorer says of them."""
    schedule = Schedule.practice(300, 1)
    side = Side(scorer, ENCODER, learns=True)
    played = play(GAME, [side], schedule).with_returns()
    decisions = played.encode(played.decisions, ENCODER)
    return decisions, scorer(decisions.planes)[0]


@pytest.mark.parametrize(("scores", "level", "part"), [
    ([0.55, 0.7, 0.95], FINE, "95% at best"), ([0.5, 0.4, 0.0], ILL, "wrong sign"),
    ([0.5, 0.52], ILL, "learned nothing"), ([0.6, 0.95, 0.7], WATCH, "forgotten"),
])
def test_the_win_rate_tells_whether_anything_was_learned(
    scores: list[float], level: str, part: str
) -> None:
    finding = doctor.win_rate(scores, 200, trained=True)
    assert finding is not None and (finding.level, part in finding.text) == (level, True)
    early = doctor.win_rate(scores, 200, trained=False)
    assert early is not None and early.level == FINE
    assert doctor.win_rate(scores[:1], 200, trained=True) is None


@pytest.mark.parametrize(("error", "won", "lost", "trained", "level"), [
    (0.3, 0.5, 0.5, True, FINE), (0.9, 0.9, 0.1, True, ILL), (0.9, 0.9, 0.1, False, FINE),
    (0.05, 1.0, 0.0, True, FINE), (0.9, 0.5, 0.5, True, FINE), (0.5, 0.1, 0.1, True, ILL),
])
def test_values_that_are_worse_than_a_constant_are_found(
    error: float, won: float, lost: float, trained: bool, level: str
) -> None:
    row = {"value_loss": error, "first_won": won, "first_lost": lost}
    assert doctor.value_error(row, trained).level == level


@pytest.mark.parametrize(("sharp", "best", "level", "part"), [
    (1.0, 0.6, FINE, "nats of at most"), (100.0, 0.6, ILL, "collapsed"),
    (100.0, 0.95, WATCH, "entropy is gone"),
])
def test_a_policy_that_is_sure_too_soon_is_found(
    sharp: float, best: float, level: str, part: str
) -> None:
    decisions, logits = made(Judge(sharp=sharp))
    finding = doctor.policy_entropy(logits, decisions, best)
    assert finding is not None and (finding.level, part in finding.text) == (level, True)


@pytest.mark.parametrize(("sign", "level"), [(1.0, FINE), (-1.0, ILL)])
def test_a_critic_with_the_wrong_sign_is_found(sign: float, level: str) -> None:
    diagnosis, (decisions, _) = Diagnosis("test"), made(Judge(sign))
    finding = doctor.critic_sign(diagnosis, decisions, trained=True)
    assert finding is not None and finding.level == level
    assert diagnosis.calibrations["critic"].positions > 1000
    assert doctor.critic_sign(diagnosis, decisions, trained=False) is None


def test_only_one_half_against_itself_is_sound() -> None:
    assert doctor.self_match(0.5).level == FINE
    assert doctor.self_match(0.492).level == ILL
