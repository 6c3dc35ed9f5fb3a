"""Chapter 14: how strong a run of AlphaZero becomes, by training time: its learning curve.

    python -m experiments.studies.az_curve RUN --opponent mcts:sims=1000 [--gnugo 10] [--quick]

The networks along the way of a run (`dlgo train alphazero`) play the same opponents, and are
rated together with them. The table and the plot (`curve.csv`, `curve.png` in the run's folder)
have the Elo of each against the CPU time it had been trained for, and its score against each
opponent. The games are in `curve.sqlite`, so the same command continues, and more points,
opponents or pairs cost only the games that are new.

What to look for: the first iterations bring most; a curve that bends down means that the network
forgets, which the doctor may explain. The network alone (--sims 1) shows what learning gives,
the untrained network (iteration 0) what search gives.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import pandas as pd

from dlgo.errors import ModelError
from dlgo.files import output_path
from dlgo.games import recorded_game
from dlgo.records.ledger import Ledger
from engines.alphazero.config import make_config
from engines.alphazero.run import train
from engines.isolation.describe import read_spec
from engines.learning.networks.card import read_card
from engines.learning.networks.store import network_folder
from engines.learning.runs import PrintedProgress
from experiments.arena.progress import BarReporter, PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.cluster.chosen import games_on
from experiments.command import run
from experiments.number import Number
from experiments.opponents.gnugo import gnugo_spec
from experiments.options import (
    cluster_option,
    named_games,
    pairs_option,
    quick_option,
    seed_option,
    workers_option,
)
from reports.plots import game_title
from reports.tables import crosstable, games_frame, rate_games, ratings_frame, write_csv

_OPPONENTS = ("mcts:sims=100", "mcts:sims=1000")


@dataclass(frozen=True)
class Point:
    """A network of a run, after `iteration`, with a number of simulations a move, as an entrant.

    Attributes:
        cpu_seconds, games: that it had cost in self-play and training, from nothing.
    """

    iteration: int
    sims: int
    cpu_seconds: float
    games: float
    engine: str


def network_points(run: Path, count: int, sims: Sequence[int], more: str = "") -> list[Point]:
    """Networks of a run, evenly spread over its iterations, the untrained and the last among them.

    Args:
        run: folder that `dlgo train alphazero` wrote.
        count: how many besides the untrained one, at most.
        sims: simulations a move; a point for each.
        more: other settings of the engine, "batch=8,runtime=openvino-bf16".

    Raises:
        ModelError: if the folder holds no network.
    """
    iterations = sorted(int(path.parent.name) for path in run.glob("nets/*/card.json"))
    if not iterations:
        raise ModelError(
            f"{run} holds no networks; name a folder that `dlgo train alphazero` wrote"
        )
    last = len(iterations) - 1
    chosen = sorted({iterations[round(last * k / max(count, 1))] for k in range(count + 1)})
    points = []
    for number in chosen:
        folder = network_folder(run, number)
        training = read_card(folder).training
        for n in sims:
            engine = f"alphazero:model={folder},sims={n}" + (f",{more}" if more else "")
            points.append(Point(
                number, n, training.get("cpu_seconds", 0.0), training.get("games", 0.0),
                read_spec(engine).text,
            ))
    return points


def rated_points(
    game: str, points: Sequence[Point], opponents: Sequence[str], ledger: Path
) -> pd.DataFrame:
    """A row for each point, then one for each opponent: what it had cost, rating, scores.

    Scores are texts, "points/games"; games that came twice count once.
    """
    with Ledger(ledger, read_only=True) as file:
        games = games_frame(file)
    games = games[games["game"] == game]
    ratings = ratings_frame(games, rate_games(games)).set_index("entrant")
    cross = crosstable(games, game, list(ratings.index))
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


def draw(frame: pd.DataFrame, title: str, path: Path) -> None:
    """Elo by CPU minutes of training, opponents as dotted lines."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    learned = frame[frame["iteration"].notna()]
    for k, (sims, part) in enumerate(learned.groupby("sims")):
        minutes = part["cpu_seconds"] / 60
        below, above = part["rating"] - part["low95"], part["high95"] - part["rating"]
        axis.errorbar(
            minutes, part["rating"], yerr=[below, above], fmt="o-", capsize=3, color=f"C{k}",
            label="network alone" if sims == 1 else f"{sims:g} simulations",
        )
    for row in frame[frame["iteration"].isna()].itertuples():
        axis.axhline(row.rating, color="0.4", ls=":", lw=1)
        axis.annotate(
            _short(row.entrant).replace(",", ",\n"), (1, row.rating),
            xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=8, color="0.3",
        )
    axis.set(title=title, xlabel="CPU minutes of training", ylabel="Elo (95% intervals)")
    axis.legend(frameon=False, loc="lower right")
    with output_path(path) as temporary:
        figure.savefig(temporary, dpi=120)
    plt.close(figure)


def _short(entrant: str) -> str:
    """GNU Go by its level, any other entrant as it is."""
    level = re.search(r"gnugo.*--level (\d+)", entrant)
    return f"GNU Go level {level[1]}" if level else entrant


def _quick_run(folder: Path) -> Path:
    """A tiny run of tic-tac-toe, to have something to measure."""
    config = make_config("tictactoe", iterations=2, games=20, sims=8, workers=1,
                         network="resnet:blocks=1,filters=8")
    train(config, folder, PrintedProgress())
    return folder


# Also of `az_variants`.
more_option = click.option(
    "--with", "more", default="", metavar="SETTINGS",
    help="Other settings of the networks' engine, such as batch=8,runtime=openvino-bf16.",
)


@click.command()
@click.argument("run", type=click.Path(path_type=Path), default=Path("out/alphazero/connect4"))
@click.option("--opponent", "opponents", multiple=True, help="An engine; may be repeated. By "
              "default mcts with 100 and 1000 simulations.")
@click.option("--gnugo", "levels", multiple=True, type=Number(int, 0, 20),
              help="GNU Go at this level, in Go; may be repeated.")
@click.option("--sims", multiple=True, type=Number(int, 1), default=(1, 100),
              show_default=True, help="Simulations a move; may be repeated; 1: the network alone.")
@click.option("--points", default=6, show_default=True, type=Number(int, 1),
              help="Networks, besides the untrained one.")
@pairs_option(10)
@more_option
@named_games()
@workers_option
@cluster_option
@seed_option
@quick_option("A tiny run of tic-tac-toe")
def main(
    run: Path, opponents: tuple[str, ...], levels: tuple[int, ...], sims: tuple[int, ...],
    points: int, pairs: int, more: str, workers: int | None, cluster: str | None, seed: int,
    quick: bool,
) -> None:
    """Rate the networks of a run, and draw their learning curve."""
    if quick:
        run = _quick_run(Path("out/alphazero/curve-quick"))
        opponents, sims, points, pairs = ("random",), (1, 8), 1, 2
    others = opponents if levels else opponents or _OPPONENTS
    on_the_way = network_points(run, points, sims, more)
    game = read_card(network_folder(run, on_the_way[-1].iteration)).game
    recorded_game(game)
    plan = Plan(
        (game,), (*(point.engine for point in on_the_way), *others, *map(gnugo_spec, levels)),
        pairs=pairs, seed=seed, kind="gauntlet",
        challengers=tuple(point.engine for point in on_the_way),
    ).canonical()
    others = tuple(name for name in plan.entrants if name not in plan.challengers)
    progress = BarReporter() if sys.stderr.isatty() else PlainReporter(sys.stdout)
    with games_on(cluster, workers) as there:
        run_tournament(plan, run / "curve.sqlite", workers, progress, elsewhere=there)
    frame = rated_points(game, on_the_way, others, run / "curve.sqlite")
    write_csv(frame, run / "curve.csv")
    draw(frame, game_title(game), run / "curve.png")
    for row in frame.itertuples(index=False):
        who = _short(row.entrant) if row.iteration != row.iteration else (
            f"iteration {row.iteration:g}, {row.sims:g} simulations, {row.cpu_seconds:,.0f} CPU s"
        )
        print(f"{row.rating:7.0f}  [{row.low95:.0f}, {row.high95:.0f}]  {who}")
    print(run / "curve.png")


if __name__ == "__main__":
    run(main)
