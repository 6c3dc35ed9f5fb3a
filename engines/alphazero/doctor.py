"""The doctor: does a run of AlphaZero learn, and where not? It reads what the run wrote.

    dlgo doctor out/alphazero/connect4

A run can go wrong without a crash: a sign turned around, a policy paired with another position,
all games alike. The doctor replays the last games, asks the last network about their positions,
compares with exact results where the game can be solved, and reads the history. The checks that
any learner shares are in `engines/learning/diagnostics`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import DataError, ModelError
from dlgo.games import get_game, recorded_game
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data.records import GameData
from engines.learning.data.shards import read_shard, shard_path
from engines.learning.diagnostics.findings import ILL, WATCH, Check, Diagnosis, Measure, Threshold
from engines.learning.diagnostics.game_checks import check_exact_results, check_games
from engines.learning.diagnostics.network_checks import check_network
from engines.learning.diagnostics.positions import replay_games
from engines.learning.runs.records import read_history
from engines.learning.selfplay.match import playing_network

# Games that are replayed.
MOST_GAMES = 2000
# Steps of training before a network is expected to have learned something.
_TRAINED_AFTER = 100
# Promotion is judged by the last matches, if there are enough of them.
_LAST_MATCHES, _FEWEST_MATCHES = 20, 5
# Iterations before their halves can be compared, and before data can be called old.
_ENOUGH_ITERATIONS = 6
# Games of a network so many iterations old, on average, are worth a look: the window's own are as
# old on average when it holds five iterations.
_OLD_NETWORKS = 2.0
# Of history.csv, what the checks read.
_COLUMNS = ("iteration", "plies", "batch", "divergence", "agreed", "resigned", "resigned_wrongly",
            "window_positions")


@dataclass(frozen=True)
class RunEvidence:
    """What the checks of a run look at.

    Attributes:
        config: of the run. history: a row for each iteration so far.
        stats: what each shard of the last iteration says of itself.
    """

    config: AlphaZeroConfig
    history: Sequence[dict[str, float]]
    stats: Sequence[dict[str, Any]] = ()

    @property
    def last(self) -> dict[str, float]:
        """The row of the last iteration."""
        return self.history[-1]


def examine_run(folder: Path) -> Diagnosis:
    """All checks of a run's folder.

    Raises:
        ModelError: if there is no run in the folder, or none of its iterations is finished.
    """
    from engines.learning.networks.leaf_evaluator import encoder_of
    from engines.learning.networks.runtimes import load_runtime

    config, history = _read_run(folder)
    game = recorded_game(config.game)
    done = int(history[-1]["iteration"])
    diagnosis = Diagnosis(
        f"{folder}: {config.game}, {config.network}, iteration {done} of {config.iterations}",
        history=history,
    )
    check_history(diagnosis, config, history)
    games, stats = _last_games(folder, config, done)
    positions = replay_games(game, games)
    trained = _trained(history, done)
    check_games(diagnosis, positions, trained, config.selfplay.search == "gumbel")
    diagnosis.add(TIME_CHECKS, RunEvidence(config, history, stats))
    # The network that played the last games is older than what was learned from them: so it can
    # be compared with their policies and results.
    player = playing_network(history, done)
    runtime = load_runtime(str(folder / "nets" / f"{player:04d}"))
    check_network(diagnosis, positions, runtime.evaluate, encoder_of(runtime.card, game), trained)
    check_exact_results(diagnosis, positions)
    return diagnosis


def examine_iteration(
    folder: Path, config: AlphaZeroConfig, history: list[dict[str, float]]
) -> Diagnosis:
    """The checks that are cheap enough for every iteration: of games and history."""
    diagnosis = Diagnosis(str(folder))
    done = int(history[-1]["iteration"])
    games, _ = _last_games(folder, config, done)
    check_history(diagnosis, config, history)
    positions = replay_games(get_game(config.game), games)
    gumbel = config.selfplay.search == "gumbel"
    check_games(diagnosis, positions, _trained(history, done), gumbel)
    return diagnosis


def _trained(history: Sequence[dict[str, float]], iteration: int) -> bool:
    """Whether the network that played an iteration had had the time to learn anything."""
    player = playing_network(history, iteration)
    steps = sum(row.get("steps", 0.0) for row in history if row["iteration"] <= player)
    return steps >= _TRAINED_AFTER


def _read_run(folder: Path) -> tuple[AlphaZeroConfig, list[dict[str, float]]]:
    """The configuration and the history of a run. Raises ModelError."""
    path = folder / "plan.json"
    try:
        config = AlphaZeroConfig.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ModelError(
            f"{folder} holds no run (it has no plan.json); name a folder that `dlgo train "
            "alphazero` wrote"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read: {error}; name another folder") from None
    return config, read_history(folder, _COLUMNS)


def _last_games(
    folder: Path, config: AlphaZeroConfig, done: int
) -> tuple[list[GameData], list[dict[str, Any]]]:
    """The games of the last iteration (`MOST_GAMES` at most), and their shards' statistics."""
    games: list[GameData] = []
    stats = []
    for worker in range(config.workers):
        try:
            shard = read_shard(shard_path(folder / "games", (done - 1) * config.workers + worker))
        except DataError as error:
            raise ModelError(
                f"{error}; run `dlgo train alphazero` again, which replaces it"
            ) from None
        games += shard.games[: MOST_GAMES // config.workers]
        stats.append(shard.provenance.get("stats", {}))
    return games, stats


def check_history(
    diagnosis: Diagnosis, config: AlphaZeroConfig, history: Sequence[dict[str, float]]
) -> None:
    """What the iterations show, the last ones most."""
    diagnosis.add(HISTORY_CHECKS, RunEvidence(config, history))


def _progress(run: RunEvidence) -> Measure | None:
    """Nats between search and network, and how often they agree, before and now."""
    if len(run.history) < _ENOUGH_ITERATIONS:
        return None
    half = len(run.history) // 2
    first, second = (
        float(np.mean([row["divergence"] for row in rows]))
        for rows in (run.history[:half], run.history[half:])
    )
    return Measure(
        first=first, second=second, agreed=run.history[0]["agreed"], now=run.last["agreed"]
    )


def _loss(run: RunEvidence) -> Measure | None:
    finite = all(np.isfinite(row.get("loss", 0.0)) for row in run.history)
    return None if finite else Measure()


def _resignation(run: RunEvidence) -> Measure | None:
    """resigned: share of the games. wrong: share of the checked ones that were not lost."""
    settings = run.config.selfplay
    if settings.resign_below <= 0:
        return None
    short = settings.finish_sims
    other = (f", or finish with more than {short} simulations: the winner may not see the win"
             if short else "")
    return Measure(
        resigned=run.last["resigned"], wrong=run.last["resigned_wrongly"], other=other
    )


def _promotion(run: RunEvidence) -> Measure | None:
    """refused: share of the last matches. unlucky: of `lost`, those that noise may explain."""
    threshold, games = run.config.gating_threshold, run.config.gating_games
    matches = [row for row in run.history if "match_score" in row][-_LAST_MATCHES:]
    if threshold <= 0 or not matches:
        return None
    lost = [row["match_score"] for row in matches if not row["promoted"]]
    # A game's result spreads by half a point at most; less with draws.
    error = 0.5 / np.sqrt(games)
    return Measure(
        matches=len(matches), refused=len(lost) / len(matches), lost=len(lost), games=games,
        error=error, unlucky=sum(score + error >= threshold for score in lost),
        threshold=threshold,
    )


def _network_age(run: RunEvidence) -> Measure | None:
    """How much older than the newest the networks were that played, with `ahead`."""
    rows = [row for row in run.history if "network_age" in row][-_ENOUGH_ITERATIONS:]
    if not rows:
        return None
    return Measure(
        age=float(np.mean([row["network_age"] for row in rows])),
        most=max(row["network_age_max"] for row in rows), iterations=len(rows),
        ahead=run.config.ahead,
    )


HISTORY_CHECKS = (
    Check(
        "progress", _progress,
        "the search was {first:.2f} nats away from the network in the first half of the "
        "iterations, {second:.2f} in the second; they agreed in {agreed:.0%} of the positions at "
        "first, {now:.0%} now",
    ),
    Check(
        "loss", _loss, "the loss is not a number any more",
        Threshold(ILL, lambda m: True, "choose a lower learning rate"),
    ),
    Check(
        "resignation", _resignation,
        "{resigned:.0%} of the games are resigned; of those played on to their end, {wrong:.0%} "
        "were not lost (AlphaGo Zero: 5% at most)",
        Threshold(ILL, lambda m: m.wrong > 0.05, "lower resign_below{other}"),
    ),
    Check(
        "promotion", _promotion,
        "of the last {matches} networks {refused:.0%} are refused; gating noise: a match of "
        "{games} games errs by up to {error:.2f}, and {unlucky} of the {lost} refused are no "
        "further than that below {threshold:g}",
        Threshold(WATCH, lambda m: m.matches >= _FEWEST_MATCHES and m.refused > 0.8,
                  "self-play hardly changes: more gating_games, a lower gating_threshold, or no "
                  "match at all"),
    ),
    Check(
        "age of networks", _network_age,
        "in the last {iterations} iterations, games were played by networks {age:.1f} iterations "
        "older than the newest on average, {most:.0f} at most (ahead={ahead})",
        Threshold(WATCH, lambda m: m.age > _OLD_NETWORKS,
                  "the learner does not keep up with self-play: a smaller ahead, more games in an "
                  "iteration, or a lower epochs_per_position"),
    ),
)


def _seconds(run: RunEvidence) -> tuple[float, float, float]:
    """Seconds of the last iteration: in the network, in trees, in training."""
    network = sum(stats.get("network_seconds", 0.0) for stats in run.stats)
    playing = sum(stats.get("wall_seconds", 0.0) for stats in run.stats)
    return network, max(playing - network, 0.0), run.last.get("train_cpu_seconds", 0.0)


def _load(run: RunEvidence) -> Measure | None:
    network, trees, _ = _seconds(run)
    if network == 0 and trees > 0:  # compiled into the search: one cannot be told from the other
        return None
    return Measure(share=network / ((network + trees) or 1.0), batch=run.last["batch"])


def _time(run: RunEvidence) -> Measure:
    # A network that is compiled into the search counts as trees.
    seconds = np.array(_seconds(run))
    network, trees, training = seconds / (seconds.sum() or 1.0)
    return Measure(network=network, trees=trees, training=training)


def _age(run: RunEvidence) -> Measure:
    """Mean age, in iterations, of the positions in the window, or of the networks that played."""
    done = int(run.last["iteration"])
    window = run.config.window_of(done)
    plies = {int(row["iteration"]): row["plies"] for row in run.history}
    played_late = {int(row["iteration"]): row.get("network_age", 0.0) for row in run.history}
    weights = np.array([plies.get(iteration, 0.0) for iteration in window])
    ages = np.array([done - iteration + played_late.get(iteration, 0.0) for iteration in window])
    age = float((weights * ages).sum() / max(weights.sum(), 1))
    return Measure(
        window=len(window), positions=run.last["window_positions"], age=age,
        iterations=len(run.history),
    )


TIME_CHECKS = (
    Check(
        "evaluator load", _load,
        "self-play spends {share:.0%} of its time in the network, {batch:.0f} positions a call",
        Threshold(WATCH, lambda m: m.share < 0.8,
                  "larger batches (games_at_once) or a larger network"),
    ),
    Check(
        "time", _time,
        "the last iteration: {network:.0%} network in self-play, {trees:.0%} trees in self-play, "
        "{training:.0%} training",
    ),
    Check(
        "age of data", _age,
        "the window holds {window} iterations, {positions:,.0f} positions; on average they were "
        "played {age:.1f} iterations ago",
        Threshold(WATCH, lambda m: m.iterations >= _ENOUGH_ITERATIONS and (
            m.age > 0.5 * m.iterations
        ), "much of what is learned is by older networks; a smaller window"),
    ),
)
