"""How much Elo does a decade of weights, of training or of search buy?

    python -m experiments.studies.scaling --quick
    python -m experiments.studies.scaling connect4 --save     # hours; the same command continues
    python -m experiments.studies.scaling --fits              # from the kept results

A plan (`scaling.toml`) has parts, each a ladder of trainings in a game (`ladder.py`), and claims,
written down before the runs. Each claim is a number that a law gives (`laws.py`), and the range in
which the claim holds.

What to look for: straight lines over several decades, and where they end; whether the claims of
Jones ("Scaling scaling laws with board games", 2021) and of Neumann and Gros ("Scaling laws for a
multi-agent reinforcement learning model", 2022) hold on small budgets.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping, Sequence
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
        first = tables_of.get(own.pop("like", ""), {})
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
        if {claim.part, claim.against or claim.part} <= parts.keys():
            number = laws.estimate(claim, parts)
            rows.append({
                "claim": claim.text, "source": claim.source, "part": claim.part,
                "law": claim.law, "value": number.value, "low95": number.low95,
                "high95": number.high95, "claimed_low": claim.low, "claimed_high": claim.high,
                "verdict": claim.verdict(number),
            })
    return pd.DataFrame(rows)


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


@click.command()
@click.argument("names", nargs=-1, metavar="[PART]...")
@click.option("--plan", type=options.FILE, help="Plan with parts and claims. Default: the one that "
              "comes with the study.")
@click.option("--fits", is_flag=True, help="Only fit and draw; by default from the kept results.")
@click.option("--save", is_flag=True, help="Keep the results in the study's own folder.")
@options.workers_option
@options.out_option("out/scaling")
@options.quick_option("Three sizes of network learn tic-tac-toe; mistakes stand in for Elo")
def main(
    names: tuple[str, ...], plan: Path | None, fits: bool, save: bool, workers: int | None,
    out: Path, quick: bool,
) -> None:
    """Train, play and measure the parts of a plan; fit laws, and judge the claims."""
    out = out.with_name(f"{out.name}-quick") if quick else out
    parts, claims = read_plan(plan or (QUICK if quick else PLAN))
    if unknown := set(names) - set(parts):
        raise SpecError(f"scaling: no part {', '.join(sorted(unknown))}; parts are "
                        f"{', '.join(parts)}")
    tables_of = {}
    for name in names or parts:
        if not fits:
            run_part(parts[name], out, workers)
        folder = out / name
        if save:
            (RESULTS / name).mkdir(parents=True, exist_ok=True)
            for path in folder.glob("*.csv"):
                shutil.copy(path, RESULTS / name)
        if fits and not (folder / "players.csv").exists():
            folder = RESULTS / name
        if (folder / "players.csv").exists():
            tables_of[name] = rated(folder)
            draw(name, tables_of[name][0], out / f"{name}.png")
    if not tables_of:
        raise DlgoError("scaling: there are no results yet; leave out --fits")
    judged = verdicts(claims, tables_of)
    tables.write_csv(judged, out / "claims.csv")
    for row in judged.itertuples(index=False):
        print(f"{row.claim}\n    {row.value:.3g} [{row.low95:.3g}, {row.high95:.3g}] "
              f"{LAWS[row.law].__doc__}: {row.verdict}")


if __name__ == "__main__":
    run(main)
