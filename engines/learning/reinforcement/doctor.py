"""The doctor for learners without search: does a run learn, and where not?

    dlgo doctor out/policy_gradient/connect4

It reads the history and the decisions of the last iteration, asks the last network about them, and
lets it play itself. A run can go wrong without a crash: a policy that is sure of one move too soon,
a value with the wrong sign, probabilities that were recorded before the mask.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dlgo.errors import ModelError
from dlgo.games import recorded_game
from engines.learning.data.experience import Decisions, Experience, read_experience
from engines.learning.data.replay import Replayer
from engines.learning.diagnostics.findings import (
    FINE,
    ILL,
    WATCH,
    Check,
    Diagnosis,
    Measure,
    Threshold,
)
from engines.learning.diagnostics.game_checks import value_check, value_measure
from engines.learning.diagnostics.positions import calibrate
from engines.learning.networks.leaf_evaluator import encoder_of, softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.learning.reinforcement.pool import network_folder
from engines.learning.runs.records import read_history
from engines.learning.selfplay.network_side import RuntimeScorer
from engines.learning.selfplay.policy_games import PolicyGames, Side
from engines.learning.selfplay.schedule import Schedule, points

_COLUMNS = ("iteration", "games", "decisions", "loss")
# Decisions that the network is asked about, and games that it plays against itself.
_MOST, _SELF_GAMES = 2000, 64
# Iterations and tests before something is expected of a run.
_TRAINED_AFTER, _ENOUGH_TESTS = 5, 2


@dataclass(frozen=True)
class RunEvidence:
    """What the checks look at.

    Attributes:
        config: of the run. history: a row an iteration.
        decisions: some of the last iteration's. results: float[n], of their games, for who decided.
        scores: float[n, num_actions], what the last network says of them.
        self_score: what it scored against itself on paired seeds.
    """

    config: ReinforcementConfig
    history: Sequence[dict[str, float]]
    decisions: Decisions
    results: np.ndarray
    scores: np.ndarray
    self_score: float

    @property
    def draws(self) -> bool:
        """Whether moves are drawn from a softmax of the scores."""
        return "policy" in self.config.heads


def examine_run(folder: Path, config: type[ReinforcementConfig]) -> Diagnosis:
    """All checks of a run's folder.

    Args:
        config: the class of the settings of its learner.

    Raises:
        ModelError: if there is no run of that learner in the folder, or none of its iterations is
            finished, or its network cannot be read.
        DataError: if the experience of its last iteration cannot be read.
    """
    path = folder / "plan.json"
    try:
        settings = config.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read: {error}; name another folder") from None
    history = read_history(folder, _COLUMNS)
    done = int(history[-1]["iteration"])
    game = recorded_game(settings.game)
    kept = [iteration for iteration in range(done, -1, -1)
            if network_folder(folder, iteration).exists()]
    if not kept:
        raise ModelError(f"{folder} has no network in nets/; run `dlgo train {settings.method}` "
                         "again, which writes one")
    runtime = load_runtime(str(network_folder(folder, kept[0])))
    encoder = encoder_of(runtime.card, game)
    scorer = RuntimeScorer(runtime)
    experience = read_experience(
        folder / "experience" / f"{done:06d}.npz", game, settings.encoder)
    rows = experience.decisions
    rows = rows[np.linspace(0, len(rows) - 1, min(_MOST, len(rows))).astype(int)]
    decisions = experience.made(Replayer(encoder), rows)
    schedule = Schedule.match(_SELF_GAMES, settings.seed)
    side = Side(scorer, encoder)
    played = PolicyGames(game, _SELF_GAMES).play([side, side], schedule)
    diagnosis = Diagnosis(
        f"{folder}: {settings.method}, {settings.game}, {settings.network}, iteration {done} of "
        f"{settings.iterations}", history=history,
    )
    examine(diagnosis, RunEvidence(
        settings, history, decisions, results_of(experience, rows),
        scorer.score(decisions.planes)[0], float(points(played, schedule).mean()),
    ))
    return diagnosis


def examine(diagnosis: Diagnosis, evidence: RunEvidence) -> None:
    """Make all checks of this evidence."""
    if "value" in evidence.config.heads:
        diagnosis.calibrations["critic"] = calibrate(
            evidence.decisions.values * 0.998, evidence.results)
    diagnosis.add(CHECKS, evidence)


def results_of(experience: Experience, rows: np.ndarray) -> np.ndarray:
    """The results of the games of these plies, for who decided: 1, 0, -1; float64[n]."""
    plain = experience.with_returns()
    return plain.returns[rows].astype(np.float64)


def _tests(run: RunEvidence) -> Measure | None:
    """first, last: scores against random play. best: of all tests."""
    scores = [row["score_random"] for row in run.history if "score_random" in row]
    if len(scores) < _ENOUGH_TESTS:
        return None
    error = 0.5 / np.sqrt(run.config.test_games)
    return Measure(first=scores[0], last=scores[-1], best=max(scores), tests=len(scores),
                   error=error, trained=len(run.history) >= _TRAINED_AFTER)


def _entropy(run: RunEvidence) -> Measure | None:
    """nats: of the last network's policy. most: of an even one. sure: share of the decisions in
    which one of several moves had more than 99%."""
    if not run.draws:
        return None
    shares = _masked(run)
    choice = run.decisions.legal.sum(axis=1) > 1
    logs = np.log(np.where(shares > 0, shares, 1))
    nats = -(shares * logs).sum(axis=1)[choice]
    most = np.log(run.decisions.legal.sum(axis=1)[choice])
    if not len(nats):
        return None
    return Measure(
        nats=float(nats.mean()), most=float(most.mean()),
        sure=float((shares.max(axis=1)[choice] > 0.99).mean()), trained=_best_score(run) > 0.9,
    )


def _critic(run: RunEvidence) -> Measure | None:
    if "value" not in run.config.heads or len(run.history) < _TRAINED_AFTER:
        return None
    return value_measure(calibrate(run.decisions.values * 0.998, run.results))


def _recorded(run: RunEvidence) -> Measure | None:
    """Is a recorded probability that of the legal moves, or of all?

    played, raw: mean distance of its logarithm from that of the last network's policy over the
    legal moves, and over all. illegal: what the network gives to illegal moves.
    """
    if not run.draws:
        return None
    rows = np.arange(len(run.decisions))
    raw = softmax(run.scores.astype(np.float64) / _temperature(run))
    illegal = (raw * ~run.decisions.legal).sum(axis=1)
    telling = illegal > 0.05
    if telling.sum() < 50:
        return None
    logs = np.log(run.decisions.probabilities.astype(np.float64))
    actions = run.decisions.actions
    played = np.abs(logs - np.log(np.maximum(_masked(run)[rows, actions], 1e-30)))[telling]
    whole = np.abs(logs - np.log(np.maximum(raw[rows, actions], 1e-30)))[telling]
    return Measure(played=float(played.mean()), raw=float(whole.mean()),
                   illegal=float(illegal.mean()))


def _forgotten(run: RunEvidence) -> Measure | None:
    return Measure() if getattr(run.config, "mask", True) is False else None


def _self_match(run: RunEvidence) -> Measure:
    return Measure(score=run.self_score, games=_SELF_GAMES)


def _masked(run: RunEvidence) -> np.ndarray:
    """The last network's policy over the legal moves."""
    logits = run.scores.astype(np.float64) / _temperature(run)
    return softmax(np.where(run.decisions.legal, logits, -1e9))


def _temperature(run: RunEvidence) -> float:
    return getattr(run.config, "temperature", 1.0)


def _best_score(run: RunEvidence) -> float:
    return max((row["score_random"] for row in run.history if "score_random" in row), default=0.0)


CHECKS = (
    Check(
        "win rate", _tests,
        "{first:.0%} against random play in the first test, {last:.0%} in the last of {tests}, "
        "{best:.0%} at best",
        Threshold(FINE, lambda m: not m.trained, "too early to tell"),
        Threshold(ILL, lambda m: m.last <= 0.05,
                  "it loses to random play: a reward or an advantage has the wrong sign"),
        Threshold(ILL, lambda m: m.best < 0.5 + 3 * m.error,
                  "it has learned nothing: look at the rewards' signs and the learning rate"),
        Threshold(WATCH, lambda m: m.last < m.best - 4 * m.error,
                  "it has forgotten: a smaller learning rate, or a larger pool_share"),
    ),
    Check(
        "policy entropy", _entropy,
        "the policy has {nats:.2f} nats of at most {most:.2f}; in {sure:.0%} of the positions it "
        "is sure of one move",
        Threshold(ILL, lambda m: m.sure > 0.9 and not m.trained,
                  "the policy has collapsed before it was good: more entropy, a smaller learning "
                  "rate; begin anew"),
        Threshold(WATCH, lambda m: m.nats < 0.05 * m.most,
                  "the entropy is gone, so that nothing new is tried: more entropy"),
    ),
    value_check("value sign", "the critic", _critic),
    Check(
        "recorded policy", _recorded,
        "recorded probabilities are {played:.2f} nats away from the policy over legal moves and "
        "{raw:.2f} from that over all, of which illegal ones are {illegal:.0%}",
        Threshold(ILL, lambda m: m.raw < 0.5 * m.played,
                  "they were taken before the mask: record the policy that is played "
                  "(recorded=played)"),
    ),
    Check(
        "mask", _forgotten, "learning does not know which moves are legal",
        Threshold(WATCH, lambda m: True, "the mask is forgotten, on purpose or not: mask=yes"),
    ),
    Check(
        "self-match", _self_match,
        "against itself on paired seeds the network scores {score:.3f} in {games} games (it should "
        "be 0.500)",
        Threshold(ILL, lambda m: m.score != 0.5,
                  "the two sides are not treated alike: look at seeds, colours and points"),
    ),
)
