"""The doctor: does a run of AlphaZero learn, and where not? It reads what the run wrote.

    dlgo doctor out/alphazero/connect4

A run can go wrong without a crash: a sign turned around, a policy paired with another position,
all games alike. The doctor replays the last games, asks the last network about their positions,
compares with exact results where the game can be solved, and reads the history. The checks that
any learner shares are in `engines/learning/diagnostics`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import DataError, ModelError
from dlgo.games import get_game
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data.records import GameData
from engines.learning.data.shards import read_shard, shard_path
from engines.learning.diagnostics.checkup import FINE, ILL, WATCH, CheckUp
from engines.learning.diagnostics.doctor import look_at_exact_results, look_at_games
from engines.learning.diagnostics.doctor_network import look_at_network
from engines.learning.diagnostics.survey import survey
from engines.learning.selfplay.match import playing_network

# Games that are played again.
MOST_GAMES = 2000
# Steps of training before a network is held to have learned something.
_TRAINED_AFTER = 100
# Of the last rounds' networks, the share that may be refused before somebody should look, and so
# many must have played a match.
_MOST_REFUSED = 0.8
_LAST_MATCHES, _FEWEST_MATCHES = 20, 5


def examine_run(folder: Path) -> CheckUp:
    """All checks of a run's folder.

    Raises:
        ModelError: if there is no run in the folder, or no round of it is finished.
    """
    plan, history = _read_run(folder)
    game = get_game(plan.game)
    done = int(history[-1]["iteration"])
    found = CheckUp(f"{folder}: {plan.game}, {plan.network}, round {done} of {plan.iterations}")
    found.history = history
    look_at_history(found, plan, history)
    games, stats = _last_games(folder, plan, done)
    seen = survey(game, games)
    trained = _trained(history, done)
    look_at_games(found, seen, trained, plan.selfplay.search == "gumbel")
    look_at_time(found, plan, history, stats, done)
    from engines.learning.networks.leaf_evaluator import encoder_of
    from engines.learning.networks.runtimes import load_evaluator

    # The network that played the last games is older than what was learned from them: it can be
    # held to their policies and results.
    player = playing_network(history, done)
    evaluator = load_evaluator(str(folder / "nets" / f"{player:04d}"))
    look_at_network(found, seen, evaluator.evaluate, encoder_of(evaluator.card, game), trained)
    look_at_exact_results(found, seen)
    return found


def examine_round(folder: Path, plan: AlphaZeroConfig, history: list[dict[str, float]]) -> CheckUp:
    """The checks that are cheap enough to be made after every round: of games and history."""
    found = CheckUp(str(folder))
    done = int(history[-1]["iteration"])
    games, _ = _last_games(folder, plan, done)
    look_at_history(found, plan, history)
    seen = survey(get_game(plan.game), games)
    look_at_games(found, seen, _trained(history, done), plan.selfplay.search == "gumbel")
    return found


def _trained(history: Sequence[dict[str, float]], iteration: int) -> bool:
    """Whether the network that played a round had had the time to learn anything."""
    player = playing_network(history, iteration)
    steps = sum(row.get("steps", 0.0) for row in history if row["iteration"] <= player)
    return steps >= _TRAINED_AFTER


def _read_run(folder: Path) -> tuple[AlphaZeroConfig, list[dict[str, float]]]:
    try:
        text = (folder / "plan.json").read_text(encoding="utf-8")
        plan = AlphaZeroConfig.from_json(json.loads(text))
        with (folder / "history.csv").open(newline="") as file:
            rows = [{key: float(value) for key, value in row.items() if value}
                    for row in csv.DictReader(file)]
    except FileNotFoundError as error:
        raise ModelError(
            f"{folder} holds no run with a finished round (it has no {Path(error.filename).name}); "
            "name a folder that `dlgo train alphazero` wrote"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{folder}: its plan or history cannot be read: {error}") from None
    if not rows:
        raise ModelError(f"{folder}: no round is finished yet")
    return plan, rows


def _last_games(
    folder: Path, plan: AlphaZeroConfig, done: int
) -> tuple[list[GameData], list[dict[str, Any]]]:
    """The games of the last round (`MOST_GAMES` of them), and what each shard says of itself."""
    games: list[GameData] = []
    stats = []
    for worker in range(plan.workers):
        try:
            shard = read_shard(shard_path(folder / "games", (done - 1) * plan.workers + worker))
        except DataError as error:
            raise ModelError(
                f"{error}; run `dlgo train alphazero` again, which replaces it"
            ) from None
        games += shard.games[: MOST_GAMES // plan.workers]
        stats.append(shard.provenance.get("stats", {}))
    return games, stats


def look_at_history(
    found: CheckUp, plan: AlphaZeroConfig, history: Sequence[dict[str, float]]
) -> None:
    """What the rounds show, the last ones most."""
    last = history[-1]
    if len(history) >= 6:
        half = len(history) // 2
        before = float(np.mean([row["divergence"] for row in history[:half]]))
        now = float(np.mean([row["divergence"] for row in history[half:]]))
        found.say(
            "progress", FINE,
            f"the search was {before:.2f} nats away from the network in the first half of the "
            f"rounds, {now:.2f} in the second; they agree in {history[0]['agreed']:.0%} of the "
            f"positions at first, {last['agreed']:.0%} now",
        )
    if not all(np.isfinite(row.get("loss", 0.0)) for row in history):
        found.say("loss", ILL, "the loss is not a number any more: a lower learning rate")
    if plan.selfplay.resign_below > 0:
        wrong, short = last["resigned_wrongly"], plan.selfplay.finish_sims
        remedy = "; resign at a lower value" + (
            f", or finish with more than {short} simulations: the winner may not find the win"
            if short else ""
        )
        found.say(
            "resignation", ILL if wrong > 0.05 else FINE,
            f"{last['resigned']:.0%} of the games are resigned; of those played on to their end, "
            f"{wrong:.0%} were not lost (AlphaGo Zero: 5% at most)"
            + (remedy if wrong > 0.05 else ""),
        )
    if plan.gating_threshold > 0:
        _judge_promotion(found, plan, history)


def _judge_promotion(
    found: CheckUp, plan: AlphaZeroConfig, history: Sequence[dict[str, float]]
) -> None:
    last = [row for row in history if "match_score" in row][-_LAST_MATCHES:]
    if not last:
        return
    refused = [row["match_score"] for row in last if not row["promoted"]]
    share = len(refused) / len(last)
    # A game's result spreads by half a point at most; less with draws.
    error = 0.5 / np.sqrt(plan.gating_games)
    # Gating noise: good networks that bad luck may have kept out.
    unlucky = sum(score + error >= plan.gating_threshold for score in refused)
    many = len(last) >= _FEWEST_MATCHES and share > _MOST_REFUSED
    found.say(
        "promotion", WATCH if many else FINE,
        f"of the last {len(last)} networks {share:.0%} are refused; gating noise: a match of "
        f"{plan.gating_games} games errs by up to {error:.2f}, and {unlucky} of the "
        f"{len(refused)} refused are no further than that below {plan.gating_threshold:g}"
        + ("; self-play hardly changes: more gating_games, a lower gating_threshold, or no match "
           "at all" if many else ""),
    )


def look_at_time(
    found: CheckUp, plan: AlphaZeroConfig, history: Sequence[dict[str, float]],
    stats: Sequence[dict[str, Any]], done: int,
) -> None:
    """Where the time goes, and how old what is learned is."""
    network = sum(one.get("network_seconds", 0.0) for one in stats)
    in_play = sum(one.get("wall_seconds", 0.0) for one in stats)
    last = history[-1]
    found.times = {
        "network in self-play": network, "trees in self-play": max(in_play - network, 0.0),
        "training": last.get("train_cpu_seconds", 0.0),
    }
    share = network / in_play if in_play else 0.0
    found.say(
        "evaluator load", WATCH if share < 0.8 else FINE,
        f"self-play spends {share:.0%} of its time in the network, {last['batch']:.0f} positions "
        "a call" + ("; larger batches (games_at_once) or a larger network" if share < 0.8 else ""),
    )
    total = sum(found.times.values()) or 1.0
    found.say("time", FINE, "the last round: " + ", ".join(
        f"{seconds / total:.0%} {name}" for name, seconds in found.times.items()
    ))
    rounds = plan.window_of(done)
    plies = {int(row["iteration"]): row["plies"] for row in history}
    weights = np.array([plies.get(one, 0.0) for one in rounds])
    age = float((weights * (done - np.array(rounds))).sum() / max(weights.sum(), 1))
    old = len(history) > 5 and age > 0.5 * len(history)
    found.say(
        "age of data", WATCH if old else FINE,
        f"the window holds {len(rounds)} rounds, {last['window_positions']:,.0f} positions; on "
        f"average they were played {age:.1f} rounds ago",
    )
