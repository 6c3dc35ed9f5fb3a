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

import functools
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dlgo import get_game
from dlgo.errors import DlgoError, SpecError
from dlgo.specs import Option, parse_settings, suggest
from engines.jobs import Processes
from experiments import options
from experiments.arena.planfile import read_toml
from experiments.command import run
from experiments.figures import FAINT, INK, draw_means, drawing, plain_numbers
from experiments.measures.solved import solved_positions
from experiments.studies import laws
from experiments.studies.ladder import Part, Positions, check_kept, play_all, table_of, train_all
from experiments.studies.laws import LAWS, Claim
from reports import tables
from reports.plots import game_title

PLAN = Path(__file__).with_name("scaling.toml")
BUDGETS = 60.0, 600.0, 3600.0  # CPU seconds of training
RANK = "rank of the position (1: the most frequent)"
# Tables of mistakes, with the column that they count by, a title and a label.
ERRORS = (("mistakes", "class", "solved positions", "class"),
          ("mistakes_by_rank", "rank", "own games, where a mistake is possible", RANK))
QUICK = Path(__file__).with_name("scaling_quick.toml")
RESULTS = Path(__file__).with_name("results")
_CONTENT = Option("parts", None, "", kind=dict), Option("claims", None, "", kind=list)
_LIKE = Option("like", "", "")
# The table of a part, and what other games and seeds might have given.
Rated = Sequence[pd.DataFrame]
_Kind = TypeVar("_Kind", bound=Any)  # of parts


def read_plan(path: Path, kind: type[_Kind] = Part) -> tuple[dict[str, _Kind], list[Claim]]:
    """The parts and the claims of a file; a part may be `like` an earlier one, but for the keys and
    settings that it names. Raises DlgoError if something is wrong in the file."""
    owner, tables_of, parts, claims = f"plan {path}", {}, {}, []
    content = parse_settings(owner, _CONTENT, read_toml(path), "key")
    for name, table in content.get("parts", {}).items():
        what = f"{owner}: part {name}"
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise SpecError(f"{what} cannot name a folder; use letters, digits, _ and -")
        nested = [Option(key, None, "", kind=dict) for key in kind.nested]
        own = parse_settings(what, (*kind.options().values(), *nested, _LIKE), table, "key")
        like = own.pop("like", "")
        first = tables_of[_known(what, "like", like, tables_of)] if like else {}
        tables_of[name] = _merged(first, own)
        values = dict(tables_of[name])
        more = {field: values.pop(key, {}) for key, field in kind.nested.items()}
        parts[name] = kind.from_table(what, values, name=name, **more)
        try:
            parts[name].check()
        except DlgoError as error:
            raise SpecError(f"{what}: {error}") from None
    if not parts:
        raise SpecError(f"{owner} has no parts; write one under a line such as [parts.connect4]")
    tabled = [name for part in parts.values() for name in part.tables]
    for number, table in enumerate(content.get("claims", []), 1):
        what = f"{owner}: claim {number}"
        claims.append(claim := Claim.from_table(what, table))
        _known(what, "part", claim.part, tabled)
        _known(what, "against", claim.against or claim.part, tabled)
        if (claim.law in laws.OF_FAMILIES) != bool(claim.family and claim.other):
            raise SpecError(f"{what}: only the laws {', '.join(laws.OF_FAMILIES)} have family and "
                            "other, and need both")
        if claim.low > claim.high:
            raise SpecError(f"{what}: low={claim.low:g} is above high={claim.high:g}")
    return parts, claims


def _merged(first: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """A table with what it lacks of another one, and so for the tables in it."""
    inner = {key: _merged(first.get(key, {}), value)
             for key, value in own.items() if isinstance(value, dict)}
    return {**first, **own, **inner}


def _known(owner: str, key: str, name: str, known: Iterable[str]) -> str:
    """The name itself. Raises SpecError if it is not a known one."""
    if name not in [*known]:
        raise SpecError(f"{owner}: {key}={name!r}{suggest(str(name), known)} is not one of "
                        f"{', '.join(known) or 'the parts before it'}")
    return name


@functools.cache
def _positions(game: str, count: int, workers: int | None) -> Positions:
    with Processes(workers) as jobs:
        return solved_positions(get_game(game), count, jobs)


def positions_of(part: Part, workers: int | None) -> Positions:
    """The solved positions of a part. Raises DlgoError if its game has none, or too few."""
    return _positions(part.game, part.positions, workers) if part.positions else {}


def run_part(part: Part, out: Path, workers: int | None) -> None:
    """Train, play and measure what is missing; leaves tables in a folder within `out`."""
    folder = out / part.name
    train_all(part, folder)
    games = play_all(part, folder, workers)
    players = table_of(part, folder, positions_of(part, workers), workers)
    for name, frame in (("players", players), ("games", games)):
        tables.write_csv(frame, folder / f"{name}.csv")


def rated(folder: Path) -> Rated:
    """The rated players of a part, and what other games and seeds might have given."""
    players, games = (pd.read_csv(folder / f"{name}.csv") for name in ("players", "games"))
    players, covariance = laws.rate(players, games)
    return [players, *laws.replicates(players, covariance)]


def verdicts(claims: Sequence[Claim], parts: Mapping[str, Rated], study: str) -> pd.DataFrame:
    """A row for each claim whose parts are there; `study` is its name, and the options that its
    command needs."""
    rows = []
    for claim in claims:
        names = [name for name in (claim.part, claim.against) if name]
        if parts.keys() >= {*names}:
            number = laws.estimate(claim, parts)
            trainings = pd.concat([laws.last(laws.usual(parts[name][0])) for name in names])
            rows.append({
                **vars(claim), **vars(number), "verdict": claim.verdict(number),
                "command": f"python -m experiments.studies.{study} "
                           + " ".join(dict.fromkeys(name.partition("/")[0] for name in names)),
                "training_cpu_seconds": trainings["cpu_seconds"].sum(),
            })
    return pd.DataFrame(rows)


def unplanned(claims: Sequence[Claim], parts: Mapping[str, Rated]) -> list[Claim]:
    """What else was measured: mistakes and search, where no claim asks for them."""
    return [
        Claim(f"Not planned: {part}", law, part) for part, (players, *_) in parts.items()
        for law, measured in (("mistakes_by_weights", "mistakes"), ("elo_by_search", "rating"))
        if players[measured].any() and (part, law) not in [(one.part, one.law) for one in claims]
    ]


def judge(
    claims: Sequence[Claim], further: Sequence[Claim], parts: Mapping[str, Rated], out: Path,
    study: str,
) -> pd.DataFrame:
    """Print the verdicts, write them in two tables, and return the second one."""
    for kind, asked in (("claims", claims), ("exploratory", further)):
        judged = verdicts(asked, parts, study)
        tables.write_csv(judged, out / f"{kind}.csv")
        for row in judged.itertuples(index=False):
            print(f"{row.text}\n    {row.value:.3g} [{row.low95:.3g}, {row.high95:.3g}] "
                  f"{LAWS[row.law].__doc__}: {row.verdict} ({row.training_cpu_seconds:,.0f} CPU "
                  "seconds of training)")
    return judged


def print_purchases(parts: Mapping[str, Rated], path: Path) -> None:
    """Which size, and how much search, a budget of training should buy."""
    bought = pd.concat([pd.DataFrame(), *(
        laws.purchases(players, BUDGETS).assign(part=part) for part, players in parts.items()
        if players[0]["rating"].any() and players[0]["size"].nunique() > 1
    )])
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
    players = players.assign(value=players["rating"] if games else 100 * laws.error(players))
    final, usual = laws.last(players), laws.usual(players)
    with drawing(path, 2, 1 + games, (6.5, 5.5), title=title) as axes:
        draw_means(axes[0], final, "sims", "weights", "weights", "value")
        axes[0].set(title="after the whole training", xlabel="weights of the network")
        draw_means(axes[1], usual, "size", "level", "cpu_seconds", "value")
        axes[1].set(title=f"simulations a move: {usual['sims'].iloc[0]}",
                    xlabel="CPU seconds of training")
        if games:
            best = laws.envelope(usual, "cpu_seconds", common=False)
            axes[1].plot(best["cpu_seconds"], best["rating"], "-", color=FAINT, lw=9, zorder=0,
                         label="best")
            draw_means(axes[2], final, "size", "sims", "sims", "value")
            axes[2].set(title="after the whole training", xlabel="simulations a move")
            _exchange(axes[3], players)
        for axis, by in zip(axes, ("simulations a move", "size", "size"), strict=False):
            axis.set(ylabel="Elo" if games else "mistakes, %", xscale="log",
                     yscale="linear" if games else "log")
            axis.legend(title=by)
        for axis in axes:
            plain_numbers(axis)


def _exchange(axis: Axes, players: pd.DataFrame) -> None:
    """Training against search: the best networks, and lines of equal Elo of the plane."""
    best = laws.envelope(players, "cpu_seconds")
    if best["sims"].nunique() < 2:
        axis.remove()
        return
    constant, training, search = laws.plane(players)
    axis.set(title="lines of equal Elo", xlabel="CPU seconds of training, best size",
             ylabel="simulations a move", xscale="log", yscale="log",
             ylim=(best["sims"].min() / 1.5, best["sims"].max() * 1.5))
    points = axis.scatter(best["cpu_seconds"], best["sims"], 60, c=best["rating"])
    axis.figure.colorbar(points, ax=axis, label="Elo")
    seconds, sims = np.meshgrid(*(np.geomspace(*limits) for limits in (axis.get_xlim(),
                                                                       axis.get_ylim())))
    elo = constant + training * np.log10(seconds) + search * np.log10(sims)
    lines = axis.contour(seconds, sims, elo, 8, colors=INK, linewidths=1, linestyles="-")
    axis.clabel(lines, fontsize=12)


def draw_positions(title: str, folder: Path, path: Path) -> None:
    """How often positions occur in the games of the networks, and when; and where the networks err
    after the whole training. `folder` has the tables of a part."""
    often = pd.read_csv(folder / "frequencies.csv")
    errors = [(*words, pd.read_csv(file)) for name, *words in ERRORS
              if (file := folder / f"{name}.csv").exists()]
    with drawing(path, 2, 1 + bool(errors), (6.5, 5.5), title=title) as axes:
        draw_means(axes[0], often, "size", "rank", "rank", "count")
        axes[0].set(xlabel=RANK, xscale="log", ylabel="times in the last games", yscale="log")
        draw_means(axes[1], often, "size", "rank", "rank", "phase")
        axes[1].set(xlabel=RANK, xscale="log", ylabel="moment in the game, 0 to 1")
        for axis, (key, title, label, table) in zip(axes[2:], errors, strict=False):
            counts = laws.last(table).groupby(["size", key], sort=False, as_index=False)[
                ["mistakes", "positions"]].sum()
            counts["share"] = 100 * counts["mistakes"] / counts["positions"]
            draw_means(axis, counts, "size", key, key, "share")
            n = counts["positions"] + 4  # for the interval of Agresti and Coull (1998)
            middle = (counts["mistakes"] + 2) / n
            axis.errorbar(counts[key], 100 * middle, 196 * (middle * (1 - middle) / n) ** 0.5,
                          fmt="none", ecolor=FAINT, zorder=0)
            axis.set(title=title, xlabel=label, ylabel="mistakes, % (grey: 95% interval)",
                     ylim=(0, None))
        if len(errors) > 1:
            axes[3].set(xscale="log")
        for axis in axes[2 + len(errors):]:
            axis.remove()
        for axis in axes[:2 + len(errors)]:
            axis.legend(title="size")
            plain_numbers(axis)


def study_options(name: str, quick: str) -> options.Decorator:
    """The argument and the options of the command of a study."""
    return options.together(
        click.argument("names", nargs=-1, metavar="[PART]..."),
        click.option("--plan", type=options.FILE, help="Plan with parts and claims. Default: the "
                     "one that comes with the study."),
        click.option("--fits", is_flag=True,
                     help="Only fit and draw. Kept results stand in for those that --out lacks."),
        click.option("--save", is_flag=True, help="Keep the results in the study's own folder."),
        options.workers_option, options.out_option(f"out/{name}"), options.quick_option(quick),
    )


def plan_of(
    study: str, own: tuple[Path, Path], plan: Path | None, quick: bool, save: bool, unused: str
) -> Path:
    """The plan: that of an option, or one of the study's own, of which the second is quick. Raises
    SpecError for options that exclude each other; `unused`: those that --fits has no use for."""
    for wrong, text in (
        (plan and quick, "--quick has a plan of its own; leave out --plan"),
        (save and (plan or quick), "--save keeps results of the study's own plan; leave it out"),
        (unused, f"--fits only fits and draws; leave out {unused}"),
    ):
        if wrong:
            raise SpecError(f"{study}: {text}")
    return plan or own[quick]


def folders_of(
    parts: Mapping[str, _Kind], asked: Iterable[str], run_one: Callable[[_Kind], None] | None,
    out: Path, results: Path | None, save: bool,
) -> Iterator[tuple[_Kind, Path]]:
    """The parts that have results, and their folders.

    Args:
        asked: parts to be run first. run_one: runs a part; None: take the results that are there.
        results: the kept ones, for parts that have no others. save: keep those of these parts.

    Raises DlgoError if none of the parts asked for has results.
    """
    there = []
    for name, part in parts.items():
        folder, kept = out / name, results and results / name
        if name in asked:
            if run_one:
                run_one(part)
            if save and kept:
                keep(folder, kept)
        # What is kept does not speak of results that are not.
        if kept and (save and name not in asked or not (folder / "players.csv").exists()):
            folder = kept
        if (folder / "players.csv").exists():
            there.append(name)
            yield part, folder
    if not {*there} & {*asked}:
        raise DlgoError(f"{out.name}: no results yet; run it without --fits")


def published(plan: Path, kind: type[_Kind], results: Path) -> pd.DataFrame:
    """The claims of a plan with what was measured, as texts for the docs."""
    _, claims = read_plan(plan, kind)
    path, numbers = results / "claims.csv", ["value", "low95", "high95"]
    kept = pd.read_csv(path) if path.exists() else pd.DataFrame(
        columns=["text", *numbers, "verdict"])
    table = kept.set_index("text").reindex([claim.text for claim in claims]).reset_index()
    return pd.DataFrame({
        "claim": [f"{claim.text} ({claim.source})" if claim.source else claim.text
                  for claim in claims],
        "part": [claim.part for claim in claims],
        "measure": [LAWS[claim.law].__doc__ for claim in claims],
        "value (95%)": ["" if np.isnan(row[0]) else "{0:,.{3}f} ({1:,.{3}f} to {2:,.{3}f})".format(
            *row, 0 if abs(row[0]) > 99 else 2)
            for row in table[numbers].astype(float).to_numpy()],
        "verdict": table["verdict"].fillna("not run")})


def chosen(names: Sequence[str], parts: Mapping[str, _Kind], study: str) -> dict[str, _Kind]:
    """The parts with these names; without names, all. Raises SpecError."""
    return {name: parts[_known(study, "part", name, parts)] for name in names or parts}


def keep(folder: Path, results: Path) -> None:
    """Copy the tables of a folder."""
    for path in folder.glob("*.csv"):
        results.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, results)


@click.command()
@study_options(
    "scaling", "Three sizes of network learn tic-tac-toe; mistakes stand in for Elo")
@click.option("--positions", type=options.Number(int, 1), help="Also count mistakes in this number "
              "of solved positions of each class, where the plan has none.")
def main(
    names: tuple[str, ...], plan: Path | None, fits: bool, positions: int | None, save: bool,
    workers: int | None, out: Path, quick: bool,
) -> None:
    """Train, play and measure the parts; fit laws to all results, and judge the claims."""
    path = plan_of("scaling", (PLAN, QUICK), plan, quick, save,
                   "--positions" if fits and positions else "")
    out = out.with_name(f"{out.name}-quick") if quick else out
    parts, claims = read_plan(path)
    parts = {name: replace(part, positions=part.positions or positions or 0)
             for name, part in parts.items()}
    asked = chosen(names, parts, "scaling")
    for part in () if fits else asked.values():  # a mistake shows before any training
        check_kept(out / part.name, positions_of(part, workers))
    rated_parts = {}
    run_one = None if fits else lambda part: run_part(part, out, workers)
    kept = None if plan or quick else RESULTS
    for part, folder in folders_of(parts, asked, run_one, out, kept, save):
        rated_parts[part.name] = rated(folder)
        if part.name in asked:
            title = f"{part.name}: {game_title(part.game)}"
            draw(title, rated_parts[part.name][0], out / f"{part.name}.png")
            draw_positions(title, folder, out / f"{part.name}_positions.png")
    study = "scaling" + (" --quick" if quick else f" --plan {plan}" if plan else "")
    judge(claims, unplanned(claims, rated_parts), rated_parts, out, study)
    print_purchases(rated_parts, out / "purchases.csv")
    if save:
        keep(out, RESULTS)


if __name__ == "__main__":
    run(main)
