"""How much Elo does a decade of weights, of training or of search buy?

    python -m experiments.studies.scaling --quick
    python -m experiments.studies.scaling connect4 --save     # hours; the same command continues
    python -m experiments.studies.scaling --fits              # from the kept results
    python -m experiments.studies.scaling hex3 hex4 --positions 100

A plan (`scaling.toml`) has parts, each a ladder of trainings in a game (`ladder.py`), and claims,
written down before the runs. Each claim is a number that a law gives (`laws.py`), and the range in
which the claim holds. Numbers that no claim asks for are exploratory, such as mistakes in solved
positions of Hex, which --positions counts.

What to look for: straight lines over several decades, and where they end; whether the claims of
Jones ("Scaling scaling laws with board games", 2021) and of Neumann and Gros ("Scaling laws for a
multi-agent reinforcement learning model", 2022) hold on small budgets.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dlgo.errors import DlgoError, SpecError
from dlgo.specs import suggest
from experiments import options
from experiments.arena.planfile import read_toml
from experiments.command import run
from experiments.figures import COLOURS, INK, drawing
from experiments.studies import laws
from experiments.studies.ladder import Part, play_all, table_of, train_all
from experiments.studies.laws import LAWS, Claim
from reports import tables

PLAN = Path(__file__).with_name("scaling.toml")
BUDGETS = 60.0, 600.0, 3600.0  # CPU seconds of training
QUICK = Path(__file__).with_name("scaling_quick.toml")
RESULTS = Path(__file__).with_name("results")
_Kind = TypeVar("_Kind", Part, Claim)


def read_plan(path: Path) -> tuple[dict[str, Part], list[Claim]]:
    """The parts and the claims of a file; a part may be `like` an earlier one, but for the keys and
    settings that it names. Raises SpecError if something is wrong in the file."""
    content, owner = read_toml(path), f"plan {path}"
    tables_of: dict[str, dict[str, Any]] = {}
    for name, table in content.get("parts", {}).items():
        own = dict(table)
        like = own.pop("like", None)
        if like is not None and like not in tables_of:
            raise SpecError(f"{owner}: part {name} is like {like!r}{suggest(like, tables_of)}, not "
                            f"one of the parts before it: {', '.join(tables_of) or 'none'}")
        first = tables_of.get(like, {})
        merged = {key: {**first.get(key, {}), **own.get(key, {})}
                  for key in ("settings", "options")}
        tables_of[name] = {**first, **own, **merged, "name": name}
    parts = {name: _record(Part, f"{owner}: part {name}", table)
             for name, table in tables_of.items()}
    if not parts:
        raise SpecError(f"{owner} has no parts; write one under a line such as [parts.connect4]")
    claims = []
    for number, table in enumerate(content.get("claims", []), 1):
        claims.append(claim := _record(Claim, f"{owner}: claim {number}", table))
        for what, known in ((claim.law, LAWS), (claim.part, parts),
                            (claim.against or claim.part, parts)):
            if what not in known:
                raise SpecError(f"{owner}: claim {number} names {what!r}{suggest(what, known)}; "
                                f"there are {', '.join(known)}")
    return parts, claims


def _record(kind: type[_Kind], owner: str, table: Mapping[str, Any]) -> _Kind:
    """A part or a claim as a file has it. Raises SpecError for a missing or an unknown key."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key in table:
        if key not in fields:
            raise SpecError(f"{owner} has no key {key!r}{suggest(key, fields)}; it has "
                            f"{', '.join(fields)}")
    for name, field in fields.items():
        if name not in table and field.default is field.default_factory is dataclasses.MISSING:
            raise SpecError(f"{owner} lacks the key {name}")
    return kind(**{key: tuple(value) if isinstance(value, list) else value
                   for key, value in table.items()})


def run_part(part: Part, out: Path, workers: int | None) -> None:
    """Train, play and measure what is missing; leaves three tables in a folder within `out`."""
    folder = out / part.name
    train_all(part, folder)
    games = play_all(part, folder, workers)
    players = table_of(part, folder, games, workers)
    for name, frame in (("players", players), ("games", games)):
        tables.write_csv(frame, folder / f"{name}.csv")


def rated(folder: Path) -> Sequence[pd.DataFrame]:
    """The rated players of a part, and what other games and seeds might have given."""
    players, games = (pd.read_csv(folder / f"{name}.csv") for name in ("players", "games"))
    players, covariance = laws.rate(players, games)
    return [players, *laws.replicates(players, covariance)]


def verdicts(claims: Sequence[Claim], parts: Mapping[str, Sequence[pd.DataFrame]]) -> pd.DataFrame:
    """A row for each claim whose parts are there."""
    rows = []
    for claim in claims:
        names = [name for name in (claim.part, claim.against) if name]
        if parts.keys() >= {*names}:
            number = laws.estimate(claim, parts)
            trainings = pd.concat([laws.last(laws.usual(parts[name][0])) for name in names])
            rows.append({
                **vars(claim), **vars(number), "verdict": claim.verdict(number),
                "command": f"python -m experiments.studies.scaling {' '.join(names)}",
                "training_cpu_seconds": trainings["cpu_seconds"].sum(),
            })
    return pd.DataFrame(rows)


def unplanned(claims: Sequence[Claim], parts: Mapping[str, Sequence[pd.DataFrame]]) -> list[Claim]:
    """What else was measured: mistakes and search, where no claim asks for them."""
    return [
        Claim(f"Not planned: {part}", law, part) for part, (players, *_) in parts.items()
        for law, measured in (("mistakes_by_weights", "mistakes"), ("elo_by_search", "rating"))
        if players[measured].any() and (part, law) not in [(one.part, one.law) for one in claims]
    ]


def print_purchases(parts: Mapping[str, Sequence[pd.DataFrame]], path: Path) -> None:
    """Which size, and how much search, a budget of training should buy."""
    bought = pd.concat([pd.DataFrame(), *(
        laws.purchases(players, BUDGETS).assign(part=part) for part, players in parts.items()
        if players[0]["rating"].any() and players[0]["size"].nunique() > 1
    )])
    tables.write_csv(bought, path)
    for row in bought.itertuples(index=False):
        sure = "" if row.low95 > 0 else ", which may be luck"
        print(f"{row.part}, {row.cpu_seconds / 60:g} CPU minutes, {row.sims} simulations: size "
              f"{row.size}, {row.rating:.0f} Elo, {row.ahead:.0f} [{row.low95:.0f}, "
              f"{row.high95:.0f}] ahead of the next best size{sure}")


def draw(name: str, players: pd.DataFrame, path: Path) -> None:
    """The laws of a part: by weights, by training, by simulations, and the exchange of the last
    two. Mistakes stand in for Elo where no games were played."""
    games = bool(players["rating"].any())
    value = players["rating"] if games else 100 * laws.error(players)
    players = players.assign(value=value)
    label = "Elo" if games else "mistakes, %"
    final, usual = laws.last(players), laws.usual(players)
    with drawing(path, 2, 1 + games, (6.5, 5), title=name) as axes:
        _line(axes[0], laws.usual(final), "weights", "weights")
        for colour, (size, part) in zip(COLOURS, usual.groupby("size"), strict=False):
            means = part.groupby("level")[["cpu_seconds", "value"]].mean()
            axes[1].plot(means["cpu_seconds"], means["value"], "o-", color=colour, label=size)
        axes[1].set(xlabel="CPU seconds of training", xscale="log")
        axes[1].legend(title="hidden units", ncols=2)
        if games:
            _line(axes[2], final, "sims", "simulations a move")
            _exchange(axes[3], players)
        for axis in axes[: 2 + games]:
            axis.set(ylabel=label, yscale="linear" if games else "log")
            axis.tick_params(axis="x", which="minor", labelbottom=False)
            if not games:
                axis.yaxis.set_minor_formatter("{x:g}")


def _line(axis: Axes, players: pd.DataFrame, cost: str, label: str) -> None:
    """Seeds as points, and their means as lines."""
    by = "sims" if cost == "weights" else "size"
    for colour, (_, part) in zip(COLOURS, players.groupby(by), strict=False):
        axis.plot(part[cost], part["value"], ".", color=colour, alpha=0.5)
        axis.plot(part.groupby(cost)["value"].mean(), "-", color=colour)
    axis.set(xlabel=label, xscale="log")


def _exchange(axis: Axes, players: pd.DataFrame) -> None:
    """Training against search: the best networks, and lines of equal Elo of the plane."""
    best = laws.envelope(players, "cpu_seconds")
    if best.empty:
        return
    constant, training, search = laws.plane(players)
    points = axis.scatter(best["cpu_seconds"], best["sims"], 60, c=best["rating"])
    axis.figure.colorbar(points, ax=axis, label="Elo")
    across = np.geomspace(best["cpu_seconds"].min(), best["cpu_seconds"].max(), 50)
    low, high = (round(best["rating"].quantile(share), -2) for share in (0, 1))
    for elo in np.arange(low, high + 1, 100):
        axis.plot(across, 10 ** ((elo - constant - training * np.log10(across)) / search), "-",
                  color=INK, lw=1)
    axis.set(xlabel="CPU seconds of training", ylabel="simulations", xscale="log", yscale="log",
             ylim=(best["sims"].min() / 1.5, best["sims"].max() * 1.5),
             title="lines of equal strength, 100 Elo apart")


def draw_positions(name: str, folder: Path, path: Path) -> None:
    """Where networks err after the whole training, how often positions occur in their games, and
    how late. `folder` has the tables of a part."""
    often = pd.read_csv(folder / "frequencies.csv").groupby(["size", "rank"], as_index=False).mean()
    errors = folder / "mistakes.csv"
    with drawing(path, 2 + errors.exists(), 1, (6.5, 5), title=name) as axes:
        for colour, (size, part) in zip(COLOURS, often.groupby("size"), strict=False):
            for axis, value in zip(axes, ("count", "phase"), strict=False):
                axis.plot(part["rank"], part[value], "o-", color=colour, label=size)
        axes[0].set(xlabel="rank", xscale="log", ylabel="times in the last games", yscale="log")
        axes[1].set(xlabel="rank", xscale="log", ylabel="moment in the game, 0 to 1")
        axes[0].legend(title="hidden units")
        if errors.exists():
            counts = laws.last(pd.read_csv(errors)).groupby(["size", "class"], sort=False)[
                ["mistakes", "positions"]].sum()
            for colour, (size, part) in zip(COLOURS, counts.groupby("size"), strict=False):
                share, n = part["mistakes"] / part["positions"], part["positions"]
                axes[2].errorbar(
                    part.index.get_level_values("class"), 100 * share, fmt="o-", color=colour,
                    yerr=196 * (share * (1 - share) / n) ** 0.5, capsize=4, label=size)
            axes[2].set(ylabel="mistakes, %", xlabel="class of positions")


@click.command()
@click.argument("names", nargs=-1, metavar="[PART]...")
@click.option("--plan", type=options.FILE, help="Plan with parts and claims. Default: the one that "
              "comes with the study.")
@click.option("--fits", is_flag=True, help="Only fit and draw; by default from the kept results.")
@click.option("--positions", type=options.Number(int, 1), help="Also count mistakes in this number "
              "of solved positions of each class, where the plan has none.")
@click.option("--save", is_flag=True, help="Keep the results in the study's own folder.")
@options.workers_option
@options.out_option("out/scaling")
@options.quick_option("Three sizes of network learn tic-tac-toe; mistakes stand in for Elo")
def main(
    names: tuple[str, ...], plan: Path | None, fits: bool, positions: int | None, save: bool,
    workers: int | None, out: Path, quick: bool,
) -> None:
    """Train, play and measure the parts of a plan; fit laws, and judge the claims."""
    out = out.with_name(f"{out.name}-quick") if quick else out
    parts, claims = read_plan(plan or (QUICK if quick else PLAN))
    if unknown := set(names) - set(parts):
        raise SpecError(f"scaling: no part {', '.join(sorted(unknown))}; parts are "
                        f"{', '.join(parts)}")
    rated_parts = {}
    for name in names or parts:
        part, folder = parts[name], out / name
        if not fits:
            run_part(replace(part, positions=part.positions or positions or 0), out, workers)
        if save:
            (RESULTS / name).mkdir(parents=True, exist_ok=True)
            for path in folder.glob("*.csv"):
                shutil.copy(path, RESULTS / name)
        if fits and not (folder / "players.csv").exists():
            folder = RESULTS / name
        if (folder / "players.csv").exists():
            rated_parts[name] = rated(folder)
            draw(name, rated_parts[name][0], out / f"{name}.png")
            draw_positions(name, folder, out / f"{name}_positions.png")
    if not rated_parts:
        raise DlgoError("scaling: there are no results yet; leave out --fits")
    for kind, asked in (("claims", claims), ("exploratory", unplanned(claims, rated_parts))):
        judged = verdicts(asked, rated_parts)
        tables.write_csv(judged, out / f"{kind}.csv")
        for row in judged.itertuples(index=False):
            print(f"{row.text}\n    {row.value:.3g} [{row.low95:.3g}, {row.high95:.3g}] "
                  f"{LAWS[row.law].__doc__}: {row.verdict} ({row.training_cpu_seconds:,.0f} CPU "
                  "seconds of training)")
    print_purchases(rated_parts, out / "purchases.csv")


if __name__ == "__main__":
    run(main)
