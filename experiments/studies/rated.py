"""Networks along the way of runs, as entrants; what studies play, and how it is rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import pandas as pd

from dlgo.errors import ModelError
from dlgo.records.ledger import Ledger
from engines.isolation.describe import read_spec
from engines.learning.networks.card import read_card
from engines.learning.networks.store import network_folder
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.cluster.chosen import games_on
from reports import tables
from reports.csv_import import load_games
from reports.head_to_head import HeadToHead, head_to_heads
from reports.rating_table import Estimate

more_option = click.option(
    "--with", "more", default="", metavar="SETTINGS",
    help="Other settings of the networks' search, such as batch=8,runtime=openvino-bf16.",
)


@dataclass(frozen=True)
class Point:
    """A network of a run, after `iteration`, with a number of simulations a move, as an entrant.

    Attributes:
        sims: 1: the network alone.
        cpu_seconds, games: that it had cost in self-play and training, from nothing.
    """

    iteration: int
    sims: int
    cpu_seconds: float
    games: float
    engine: str


def network_points(
    run: Path, count: int | None, sims: Sequence[int], more: str = "", method: str = "alphazero"
) -> list[Point]:
    """Networks of a run, evenly spread over its iterations, the untrained and the last among them.

    Args:
        run: folder that `dlgo train` wrote.
        count: how many besides the untrained one, at most; None: all.
        sims: simulations a move; a point for each.
        more: other settings of the engine, "batch=8,runtime=openvino-bf16".
        method: the engine; all but alphazero play by the network alone.

    Raises:
        ModelError: if the folder holds no network.
    """
    iterations = sorted(int(path.parent.name) for path in run.glob("nets/*/card.json"))
    if not iterations:
        raise ModelError(f"{run} holds no networks; name a folder that `dlgo train` wrote")
    last = len(iterations) - 1
    count = max(last if count is None else count, 1)
    points = []
    for number in sorted({iterations[round(last * k / count)] for k in range(count + 1)}):
        folder = network_folder(run, number)
        training = read_card(folder).training
        for n in sims:
            engine = f"{method}:model={folder}"
            if method == "alphazero":
                engine += f",sims={n}" + (f",{more}" if more else "")
            points.append(Point(number, n, training.get("cpu_seconds", 0.0),
                                training.get("games", 0.0), read_spec(engine).text))
    return points


def play(
    plan: Plan, ledger: Path, workers: int | None, cluster: str | None, price: float | None = None
) -> None:
    """Play what the ledger lacks of a plan."""
    with games_on(cluster, workers, price=price) as there:
        run_tournament(plan, ledger, workers, elsewhere=there)


def play_match(
    plan: Plan, ledger: Path, workers: int | None, cluster: str | None
) -> tuple[HeadToHead, Estimate]:
    """Play what the ledger lacks of a match; its games, and the first entrant's score.

    The interval is over pairs of games, where games were played in pairs.
    """
    play(plan, ledger, workers, cluster)
    [match] = head_to_heads(load_games(ledger), *plan.entrants)
    return match, (match.pairs if match.paired else match.games).score_interval()


def rated_points(
    game: str, points: Sequence[Point], opponents: Sequence[str], ledger: Path
) -> pd.DataFrame:
    """A row for each point, then one for each opponent: what it had cost, rating, scores.

    Scores are texts, "points/games"; games that came twice count once.
    """
    with Ledger(ledger, read_only=True) as file:
        games = tables.games_frame(file)
    games = games[games["game"] == game]
    ratings = tables.ratings_frame(games, tables.rate_games(games)).set_index("entrant")
    cross = tables.crosstable(games, game, list(ratings.index))
    rows: list[dict[str, object]] = [
        {"iteration": point.iteration, "sims": point.sims, "cpu_seconds": point.cpu_seconds,
         "games": point.games, "entrant": point.engine} for point in points
    ]
    rows += [{"entrant": opponent} for opponent in opponents]
    for row in rows:
        rating = ratings.loc[row["entrant"]]
        row |= {name: rating[name] for name in ("rating", "low95", "high95", "mean_cpu_ms")}
        row |= {f"against {other}": cross.loc[row["entrant"], other] for other in opponents}
    return pd.DataFrame(rows)
