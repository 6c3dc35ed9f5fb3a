"""The doctor for learners without search: does a run learn, and where not?

    dlgo doctor out/policy_gradient/connect4

It reads the history and the decisions of the last iteration, asks the last network about them, and
lets it play itself. A run can go wrong without a crash: a policy that is sure of one move too soon,
a value with the wrong sign, probabilities that were recorded before the mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dlgo.errors import ModelError
from dlgo.games import recorded_game
from engines.learning.data.experience import Decisions, Experience, read_experience
from engines.learning.data.replay import Replayer
from engines.learning.diagnostics.findings import FINE, ILL, WATCH, Diagnosis, Finding, judge
from engines.learning.diagnostics.game_checks import value_sign
from engines.learning.diagnostics.positions import calibrate
from engines.learning.diagnostics.run_files import read_run, readable
from engines.learning.networks.leaf_evaluator import encoder_of, softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import network_folder
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.learning.selfplay.policy_games import PolicyGames, RuntimeScorer, Side
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
    """All checks of a run's folder that its files allow; those that cannot be read are findings.

    Args:
        config: the class of the settings of its learner.

    Raises:
        ModelError: if there is no run of that learner in the folder.
    """
    settings, diagnosis = read_run(folder, config, _COLUMNS, f"dlgo train {config.method}")
    done = int(diagnosis.history[-1]["iteration"]) if diagnosis.history else 0
    diagnosis.title = (
        f"{folder}: {settings.method}, {settings.game}, {settings.network}, iteration {done} of "
        f"{settings.iterations}")
    if diagnosis.history:
        with readable(diagnosis, "network and experience"):
            examine(diagnosis, _evidence(folder, settings, diagnosis.history))
    return diagnosis


def _evidence(
    folder: Path, settings: ReinforcementConfig, history: Sequence[dict[str, float]]
) -> RunEvidence:
    """What the checks look at. Raises ModelError or DataError if it cannot be read."""
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
    return RunEvidence(
        settings, history, decisions, results_of(experience, rows),
        scorer.score(decisions.planes)[0], float(points(played, schedule).mean()),
    )


def examine(diagnosis: Diagnosis, run: RunEvidence) -> None:
    """Make all checks of this evidence."""
    diagnosis.add(win_rate(run), policy_entropy(run))
    if "value" in run.config.heads:
        calibration = calibrate(run.decisions.values * 0.998, run.results)
        diagnosis.calibrations["critic"] = calibration
        if len(run.history) >= _TRAINED_AFTER:
            diagnosis.add(value_sign("value sign", "the critic", calibration))
    diagnosis.add(recorded_policy(run), mask(run), self_match(run))


def results_of(experience: Experience, rows: np.ndarray) -> np.ndarray:
    """The results of the games of these plies, for who decided: 1, 0, -1; float64[n]."""
    plain = experience.with_returns()
    return plain.returns[rows].astype(np.float64)


def win_rate(run: RunEvidence) -> Finding | None:
    """Does it beat random play, and more so than at first?"""
    scores = _scores(run)
    if len(scores) < _ENOUGH_TESTS:
        return None
    first, last, best = scores[0], scores[-1], max(scores)
    error = 0.5 / np.sqrt(run.config.test_games)
    return judge(
        "win rate",
        f"{first:.0%} against random play in the first test, {last:.0%} in the last of "
        f"{len(scores)}, {best:.0%} at best",
        (len(run.history) < _TRAINED_AFTER, FINE, "too early to tell"),
        (last <= 0.05, ILL,
         "it loses to random play: a reward or an advantage has the wrong sign"),
        (best < 0.5 + 3 * error, ILL,
         "it has learned nothing: look at the rewards' signs and the learning rate"),
        (last < best - 4 * error, WATCH,
         "it has forgotten: a smaller learning rate, or a larger pool_share"),
    )


def policy_entropy(run: RunEvidence) -> Finding | None:
    """Has the policy become sure of one move too soon?"""
    if not run.draws:
        return None
    shares = _masked(run)
    choice = run.decisions.legal.sum(axis=1) > 1
    if not choice.any():
        return None
    logs = np.log(np.where(shares > 0, shares, 1))
    nats = float(-(shares * logs).sum(axis=1)[choice].mean())
    most = float(np.log(run.decisions.legal.sum(axis=1)[choice]).mean())
    sure = float((shares.max(axis=1)[choice] > 0.99).mean())
    good = max(_scores(run), default=0.0) > 0.9
    return judge(
        "policy entropy",
        f"the policy has {nats:.2f} nats of at most {most:.2f}; in {sure:.0%} of the positions it "
        "is sure of one move",
        (sure > 0.9 and not good, ILL,
         "the policy has collapsed before it was good: more entropy, a smaller learning rate; "
         "begin anew"),
        (nats < 0.05 * most, WATCH,
         "the entropy is gone, so that nothing new is tried: more entropy"),
    )


def recorded_policy(run: RunEvidence) -> Finding | None:
    """Is a recorded probability that of the legal moves, or of all?"""
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
    # Mean distance of the logarithm from that of the last network's policy over the legal moves,
    # and over all.
    played, whole = (
        float(np.abs(logs - np.log(np.maximum(policy[rows, actions], 1e-30)))[telling].mean())
        for policy in (_masked(run), raw)
    )
    return judge(
        "recorded policy",
        f"recorded probabilities are {played:.2f} nats away from the policy over legal moves and "
        f"{whole:.2f} from that over all, of which illegal ones are {illegal.mean():.0%}",
        (whole < 0.5 * played, ILL,
         "they were taken before the mask: record the policy that is played (recorded=played)"),
    )


def mask(run: RunEvidence) -> Finding | None:
    """Does learning know which moves are legal?"""
    if getattr(run.config, "mask", True):
        return None
    return Finding("mask", WATCH, "learning does not know which moves are legal: the mask is "
                   "forgotten, on purpose or not: mask=yes")


def self_match(run: RunEvidence) -> Finding:
    """On paired seeds a network scores exactly half against itself."""
    return judge(
        "self-match",
        f"against itself on paired seeds the network scores {run.self_score:.3f} in {_SELF_GAMES} "
        "games (it should be 0.500)",
        (run.self_score != 0.5, ILL,
         "the two sides are not treated alike: look at seeds, colours and points"),
    )


def _scores(run: RunEvidence) -> list[float]:
    """Scores against random play, test by test."""
    return [row["score_random"] for row in run.history if "score_random" in row]


def _masked(run: RunEvidence) -> np.ndarray:
    """The last network's policy over the legal moves."""
    logits = run.scores.astype(np.float64) / _temperature(run)
    return softmax(np.where(run.decisions.legal, logits, -1e9))


def _temperature(run: RunEvidence) -> float:
    return getattr(run.config, "temperature", 1.0)

