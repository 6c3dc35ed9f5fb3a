"""How much Elo does a decade of weights, of training or of search buy?

    python -m experiments.studies.scaling --quick
    python -m experiments.studies.scaling connect4 --save     # hours; the same command continues
    python -m experiments.studies.scaling --fits              # from the kept results
    python -m experiments.studies.scaling hex3 hex4 --positions 100

The plan (`scaling.toml`) has parts, each a ladder of trainings in a game (`ladder.py`), and claims
(`plans.py`) on numbers that laws give (`laws.py`). Mistakes in solved positions of Hex, which
--positions counts, are exploratory.

What to look for: straight lines over several decades, and where they end; whether the claims of
Jones ("Scaling scaling laws with board games", 2021) and of Neumann and Gros ("Scaling laws for a
multi-agent reinforcement learning model", 2022) hold on small budgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from experiments import options
from experiments.command import run
from experiments.figures import FAINT, INK, draw_means, drawing, plain_numbers
from experiments.studies import laws, measured
from experiments.studies.ladder import Part, run_part
from experiments.studies.measured import Rated, check_kept, positions_of
from experiments.studies.plans import RESULTS, Claim, Study, StudyOptions, keep, study_options
from reports import tables
from reports.plots import game_title

BUDGETS = 60.0, 600.0, 3600.0  # CPU seconds of training
# Columns of tables as labels.
LABELS = {
    "sims": "simulations a move", "weights": "weights of the network",
    "cpu_seconds": "CPU seconds of training", "count": "times in the last games",
    "phase": "moment in the game, 0 to 1", "rank": "rank of the position (1: the most frequent)",
}
# Tables of mistakes, with the column that they count by, and the look of a figure.
ERRORS = (("mistakes", "class", {"title": "solved positions"}),
          ("mistakes_by_rank", LABELS["rank"],
           {"title": "own games, where a mistake is possible", "xscale": "log"}))


def unplanned(claims: Sequence[Claim], parts: Mapping[str, Rated]) -> list[Claim]:
    """What else was measured: mistakes and search, where no claim asks for them."""
    return [
        Claim(f"Not planned: {part}", law, part) for part, (players, *_) in parts.items()
        for law, column in (("mistakes_by_weights", "mistakes"), ("elo_by_search", "rating"))
        if players[column].any()
        and (part, law) not in [(claim.part, claim.law) for claim in claims]
    ]


def print_purchases(parts: Mapping[str, Rated], path: Path) -> None:
    """Which size, and how much search, a budget of training should buy."""
    bought = pd.concat([pd.DataFrame(), *(
        laws.purchases(players, BUDGETS).assign(part=part) for part, players in parts.items()
        if players[0]["rating"].any() and players[0]["size"].nunique() > 1
    )]).infer_objects()
    tables.write_csv(bought, path)
    for row in bought.itertuples(index=False):
        sure = "" if row.low95 > 0 else ", which may be luck"
        print(f"{row.part}, {row.cpu_seconds:g} CPU seconds of training, {row.sims} simulations: "
              f"size {row.size}, {row.rating:.0f} Elo, {row.ahead:.0f} [{row.low95:.0f}, "
              f"{row.high95:.0f}] ahead of the next best size{sure}")
    for part, (players, *_) in parts.items():
        print(f"{part}: networks took {players['cpu_seconds'].min():,.0f} to "
              f"{players['cpu_seconds'].max():,.0f} CPU seconds; nothing is known of other budgets")


def draw(title: str, players: pd.DataFrame, path: Path) -> None:
    """The laws of a part: by weights, by training, by simulations, and the exchange of the last
    two. Mistakes stand in for Elo where no games were played."""
    games = bool(players["rating"].any())
    value, scale = ("Elo", "linear") if games else ("mistakes, %", "log")
    players = players.assign(**{
        value: players["rating"] if games else 100 * laws.error(players)})
    final, usual = (table.rename(columns=LABELS)
                    for table in (laws.last(players), laws.usual(players)))
    sims, weights, seconds = (LABELS[name] for name in ("sims", "weights", "cpu_seconds"))
    look, title_end = {"xscale": "log", "yscale": scale}, "after the whole training"
    with drawing(path, 2, 1 + games, (6.5, 5.5), title=title) as axes:
        draw_means(axes[0], final, sims, weights, weights, value, title=title_end, **look)
        if games:
            costs, best, _ = laws.envelope(laws.usual(players), "cpu_seconds", common=False)
            axes[1].plot(costs, best[0], color=FAINT, lw=9, zorder=0, label="best")
            draw_means(axes[2], final, "size", sims, sims, value, title=title_end, **look)
            _exchange(axes[3], players)
        draw_means(axes[1], usual, "size", "level", seconds, value,
                   title=f"{sims}: {usual[sims].iloc[0]}", **look)


def _exchange(axis: Axes, players: pd.DataFrame) -> None:
    """Training against search: the best networks, and lines of equal Elo of the plane."""
    constant, training, search = laws.plane(players)
    if np.isnan(constant):
        axis.remove()
        return
    costs, ratings, _ = laws.envelope(players, "cpu_seconds")
    numbers = np.unique(players["sims"])
    x, y = np.meshgrid(costs, numbers)
    points = axis.scatter(x, y, 60, c=ratings)
    axis.figure.colorbar(points, ax=axis, label="Elo")
    axis.set(title="lines of equal Elo", xlabel="CPU seconds of training, best size",
             ylabel="simulations a move", xscale="log", yscale="log",
             ylim=(numbers[0] / 1.5, numbers[-1] * 1.5))
    seconds, sims = np.meshgrid(*(np.geomspace(*limits) for limits in (axis.get_xlim(),
                                                                       axis.get_ylim())))
    elo = constant + training * np.log10(seconds) + search * np.log10(sims)
    lines = axis.contour(seconds, sims, elo, 8, colors=INK, linewidths=1, linestyles="-")
    axis.clabel(lines, fontsize=12)
    plain_numbers(axis)


def draw_positions(title: str, folder: Path, path: Path) -> None:
    """How often positions occur in the games of the networks, and when; and where the networks err
    after the whole training. `folder` has the tables of a part."""
    often = tables.read_csv(folder / "frequencies.csv").rename(columns=LABELS)
    rank, share = LABELS["rank"], "mistakes, % (grey: 95% interval)"
    errors = (folder / "mistakes.csv").exists()
    with drawing(path, 2, 1 + errors, (6.5, 5.5), title=title) as axes:
        draw_means(axes[0], often, "size", rank, rank, LABELS["count"], xscale="log", yscale="log")
        draw_means(axes[1], often, "size", rank, rank, LABELS["phase"], xscale="log")
        for axis, (name, key, look) in zip(axes[2:], ERRORS, strict=False):
            table = laws.last(tables.read_csv(folder / f"{name}.csv").rename(columns=LABELS))
            counts = table.groupby(["size", key], sort=False, as_index=False)[
                ["mistakes", "positions"]].sum()
            counts[share] = 100 * counts["mistakes"] / counts["positions"]
            n = counts["positions"] + 4  # for the interval of Agresti and Coull (1998)
            middle = (counts["mistakes"] + 2) / n
            axis.errorbar(counts[key], 100 * middle, 196 * (middle * (1 - middle) / n) ** 0.5,
                          fmt="none", ecolor=FAINT, zorder=0)
            draw_means(axis, counts, "size", key, key, share, ylim=(0, None), **look)


@click.command()
@study_options(
    "scaling", "Three sizes of network learn tic-tac-toe; mistakes stand in for Elo")
@click.option("--positions", type=options.Number(int, 1), help="Also count mistakes in this number "
              "of solved positions of each class, where the plan has none.")
def main(positions: int | None, workers: int | None, **run_options: Any) -> None:
    """Train, play and measure the parts; fit laws to all results, and judge the claims."""
    study = Study("scaling", Part, RESULTS, "--positions" if positions else "",
                  StudyOptions(**run_options))
    results: dict[str, Rated] = {}
    study.parts = {name: replace(part, positions=part.positions or positions or 0)
                   for name, part in study.parts.items()}
    for name in () if study.fits else study.asked:  # a mistake shows before any training
        part = study.parts[name]
        check_kept(study.out / name, positions_of(part.game, part.positions, workers))
    for part, folder in study.results(lambda part: run_part(part, study.out, workers)):
        players, covariance = measured.rate(
            *(tables.read_csv(folder / f"{name}.csv") for name in ("players", "games")))
        results[part.name] = [players, *measured.replicates(players, covariance)]
        if part.name in study.asked:
            title = f"{part.name}: {game_title(part.game)}"
            draw(title, players, study.out / f"{part.name}.png")
            draw_positions(title, folder, study.out / f"{part.name}_positions.png")
    study.judge(results, unplanned(study.claims, results))
    print_purchases(results, study.out / "purchases.csv")
    if study.save and study.kept:
        keep(study.out, study.kept)


if __name__ == "__main__":
    run(main)
