"""The doctor: does a run of AlphaZero learn, and where not? Said in words, from what it wrote.

    dlgo doctor out/alphazero/connect4

A run can go wrong without a crash: a sign turned around, a policy paired with another position,
every game alike. The doctor plays the last games again and measures (`survey.py`), asks the last
network about their positions, compares with exact results where the game can be solved
(`engines/solver/outcomes.py`), and reads the history. Each finding has a name, a level and a
sentence with its numbers; what a number should be stands in the sentence.

Called by `dlgo doctor`, and after each round by `run.py` (games and history only).
`doctor_page.py` makes a page of it.
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
from engines.alphazero.match import playing_network
from engines.alphazero.plan import AlphaZeroPlan
from engines.learning.data.records import GameData
from engines.learning.data.shards import read_shard
from engines.learning.diagnostics.checkup import FINE, ILL, WATCH, CheckUp, judge_values
from engines.learning.diagnostics.doctor_network import look_at_network
from engines.learning.diagnostics.survey import (
    Survey,
    Variety,
    calibrate,
    correlation,
    entropy,
    survey,
    variety,
)
from engines.solver.outcomes import is_mistake, outcomes_of

# Games that are played again.
MOST_GAMES = 2000
# Connect Four before this ply takes the solver too long for a check-up; and so many positions.
_SOLVE_AFTER = {"connect4": 16, "tictactoe": 0}
MOST_SOLVED = 300
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


def examine_round(folder: Path, plan: AlphaZeroPlan, history: list[dict[str, float]]) -> CheckUp:
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


def _read_run(folder: Path) -> tuple[AlphaZeroPlan, list[dict[str, float]]]:
    try:
        text = (folder / "plan.json").read_text(encoding="utf-8")
        plan = AlphaZeroPlan.from_json(json.loads(text))
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
    folder: Path, plan: AlphaZeroPlan, done: int
) -> tuple[list[GameData], list[dict[str, Any]]]:
    """The games of the last round (`MOST_GAMES` of them), and what each shard says of itself."""
    from engines.learning.data.shards import shard_path

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


def look_at_games(
    found: CheckUp, seen: Survey, trained: bool = True, drawn: bool = False
) -> None:
    """What the games say: are values right, policies of their positions, games different?

    Args:
        trained: whether the network that played had had the time to learn anything. If not, its
            values are what chance made of the planes: one may well say "black" for every
            position, and go together with results that are white's for the most part.
        drawn: whether the search's move is drawn from its policy, as Gumbel does, and is not
            always the policy's favourite.
    """
    calibration = calibrate(seen.values[seen.labelled], seen.results[seen.labelled])
    found.calibrations["search"] = calibration
    if trained:
        judge_values(found, "value sign", "the search", calibration)
    else:
        found.say("value sign", FINE, "the network that played had learned nothing yet")

    rows = np.flatnonzero(seen.full)
    if len(rows):
        _judge_policies(found, seen, rows, drawn)
        mean = float(entropy(seen.policies[rows]).mean())
        found.say("search entropy", FINE, f"the search's policy has {mean:.2f} nats: as sure as if "
                  f"it chose among {np.exp(mean):.1f} moves alike")

    some = variety(seen)
    _judge_variety(found, some)
    drawn = float(np.mean([one.result == 0 for one in seen.games]))
    won = float(np.mean([one.result == 1 for one in seen.games]))
    one_sided = len(seen.games) >= 20 and max(drawn, won, 1 - drawn - won) > 0.97
    found.say(
        "results", WATCH if one_sided else FINE,
        f"{won:.0%} won by who begins, {drawn:.0%} drawn, {1 - won - drawn:.0%} lost"
        + ("; from results that are all alike, a value learns nothing" if one_sided else ""),
    )


def _judge_policies(found: CheckUp, seen: Survey, rows: np.ndarray, drawn: bool) -> None:
    """Do policies belong to their positions? By the legal moves, and by the search's move."""
    policies, legal = seen.policies[rows], seen.legal[rows]
    chosen = policies[np.arange(len(rows)), seen.chosen[rows]]
    stray = float((policies * ~legal).sum(axis=1).mean())
    illegal = f"{stray:.1%} of their weight is on moves that are not legal"
    if drawn:
        even = float((1 / np.maximum(legal.sum(axis=1), 1)).mean())
        share = float(chosen.mean())
        bad = share < 1.3 * even
        text = (f"policies give the move the search chose {share:.0%}, an even policy would give "
                f"it {even:.0%}, and {illegal}; it should be far more, and none")
    else:
        # A policy is stored in steps of 1/255 of its largest share, and equals are chosen among.
        agree = float((chosen >= 0.98 * policies.max(axis=1)).mean())
        bad = agree < 0.8
        text = (f"{agree:.0%} of the policies favour the move the search chose, and {illegal}; it "
                "should be nearly all, and none")
    bad |= stray > 0.005
    found.say("policy targets", ILL if bad else FINE, text + (
        "; policies and positions do not belong together" if bad else ""))


def _judge_variety(found: CheckUp, some: Variety) -> None:
    text = (
        f"{some.distinct:.0%} of {some.games:,} games are different, the commonest is "
        f"{some.commonest:.1%} of them; {some.repeated:.0%} of the positions after ply "
        f"{some.after} have been seen before"
    )
    few = some.games >= 20
    if few and (some.distinct < 0.1 or some.commonest > 0.2):
        found.say("repeated games", ILL, text + ": the games are alike; look at noise, temperature "
                  "and sampled plies")
    elif few and some.distinct < 0.6:
        found.say("repeated games", WATCH, text + ": more noise or more sampled plies would "
                  "teach more (a small game has few games, though)")
    else:
        found.say("repeated games", FINE, text)


def look_at_exact_results(found: CheckUp, seen: Survey) -> None:
    """How often the search errs, and whether its values know who wins."""
    solve = outcomes_of(seen.game)
    if solve is None:
        return
    late = _SOLVE_AFTER.get(seen.game.name, 0)
    rows = np.flatnonzero(seen.labelled & seen.full & (seen.ply >= late))
    if not len(rows):
        return
    rows = rows[np.linspace(0, len(rows) - 1, min(MOST_SOLVED, len(rows))).astype(int)]
    outcomes = solve([seen.line(row) for row in rows.tolist()])
    wrong = np.mean([
        is_mistake(one, int(seen.chosen[row])) for one, row in zip(outcomes, rows, strict=True)
    ])
    best = np.array([max(one.values()) for one in outcomes], float)
    r = correlation(np.nan_to_num(seen.values[rows]), best)
    bad = len(rows) >= 50 and r < -0.1
    found.say(
        "exact results", ILL if bad else FINE,
        f"by exact results, {wrong:.1%} of the search's moves are mistakes"
        + (f" (from ply {late} on)" if late else "")
        + f", and its values go with them by a correlation of {r:+.2f} ({len(rows)} positions)",
    )


def look_at_history(
    found: CheckUp, plan: AlphaZeroPlan, history: Sequence[dict[str, float]]
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
    if plan.selfplay.resign > 0:
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
    if plan.promote > 0:
        _judge_promotion(found, plan, history)


def _judge_promotion(
    found: CheckUp, plan: AlphaZeroPlan, history: Sequence[dict[str, float]]
) -> None:
    last = [row for row in history if "match_score" in row][-_LAST_MATCHES:]
    if not last:
        return
    refused = [row["match_score"] for row in last if not row["promoted"]]
    share = len(refused) / len(last)
    # A game's result spreads by half a point at most; less with draws.
    error = 0.5 / np.sqrt(plan.promote_games)
    # Gating noise: good networks that bad luck may have kept out.
    unlucky = sum(score + error >= plan.promote for score in refused)
    many = len(last) >= _FEWEST_MATCHES and share > _MOST_REFUSED
    found.say(
        "promotion", WATCH if many else FINE,
        f"of the last {len(last)} networks {share:.0%} are refused; gating noise: a match of "
        f"{plan.promote_games} games errs by up to {error:.2f}, and {unlucky} of the "
        f"{len(refused)} refused are no further than that below {plan.promote:g}"
        + ("; self-play hardly changes: more promote_games, a lower promote, or no match at all"
           if many else ""),
    )


def look_at_time(
    found: CheckUp, plan: AlphaZeroPlan, history: Sequence[dict[str, float]],
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
