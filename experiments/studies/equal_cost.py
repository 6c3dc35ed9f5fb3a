"""Ways of training at equal cost: which network stands for a run, and what a variant is worth.

Used by `az_variants` and `learner_variants`. The unit of chance is the run, not the game: two runs
that differ in nothing but the seed may be far apart. So a variant's Elo is the mean over its seeds,
and the difference from the base has a confidence interval by Welch's t test over runs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from dlgo.errors import SpecError
from experiments.arena.progress import BarReporter, PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.cluster.chosen import games_on
from experiments.studies.az_curve import Point, rated_points
from reports.tables import write_csv

# The label of the runs in which nothing is changed.
BASE = "base"

Config = TypeVar("Config")  # of a run


def runs_of(
    make: Callable[..., Config], parse: Callable[[Sequence[str]], dict[str, Any]], iterations: int,
    common: Sequence[str], variants: Sequence[str], seeds: int,
) -> dict[str, list[Config]]:
    """The base and its variants by label, each with seeds from 1; blanks separate settings.

    Args:
        make: a configuration of named settings. parse: settings of texts such as `mask=no`.

    Raises:
        SpecError: for an unknown setting, for one that has an option of its own, or for a variant
            that changes nothing.
    """
    usual = parse(common)
    if "iterations" in usual:
        raise SpecError("--set iterations: the iterations of all runs are named by --iterations")
    configs: dict[str, list[Config]] = {}
    for label in (BASE, *variants):
        changed = parse(label.split()) if label != BASE else {}
        if "seed" in usual or "seed" in changed:
            where = "--set seed" if "seed" in usual else f"variant {label!r}"
            raise SpecError(f"{where}: seeds are counted from 1; take --seeds")
        # The learning rate stays, so that a run that is cut short is not at a disadvantage.
        settings = {"decay": 1.0, "iterations": iterations, **usual, **changed}
        runs = [make(**{**settings, "seed": seed + 1}) for seed in range(seeds)]
        same = [other for other, theirs in configs.items() if theirs == runs]
        if same:
            raise SpecError(f"variant {label!r} is the same as {same[0]!r}; change something else")
        configs[label] = runs
    return configs


def run_folder(out: Path, label: str, seed: int) -> Path:
    """Where a run belongs."""
    name = "".join(c if c.isalnum() or c in "=.-" else "_" for c in label)
    return out / f"{name}-{seed}"


def within(points: Sequence[Point], limit: float, cost: str = "cpu_seconds") -> Point:
    """The last network that cost no more than so many CPU seconds, or games."""
    return max(
        (point for point in points if getattr(point, cost) <= limit),
        key=lambda point: point.iteration,
    )


def compare_runs(
    ways: Mapping[tuple[str, int], Sequence[Point]], game: str, out: Path, pairs: int,
    equal: str = "cpu_seconds", workers: int | None = None, cluster: str | None = None,
    price: float | None = None,
) -> pd.DataFrame:
    """Let the last networks within the cost of the cheapest run play each other: a row a run.

    Args:
        ways: (variant, seed) -> the networks along the way of the run.
        out: folder of the ledger, `games.sqlite`; games that are there are not played again.
        pairs: openings of each meeting, each played with both colours.
        equal: the attribute of a point that the cheapest run limits for all.
        workers, cluster, price: see `games_on`.
    """
    limit = min(getattr(points[-1], equal) for points in ways.values())
    chosen = {key: within(points, limit, equal) for key, points in ways.items()}
    engines = tuple(point.engine for point in chosen.values())
    plan = Plan((game,), engines, pairs=pairs, seed=1).canonical()
    progress = BarReporter() if sys.stderr.isatty() else PlainReporter(sys.stdout)
    with games_on(cluster, workers, price=price) as games:
        run_tournament(plan, out / "games.sqlite", workers, progress=progress, elsewhere=games)
    frame = rated_points(plan.games[0], list(chosen.values()), (), out / "games.sqlite")
    frame.insert(0, "variant", [label for label, _ in chosen])
    frame.insert(1, "seed", [seed for _, seed in chosen])
    return frame


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each variant: mean Elo over its runs, and the difference from the base.

    Args:
        frame: with the columns variant, rating and cpu_seconds, a row a run.
    """
    from scipy import stats

    base = frame.loc[frame["variant"] == BASE, "rating"].to_numpy(float)
    rows = []
    for label, part in frame.groupby("variant", sort=False):
        ratings = part["rating"].to_numpy(float)
        row = {"variant": label, "runs": len(ratings), "elo": ratings.mean(),
               "cpu_seconds": part["cpu_seconds"].mean(), "difference": math.nan,
               "low95": math.nan, "high95": math.nan, "verdict": ""}
        if label != BASE:
            low = high = math.nan
            if min(len(ratings), len(base)) > 1 and np.ptp(ratings) + np.ptp(base) > 0:
                interval = stats.ttest_ind(ratings, base, equal_var=False).confidence_interval()
                low, high = float(interval.low), float(interval.high)
            row |= {"difference": ratings.mean() - base.mean(), "low95": low, "high95": high,
                    "verdict": "better" if low > 0 else "worse" if high < 0
                    else "not different from luck"}
        rows.append(row)
    return pd.DataFrame(rows)


def write_tables(frame: pd.DataFrame, out: Path) -> None:
    """Write `runs.csv` and `variants.csv` into `out`, and print what variants are worth."""
    write_csv(frame, out / "runs.csv")
    table = summary(frame)
    write_csv(table, out / "variants.csv")
    print(f"\n{'Elo':>6} {'difference':>10}  {'95% interval':<16} {'CPU s':>7}  variant")
    for row in table.itertuples(index=False):
        interval = "" if math.isnan(row.low95) else f"{row.low95:+.0f} to {row.high95:+.0f}"
        difference = "" if row.variant == BASE else f"{row.difference:+.0f}"
        print(f"{row.elo:6.0f} {difference:>10}  {interval:<16} {row.cpu_seconds:7,.0f}  "
              f"{row.variant}{f': {row.verdict}' if row.verdict else ''}")
    print(out / "variants.csv")
