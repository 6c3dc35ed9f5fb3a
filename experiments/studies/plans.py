"""What studies have in common: a plan, its parts and claims, results that are kept, and verdicts.

A plan has parts, each an experiment in a game, and claims, written down before the runs. Each claim
is a number that a law gives (`laws.py`), and the range in which the claim holds. Numbers that no
claim asks for are exploratory.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from dlgo.errors import DlgoError, SpecError
from dlgo.readers import read_toml
from dlgo.specs import Option, parse_settings, suggest
from engines.learning.settings import Settings, setting
from experiments import options
from experiments.studies import laws
from experiments.studies.laws import LAWS
from experiments.studies.measured import Rated
from reports import tables
from reports.bootstrap import percentiles
from reports.rating_table import Estimate

RESULTS = Path(__file__).with_name("results")
_CONTENT = Option("parts", None, "", kind=dict), Option("claims", None, "", kind=list)
_TABLE = "players.csv"  # a part that has results has this table


@dataclass(frozen=True)
class Claim(Settings):
    """What a paper says, or we expect, in numbers; written down before the runs."""

    text: str = setting(None, "the claim in words")
    law: str = setting(None, "law that measures it", choices=tuple(LAWS))
    part: str = setting(None, "part of the plan")
    against: str = setting("", "part whose number is subtracted")
    low: float = setting(-math.inf, "least number for which the claim holds")
    high: float = setting(math.inf, "largest number for which the claim holds")
    source: str = setting("", "paper")
    family: str = setting("", "family of players, where the law compares two of them")
    other: str = setting("", "the other one")
    seconds: int = setting(0, "CPU seconds of their training")

    @property
    def parts(self) -> list[str]:
        """What it is about."""
        return [name for name in (self.part, self.against) if name]

    def check(self) -> None:
        """Raise SpecError for settings that do not go together."""
        if (self.law in laws.OF_FAMILIES) != bool(self.family and self.other):
            raise SpecError(f"only the laws {', '.join(laws.OF_FAMILIES)} have family and other, "
                            "and need both")
        if self.low > self.high:
            raise SpecError(f"low={self.low:g} is above high={self.high:g}")

    def measure(self, parts: Mapping[str, Rated]) -> Estimate:
        """Its number, with the interval."""
        arguments = (self.family, self.other, self.seconds) if self.law in laws.OF_FAMILIES else ()
        numbers, *subtrahends = (
            np.array([LAWS[self.law](table, *arguments) for table in parts[name]])
            for name in self.parts)
        for less in subtrahends:
            less[1:] = np.roll(less[1:], 1)  # draws of equal number come from equal random numbers
            numbers -= less
        return percentiles(float(numbers[0]), numbers[1:])

    def verdict(self, number: Estimate) -> str:
        """Whether the claim holds, as far as the interval tells."""
        if math.isnan(number.value) or math.isnan(number.low95):
            return "not measured"
        if self.low == -math.inf and self.high == math.inf:
            return "exploratory"
        if self.low <= number.low95 and number.high95 <= self.high:
            return "holds"
        if number.high95 < self.low or self.high < number.low95:
            return "contradicted"
        # The interval shrinks with the square root of the number of seeds and games, and must not
        # reach a bound any more.
        more = max(
            ((number.low95 if bound < number.value else number.high95) - number.value) ** 2
            / max((bound - number.value) ** 2, 1e-9)
            for bound in (self.low, self.high) if number.low95 <= bound <= number.high95)
        many = f"about {more:.1f}" if more < 100 else "more than 100"
        return f"undecided; {many} times the budget may decide"


def read_plan(path: Path, kind: type[Settings]) -> tuple[dict[str, Any], list[Claim]]:
    """The parts, of this kind, and the claims of a file; a part may be `like` an earlier one, but
    for the keys and settings that it names. Raises SpecError if something is wrong in the file."""
    owner, claims = f"plan {path}", []
    parts: dict[str, Any] = {}
    table = read_toml(path, owner, error=SpecError)
    content = parse_settings(owner, _CONTENT, table, "key")
    part_tables = content.get("parts", {})
    for name, table in part_tables.items():
        label = f"{owner}: part {name}"
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise SpecError(f"{label} cannot name a folder; use letters, digits, _ and -")
        if like := table.pop("like", "") if isinstance(table, dict) else "":
            part_tables[name] = _merged(part_tables[_known(label, "like", like, parts)], table)
        parts[name] = kind.from_table(label, part_tables[name], name=name)
    if not parts:
        raise SpecError(f"{owner} has no parts; write one under a line such as [parts.connect4]")
    tabled = [name for part in parts.values() for name in part.tables]
    for number, table in enumerate(content.get("claims", []), 1):
        claims.append(Claim.from_table(label := f"{owner}: claim {number}", table))
        for key, name in zip(("part", "against"), claims[-1].parts, strict=False):
            _known(label, key, name, tabled)
    return parts, claims


def _merged(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The table `base` with the values of `overrides`; nested tables are merged, too."""
    inner = {key: _merged(base[key], value) for key, value in overrides.items()
             if isinstance(value, dict) and isinstance(base.get(key), dict)}
    return {**base, **overrides, **inner}


def _known(owner: str, key: str, name: str, choices: Iterable[str]) -> str:
    """The name itself. Raises SpecError if it is not among the choices."""
    names = [*choices]
    if name not in names:
        wrong = f"is not one of {', '.join(names)}" if names else "names no earlier part"
        raise SpecError(f"{owner}: {key}={name!r}{suggest(str(name), names)} {wrong}")
    return name


def study_options(name: str, quick: str) -> options.Decorator:
    """The argument and the options of the command of a study: `StudyOptions`, and --workers."""
    return options.together(
        click.argument("names", nargs=-1, metavar="[PART]..."),
        click.option("--plan", type=options.FILE, help="Plan with parts and claims. Default: the "
                     "one that comes with the study."),
        click.option("--fits", is_flag=True,
                     help="Only fit and draw. Kept results stand in for those that --out lacks."),
        click.option("--save", is_flag=True, help="Keep the results in the study's own folder."),
        options.workers_option, options.out_option(f"out/{name}"),
        options.quick_option(quick, "two minutes"),
    )


def plan_file(name: str, quick: bool = False) -> Path:
    """The plan that comes with a study."""
    return Path(__file__).with_name(f"{name}{'_quick' if quick else ''}.toml")


@dataclass(frozen=True)
class StudyOptions:
    """What the command line says of a run; `study_options` describes each."""

    names: Sequence[str]  # of parts; (): all
    plan: Path | None
    fits: bool
    save: bool
    out: Path
    quick: bool


class Study:
    """A run of a study.

    Args:
        kind: the class of its parts.
        results: the folder of kept results, for parts that have no others.
        unused: an option that --fits has no use for; "" if it was not used.

    Raises SpecError for a wrong plan, and for options that exclude each other.
    """

    def __init__(
        self, name: str, kind: type[Settings], results: Path, unused: str,
        run_options: StudyOptions,
    ) -> None:
        plan, out, quick = run_options.plan, run_options.out, run_options.quick
        self.fits, self.save = run_options.fits, run_options.save
        for wrong, text in (
            (plan and quick, "--quick has a plan of its own; leave out --plan"),
            (self.save and (plan or quick),
             "--save keeps results of the study's own plan; leave it out"),
            (self.fits and unused, f"--fits only fits and draws; leave out {unused}"),
        ):
            if wrong:
                raise SpecError(f"{name}: {text}")
        self.parts, self.claims = read_plan(plan or plan_file(name, quick), kind)
        self.asked = [_known(name, "part", part, self.parts)
                      for part in run_options.names or self.parts]
        self.out = out.with_name(f"{out.name}-quick") if quick else out
        self.kept = None if plan or quick else results
        self.command = f"python -m experiments.studies.{name}" + (
            " --quick" if quick else f" --plan {plan}" if plan else "")

    def results(self, run_one: Callable[[Any], None]) -> Iterator[tuple[Any, Path]]:
        """Run the parts asked for, unless --fits; yields the parts that have results, with their
        folders. Raises DlgoError if none of the parts asked for has results."""
        complete = set()
        for name, part in self.parts.items():
            folder, kept_folder = self.out / name, self.kept and self.kept / name
            if name in self.asked and not self.fits:
                run_one(part)
            if name in self.asked and self.save and kept_folder:
                keep(folder, kept_folder)
            # With --save, claims are judged by the kept results only.
            if kept_folder and (
                self.save and name not in self.asked or not (folder / _TABLE).exists()
            ):
                folder = kept_folder
            if (folder / _TABLE).exists():
                complete.add(name)
                yield part, folder
        if not complete & {*self.asked}:
            raise DlgoError(f"{self.out.name}: no results yet; run it without --fits")

    def judge(self, results: Mapping[str, Rated], further: Sequence[Claim]) -> pd.DataFrame:
        """Measure the claims, and what else was asked for, as far as their parts are rated: print
        the verdicts and write two tables. Returns the second one."""
        for kind, claims in (("claims", self.claims), ("exploratory", further)):
            rows = []
            for claim in claims:
                if results.keys() >= {*claim.parts}:
                    number, law = claim.measure(results), LAWS[claim.law].__doc__
                    verdict = claim.verdict(number)
                    names = dict.fromkeys(name.partition("/")[0] for name in claim.parts)
                    seconds = sum(laws.training(results[name][0]) for name in claim.parts)
                    rows.append({
                        **vars(claim), **vars(number), "verdict": verdict,
                        "command": f"{self.command} {' '.join(names)}",
                        "training_cpu_seconds": seconds})
                    measured = "" if verdict == "not measured" else (
                        f"{number.value:.3g} [{number.low95:.3g}, {number.high95:.3g}] {law}: ")
                    print(f"{claim.text}\n    {measured}{verdict} ({seconds:,.0f} CPU seconds of "
                          "training)")
            table = pd.DataFrame(rows)
            tables.write_csv(table, self.out / f"{kind}.csv")
        return table


def keep(folder: Path, results: Path) -> None:
    """Copy the tables of a folder."""
    for path in folder.glob("*.csv"):
        results.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, results)


def published(study: str, kind: type[Settings], results: Path) -> pd.DataFrame:
    """The claims of a study with what was measured, as texts for the docs."""
    path, rows = results / "claims.csv", []
    verdicts = tables.read_csv(path).set_index("text") if path.exists() else pd.DataFrame()
    for claim in read_plan(plan_file(study), kind)[1]:
        row = verdicts.loc[claim.text] if claim.text in verdicts.index else {"verdict": "not run"}
        value, low, high = (
            float(row.get(name, math.nan)) for name in ("value", "low95", "high95"))
        digits = 0 if max(-low, high) > 30 else 2  # Elo; exponents and ratios are smaller
        rows.append({
            "claim": f"{claim.text} ({claim.source})" if claim.source else claim.text,
            "part": claim.part,
            "measure": LAWS[claim.law].__doc__,
            "value (95%)": "" if math.isnan(value) else
                f"{value:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})",
            "verdict": row["verdict"]})
    return pd.DataFrame(rows)
