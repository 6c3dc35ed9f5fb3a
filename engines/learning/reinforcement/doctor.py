"""The doctor for learners from their own games: checks whether a run learns.

    dlgo doctor out/policy_gradient/connect4

It reads the history and the decisions of the last iteration, evaluates the last network on them,
and lets it play against itself. A run can go wrong without a crash: the policy collapses to one
move, or a value has the wrong sign.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dlgo.errors import ModelError
from dlgo.games import recorded_game
from engines.learning.data.experience import Decisions, read_experience
from engines.learning.diagnostics.findings import FINE, ILL, WATCH, Diagnosis, Finding, judge
from engines.learning.diagnostics.game_checks import value_sign
from engines.learning.diagnostics.positions import calibrate
from engines.learning.diagnostics.run_files import read_run, readable
from engines.learning.networks.leaf_evaluator import encoder_of, softmax
from engines.learning.networks.runtimes import load_runtime, score_head
from engines.learning.networks.store import network_folder
from engines.learning.reinforcement.config import LearnerConfig, OwnGamesConfig
from engines.learning.selfplay.policy_games import Side, network_scorer, play
from engines.learning.selfplay.schedule import Schedule, points

_COLUMNS = ("iteration", "games", "decisions", "loss")
# Decisions that the network is asked about, and games that it plays against itself.
_MOST, _SELF_GAMES = 2000, 64
# Iterations and tests before something is expected of a run.
_TRAINED_AFTER, _ENOUGH_TESTS = 5, 2
# A squared error above that of a constant that is none of chance, even if all games end alike.
_MARGIN = 0.1


def examine_run(folder: Path, config: type[OwnGamesConfig]) -> Diagnosis:
    """All checks that the files of a run allow; what cannot be read is a finding. Raises ModelError
    if the folder has no run of the learner with settings of class `config`."""
    settings, diagnosis = read_run(folder, config, _COLUMNS, f"dlgo train {config.method}")
    history = diagnosis.history
    done = int(history[-1]["iteration"]) if history else 0
    diagnosis.title = (
        f"{folder}: {settings.method}, {settings.game}, {settings.network}, {settings.after(done)}")
    if history:
        scores = [row["score_random"] for row in history if "score_random" in row]
        diagnosis.add(win_rate(scores, settings.test_games, len(history) >= _TRAINED_AFTER))
        if not config.in_keras:
            diagnosis.add(value_error(history[-1], len(history) >= _TRAINED_AFTER))
        else:
            with readable(diagnosis, "network and experience"):
                _ask_network(diagnosis, folder, settings, done, max(scores, default=0.0))
    return diagnosis


def _ask_network(
    diagnosis: Diagnosis, folder: Path, settings: LearnerConfig, done: int, best_score: float
) -> None:
    """Findings about the last network and the last decisions. Raises ModelError or DataError if the
    files cannot be read."""
    game = recorded_game(settings.game)
    iterations = [iteration for iteration in range(done, -1, -1)
            if network_folder(folder, iteration).exists()]
    if not iterations:
        raise ModelError(f"{folder} has no network in nets/; run `dlgo train {settings.method}` "
                         "again, which writes one")
    runtime = load_runtime(str(network_folder(folder, iterations[0])))
    encoder = encoder_of(runtime.card, game)
    experience = read_experience(
        folder / "experience" / f"{done:06d}.npz", game, settings.encoder)
    rows = experience.decisions
    rows = rows[np.linspace(0, len(rows) - 1, min(_MOST, len(rows))).astype(int)]
    if score_head(settings.heads) is None:  # it learns values of a search, which are the returns
        decisions = experience.encode(rows, encoder)
        answers = runtime.evaluate(decisions.planes)["value"][:, 0]
        decisions = dataclasses.replace(decisions, values=answers)
        diagnosis.add(critic_sign(diagnosis, decisions, done >= _TRAINED_AFTER))
        return
    scorer = network_scorer(runtime)
    decisions = experience.with_returns().encode(rows, encoder)
    if "policy" in settings.heads:
        scores, _ = scorer(decisions.planes)
        temperature: float = getattr(settings, "temperature", 1.0)
        diagnosis.add(policy_entropy(scores / temperature, decisions, best_score))
    if "value" in settings.heads:
        diagnosis.add(critic_sign(diagnosis, decisions, done >= _TRAINED_AFTER))
    schedule, side = Schedule.match(_SELF_GAMES, settings.seed), Side(scorer, encoder)
    games = play(game, [side, side], schedule, _SELF_GAMES)
    diagnosis.add(self_match(float(points(games, schedule).mean())))


def win_rate(scores: Sequence[float], games: int, trained: bool) -> Finding | None:
    """Does it beat random play, and more so than at first? `scores` are of tests of `games`
    games each; `trained`: whether the run had the time to learn anything."""
    if len(scores) < _ENOUGH_TESTS:
        return None
    first, last, best = scores[0], scores[-1], max(scores)
    error = 0.5 / np.sqrt(games)
    return judge(
        "win rate",
        f"{first:.0%} against random play in the first test, {last:.0%} in the last of "
        f"{len(scores)}, {best:.0%} at best",
        (not trained, FINE, "too early to tell"),
        (last <= 0.05, ILL,
         "it loses to random play: a reward or an advantage has the wrong sign"),
        (best < 0.5 + 3 * error, ILL,
         "it has learned nothing: check the signs of the rewards and the learning rate"),
        (last < best - 4 * error, WATCH,
         "it has forgotten what it knew: use a smaller learning rate, or a larger pool_share if "
         "the learner has this setting"),
    )


def value_error(row: Mapping[str, float], trained: bool) -> Finding:
    """Are the values better than a constant, whose error is at best the variance of the results?

    Args:
        row: of the history: the squared error of the values, and how the same games ended.
        trained: as in `win_rate`.
    """
    error, won, lost = row["value_loss"], row["first_won"], row["first_lost"]
    variance = won + lost - (won - lost) ** 2
    return judge(
        "value error",
        f"the values have a squared error of {error:.3f}; a constant has {variance:.3f}",
        (not trained, FINE, "too early to tell"),
        (error > variance + _MARGIN, ILL, "use a smaller learning_rate, or look for a wrong sign"),
    )


def policy_entropy(
    logits: np.ndarray, decisions: Decisions, best_score: float
) -> Finding | None:
    """Has the policy become sure of one move too soon? `logits` are float[n, num_actions], by the
    last network; `best_score` is of all tests against random play."""
    moves = decisions.legal.sum(axis=1)
    choice = moves > 1
    if not choice.any():
        return None
    shares = softmax(np.where(decisions.legal, logits.astype(np.float64), -1e9))[choice]
    nats = float(-(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1).mean())
    most = float(np.log(moves[choice]).mean())
    sure = float((shares.max(axis=1) > 0.99).mean())
    return judge(
        "policy entropy",
        f"the policy has {nats:.2f} nats of at most {most:.2f}; in {sure:.0%} of the positions it "
        "is sure of one move",
        (sure > 0.9 and best_score <= 0.9, ILL,
         "the policy collapsed before it was good: start again with more entropy or a smaller "
         "learning rate"),
        (nats < 0.05 * most, WATCH,
         "the entropy is gone, so the policy no longer explores: use more entropy"),
    )


def critic_sign(diagnosis: Diagnosis, decisions: Decisions, trained: bool) -> Finding | None:
    """Do the critic's values and the returns agree? (Returns are results, or values of a search.)
    The calibration is added to the diagnosis."""
    # A network never proves a result, however sure it is.
    calibration = calibrate(decisions.values * 0.998, decisions.returns.astype(np.float64))
    diagnosis.calibrations["critic"] = calibration
    return value_sign("value sign", "the critic", calibration) if trained else None


def self_match(score: float) -> Finding:
    """On paired seeds a network scores exactly half against itself."""
    return judge(
        "self-match",
        f"against itself on paired seeds the network scores {score:.3f} in {_SELF_GAMES} games "
        "(it should be 0.500)",
        (score != 0.5, ILL,
         "the two sides are treated differently: check seeds, colours and points"),
    )
