"""The doctor: finds faults in the files of an AlphaZero run.

    dlgo doctor out/alphazero/connect4

A run can go wrong without an error message: a wrong sign, policies of another position, games that
repeat. The doctor replays the last games, evaluates their positions by the last network, compares
with exact results where the game can be solved, and reads the history. The checks for all learners
are in `engines/learning/diagnostics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import DataError, ModelError
from dlgo.games import get_game, recorded_game
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data import Dataset
from engines.learning.data.records import GameData
from engines.learning.data.shards import read_shard, shard_path
from engines.learning.diagnostics.findings import ILL, WATCH, Diagnosis, Finding, judge, lines
from engines.learning.diagnostics.game_checks import check_games, exact_results
from engines.learning.diagnostics.network_checks import check_network
from engines.learning.diagnostics.positions import Positions
from engines.learning.diagnostics.run_files import read_run, readable
from engines.learning.networks.store import network_folder

# Maximum number of games to replay.
MOST_GAMES = 2000
# Steps of training before a network is expected to have learned something.
_TRAINED_AFTER = 100
# Gating is judged by the last matches, if there are enough of them.
_LAST_MATCHES, _FEWEST_MATCHES = 20, 5
# The columns of history.csv that the checks read.
_COLUMNS = ("iteration", "batch", "resigned", "resigned_wrongly")


# Rows of history.csv, or statistics of shards: numbers by name.
Rows = Sequence[dict[str, float]]


def examine_run(folder: Path) -> Diagnosis:
    """Run all checks that the files of a run allow; an unreadable file is a finding.

    Raises ModelError if the folder holds no run.
    """
    from engines.learning.networks.leaf_evaluator import encoder_of
    from engines.learning.networks.runtimes import load_runtime

    config, diagnosis = read_run(folder, AlphaZeroConfig, _COLUMNS, "dlgo train alphazero")
    history, game = diagnosis.history, recorded_game(config.game)
    done = int(history[-1]["iteration"]) if history else 0
    diagnosis.title = f"{folder}: {config.game}, {config.network}, {config.after(done)}"
    if not history:
        return diagnosis
    check_history(diagnosis, config, history)
    positions = None
    with readable(diagnosis, "games"):
        games, stats = _last_games(folder, config, done)
        positions = Positions(game, games)
    if positions is None:
        return diagnosis
    trained = _trained(config, history, done)
    check_games(diagnosis, positions, trained, config.selfplay.search == "gumbel")
    diagnosis.add(evaluator_load(history, stats))
    # The network that played the last games has not learned from them, so it can be compared
    # with their policies and results.
    player = config.player_of(history, done)
    with readable(diagnosis, "network"):
        network = network_folder(folder, player)
        if not network.is_dir():
            raise ModelError(f"{network}, which played the last games, is missing; copy the "
                             "whole folder of the run")
        runtime = load_runtime(str(network))
        encoder = encoder_of(runtime.card, game)
        check_network(diagnosis, positions, runtime.evaluate, encoder, trained)
    diagnosis.add(exact_results(positions))
    return diagnosis


def iteration_lines(config: AlphaZeroConfig, history: Rows, window: Dataset) -> list[str]:
    """Progress lines for the last iteration of the history: results, and faults that are quick to
    find. The last shards of the window are those of the iteration."""
    row, match = history[-1], ""
    if "match_score" in row:
        match = (f"; the new network scores {row['match_score']:.0%} and is "
                 f"{'promoted' if row['promoted'] else 'rejected'}")
    first = (
        f"{row['games']:.0f} games, {row['plies'] / row['games']:.0f} positions each, "
        f"{row['first_won']:.0%} won, {row['drawn']:.0%} drawn; policy loss "
        f"{row['policy_loss']:.3f}, value error {row['value_loss']:.3f}; search and network "
        f"agree in {row['agreed']:.0%}{match}"
    )
    rows = np.flatnonzero(window.shards >= len(window.paths) - config.shares)
    games = window.games(rows[:MOST_GAMES])
    diagnosis = Diagnosis("iteration")
    check_history(diagnosis, config, history)
    check_games(diagnosis, Positions(get_game(config.game), games),
                _trained(config, history, int(row["iteration"])),
                config.selfplay.search == "gumbel")
    return [first, *lines(diagnosis, ill_only=True)]


def _trained(config: AlphaZeroConfig, history: Rows, iteration: int) -> bool:
    """Whether the network that played an iteration had enough training steps before."""
    player = config.player_of(history, iteration)
    steps = sum(row.get("steps", 0.0) for row in history if row["iteration"] <= player)
    return steps >= _TRAINED_AFTER


def _last_games(
    folder: Path, config: AlphaZeroConfig, done: int
) -> tuple[list[GameData], list[dict[str, Any]]]:
    """The games of the last iteration (`MOST_GAMES` at most), and their shards' statistics."""
    games: list[GameData] = []
    stats = []
    for worker in range(config.shares):
        try:
            shard = read_shard(shard_path(folder / "games", (done - 1) * config.shares + worker))
        except DataError as error:
            raise ModelError(
                f"{error}; run `dlgo train alphazero` again, which replaces it"
            ) from None
        games += shard.games[: MOST_GAMES // config.shares]
        stats.append(shard.provenance.get("stats", {}))
    return games, stats


def check_history(diagnosis: Diagnosis, config: AlphaZeroConfig, history: Rows) -> None:
    """Checks of the history: resignation and gating."""
    diagnosis.add(resignation(config, history[-1]), promotion(config, history))


def resignation(config: AlphaZeroConfig, last: dict[str, float]) -> Finding | None:
    """Check that resigned games were lost, by those that were played to their end."""
    settings = config.selfplay
    if settings.resign_below <= 0:
        return None
    short = settings.finish_sims
    alternative = (f", or set finish_sims above {short}, so that winners find the win"
             if short else "")
    wrong = last["resigned_wrongly"]
    return judge(
        "resignation",
        f"{last['resigned']:.0%} of the games are resigned; of those played to their end, "
        f"{wrong:.0%} were not lost (AlphaGo Zero: 5% at most)",
        (wrong > 0.05, ILL, f"lower resign_below{alternative}"),
    )


def promotion(config: AlphaZeroConfig, history: Rows) -> Finding | None:
    """Check that the match accepts new networks often enough."""
    threshold, games = config.gating_threshold, config.gating_games
    matches = [row for row in history if "match_score" in row][-_LAST_MATCHES:]
    if threshold <= 0 or not matches:
        return None
    scores = [row["match_score"] for row in matches if not row["promoted"]]
    refused = len(scores) / len(matches)
    # The standard deviation of one game is half a point at most; less with draws.
    error = 0.5 / np.sqrt(games)
    unlucky = sum(score + error >= threshold for score in scores)
    return judge(
        "promotion",
        f"{refused:.0%} of the last {len(matches)} networks are rejected; gating noise: the "
        f"standard error of {games} games is up to {error:.2f}, and {unlucky} of the {len(scores)} "
        f"rejected networks are within it of {threshold:g}",
        (len(matches) >= _FEWEST_MATCHES and refused > 0.8, WATCH,
         "the network of self-play seldom changes: set more gating_games, a lower "
         "gating_threshold, or gating_threshold=0"),
    )


def evaluator_load(history: Rows, stats: Rows) -> Finding:
    """How the last iteration spent its time, and whether self-play kept the network busy.

    A network that is compiled into the search counts as search.
    """
    network = sum(shard.get("network_seconds", 0.0) for shard in stats)
    playing = sum(shard.get("wall_seconds", 0.0) for shard in stats)
    training = history[-1].get("train_cpu_seconds", 0.0)
    total = (playing + training) or 1.0
    return judge(
        "evaluator load",
        f"the last iteration: {network / total:.0%} network in self-play, "
        f"{history[-1]['batch']:.0f} positions a call, {max(playing - network, 0) / total:.0%} "
        f"search in self-play, {training / total:.0%} training",
        (0 < network < 0.8 * playing, WATCH, "increase games_at_once, or use a larger network"),
    )
