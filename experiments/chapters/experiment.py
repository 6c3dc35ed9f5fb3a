"""An experiment of a chapter: a question, a measurement with its error, a figure, an answer.

    @experiment(quick={"pairs": 50}, full={"pairs": 500}, reference=50)
    def rules(pairs):
        \"\"\"Does each rule of thumb beat the one before it?\"\"\"
        for level in (1, 2, 3):
            yield match("tictactoe", f"heuristic:level={level}", "random", pairs)

The docstring says what to look for. Each row that the function yields has a `label`, usually a
`value` with its 95% interval `low` and `high`, and what the figure needs besides. `@rules.drawing`
and `@rules.conclusion` replace the figure and the answer in words.

A chapter's script runs its experiments. A notebook shows the results that the full run left in
`results/` (`rules.show()`), or runs an experiment again (`rules.run(pairs=20)`).
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from textwrap import fill
from typing import Any

import click
import pandas as pd
from matplotlib.axes import Axes

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.files import make_folder, output_path
from experiments.arena.provenance import machine_text
from experiments.arena.series import play_series
from experiments.command import run
from experiments.figures import BLUE, INK, draw_bars, drawing
from experiments.options import FOLDER, quick_option
from reports.intervals import mean_margin, share_margin
from reports.tables import read_csv

RESULTS = Path(__file__).parent / "results"
_MEASURED = ("value", "low", "high", "seconds")  # the columns that differ from run to run
Row = dict[str, Any]


@dataclass(eq=False)
class Experiment:
    """A measurement with two sizes; see the module. Made by `experiment`."""

    measure: Callable[..., Iterable[Row]]
    quick: Mapping[str, Any] | None
    full: Mapping[str, Any]
    unit: str
    quantity: str
    reference: float | None
    digits: int
    tolerance: float
    size: tuple[float, float]

    def __post_init__(self) -> None:
        self.name = self.measure.__name__
        self.chapter = Path(self.measure.__code__.co_filename).stem
        self._draw: Callable[[pd.DataFrame, Axes], object] = self._bars
        self._conclude: Callable[[pd.DataFrame], str] = self._beyond_error
        self._extra: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What the experiment asks and what to look for."""
        return " ".join((self.measure.__doc__ or "").split())

    @property
    def title(self) -> str:
        """The first question, or else the first sentence, of what the experiment asks."""
        sentences = re.split(r"(?<=[.?]) (?=[A-Z\d`])", self.question)
        return next((one for one in sentences if one.endswith("?")), sentences[0])

    @property
    def axis_label(self) -> str:
        """What the values are, with their unit: `score in %`."""
        quantity = self.quantity or ("score" if self.unit == "%" else "")
        return " in ".join(filter(None, (quantity, self.unit))) or "value"

    def drawing(self, draw: Callable[[pd.DataFrame, Axes], object]) -> Experiment:
        """Use `draw(table, axes)` for the figure."""
        self._draw = draw
        return self

    def conclusion(self, conclude: Callable[[pd.DataFrame], str]) -> Experiment:
        """Use `conclude(table)` for the answer in words."""
        self._conclude = conclude
        return self

    def needs(self, extra: str, *modules: str) -> None:
        """The measurement needs these modules of an extra of setup.py."""
        self._extra = extra, *modules

    def check_extra(self) -> None:
        """Raise DlgoError unless the modules that the measurement needs are installed."""
        if self._extra:
            extra, *modules = self._extra
            require_extra(extra, f"{self.chapter}'s `{self.name}`", *modules)

    def run(self, **sizes: Any) -> None:
        """Measure with `sizes` (default: the quick ones), print each row, draw, answer."""
        self.report(self.rows(**{**(self.quick or self.full), **sizes}))

    def show(self) -> None:
        """Draw the results of the full run and say what came of it."""
        table = self.results
        self.report(table)
        print(f"({self.source})")

    def rows(self, **sizes: Any) -> pd.DataFrame:
        """Measure, and print each row as soon as it is there."""
        rows = []
        for row in self.measure(**sizes):
            rows.append(row)
            self.print_row(row)
        return pd.DataFrame(rows)

    def report(self, table: pd.DataFrame, path: Path | None = None) -> None:
        """Draw the figure, in a notebook or to `path`, and print the answer."""
        # A letter of a title is about 0.14 inches wide.
        title = fill(self.title, int(self.size[0] / 0.16))
        with drawing(path, size=self.size, title=title) as (axes,):
            self._draw(table, axes)
        for paragraph in self._conclude(table).splitlines():
            print(fill(paragraph, 88))

    @property
    def results(self) -> pd.DataFrame:
        """The table that the full run left. Raises DlgoError if none can be read."""
        if not self._file.exists():
            raise DlgoError(f"{self._file} is missing: run {self._command} --save")
        return read_csv(self._file, comment="#")

    def __getitem__(self, label: str) -> str:
        """The measured value of one row as text, with its interval: `84% (79 to 88)`."""
        rows = self.results.query("label == @label")
        if rows.empty:
            raise DlgoError(f"{self.name} has no row {label!r}")
        return self.text(rows.iloc[-1])

    def text(self, row: Mapping[str, Any]) -> str:
        """A row's value in its unit, with its interval if it has one."""
        def number(value: float) -> str:
            return f"{value:,.{self.digits}f}"

        unit = self.unit if self.unit in ("%", "") else f" {self.unit}"
        interval = ""
        if pd.notna(row.get("low")):
            interval = f" ({number(row['low'])} to {number(row['high'])})"
        return f"{number(row['value'])}{unit}{interval}"

    def save(self, table: pd.DataFrame, seconds: float) -> None:
        """Keep the results of a full run for the notebook."""
        with output_path(self._file) as path:
            source = f"# {self._command}; {date.today()}; {machine_text()}; {seconds:.0f} CPU s\n"
            rows = table.to_csv(index=False, float_format="%.6g")
            path.write_text(source + rows, encoding="utf-8")

    def differences(self, table: pd.DataFrame) -> Iterator[str]:
        """What a new run measured that the kept results exclude, one line each.

        Two values agree if their intervals meet; without intervals, if they differ by no more
        than the experiment's relative tolerance.
        """
        keys = [name for name in table if name not in _MEASURED]
        merged = self.results.merge(table, "outer", keys, suffixes=("_kept", "_new"),
                                    indicator=True)
        for _, row in merged.iterrows():
            old, new = ({name: row.get(f"{name}_{suffix}") for name in ("value", "low", "high")}
                        for suffix in ("kept", "new"))
            if row["_merge"] != "both":
                yield f"{self.name}, {dict(row[keys])}: only in {row['_merge']}"
            elif not self._agree(old, new):
                yield (f"{self.name}, {dict(row[keys])}: {self.text(old)} kept, "
                       f"{self.text(new)} measured")

    def _agree(self, old: Row, new: Row) -> bool:
        if old["value"] is None or (pd.isna(old["value"]) and pd.isna(new["value"])):
            return True
        if pd.notna(old["low"]) and pd.notna(new["low"]):
            return old["low"] <= new["high"] + 1e-5 and new["low"] <= old["high"] + 1e-5
        return abs(new["value"] - old["value"]) <= self.tolerance * abs(old["value"]) + 1e-5

    @property
    def _command(self) -> str:
        return f"python -m experiments.chapters.{self.chapter} --only {self.name}"

    @property
    def _file(self) -> Path:
        return RESULTS / f"{self.chapter}_{self.name}.csv"

    @property
    def source(self) -> str:
        """Where the kept results come from: command, date, machine, cost."""
        return self._file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")

    def print_row(self, row: Mapping[Any, Any]) -> None:
        """Print a row's label, what it was measured with, and its value."""
        fields = [f"{name} {value}" for name, value in row.items()
                  if name not in (*_MEASURED, "label") and not isinstance(value, float)]
        value = self.text(row) if pd.notna(row.get("value")) else ""
        text = f"{', '.join([str(row.get('label', '')), *fields]):<44} {value}"
        print("  " + text.rstrip(), flush=True)

    def _bars(self, table: pd.DataFrame, axes: Axes) -> None:
        """Bars with intervals, from the top down, and the reference as a dashed line."""
        margins = (table["high"] - table["low"]) / 2 if "low" in table else 0 * table["value"]
        draw_bars(axes, dict(zip(table["label"], table["value"], strict=True)), list(margins),
                  [self.text({"value": value}) for value in table["value"]], BLUE,
                  100 if self.unit == "%" else float("inf"))
        if self.unit == "%":
            axes.set(xlim=(0, 118), xticks=range(0, 101, 25))
        elif axes.get_xscale() == "linear":
            axes.locator_params(axis="x", nbins=5)
            axes.xaxis.set_major_formatter("{x:,.10g}")
        if self.reference is not None:
            axes.axvline(self.reference, color=INK, linewidth=1.5, linestyle="--")
        axes.set_xlabel(self.axis_label + ", with 95% interval" * ("low" in table))

    def _beyond_error(self, table: pd.DataFrame) -> str:
        """Which rows differ from the reference by more than chance explains."""
        if self.reference is None or "low" not in table:
            return ""
        def listed(rows: pd.DataFrame) -> str:
            return ", ".join(f"{row['label']}: {self.text(row)}" for _, row in rows.iterrows())

        higher, lower = table["low"] > self.reference, table["high"] < self.reference
        groups = ((higher, "Above"), (lower, "Below"), (~higher & ~lower, "Undecided against"))
        return "\n".join(f"{heading} {self.reference:g}{self.unit}: {listed(table[rows])}."
                         for rows, heading in groups if rows.any())


def experiment(
    *, quick: Mapping[str, Any] | None, full: Mapping[str, Any], unit: str = "%",
    reference: float | None = None, digits: int = 0, tolerance: float = 0.0,
    size: tuple[float, float] = (8.0, 4.5), quantity: str = "",
) -> Callable[[Callable[..., Iterable[Row]]], Experiment]:
    """Make an experiment of a function that yields rows.

    Args:
        quick: The function's arguments for a run of seconds. None: a minute cannot show the
            effect beyond its error, so the quick run shows the results of the full one.
        full: The arguments of the run whose results the notebook shows.
        unit: The unit of `value`.
        reference: The value of "no effect", a dashed line in the figure; the answer says which
            intervals exclude it.
        digits: Decimal places of values in texts.
        tolerance: How far a value without an interval may lie from the kept one, relative to it.
        size: The figure's size in inches.
        quantity: What the values are, for the axis; by default a score if the unit is %.
    """
    return lambda measure: Experiment(measure, quick, full, unit, quantity, reference, digits,
                                      tolerance, size)


def match(
    game: Any, engine: Any, opponent: Any, pairs: int, label: str | None = None, seed: int = 1
) -> Row:
    """A row: the score of `engine` in a match against `opponent`, in %, from random openings."""
    series = play_series(game, engine, opponent, pairs, seed)
    label = label or f"{series.engine} against {series.opponent}"
    return share_row(label, series.share, series.games)


def share_row(label: str, share: float, n: int, **more: Any) -> Row:
    """A row: a share (0 to 1) of `n` independent cases, in %, with its 95% interval."""
    margin = share_margin(share, n)
    return {"label": label, "value": 100 * share, "low": 100 * max(share - margin, 0),
            "high": 100 * min(share + margin, 1), **more}


def mean_row(label: str, values: Iterable[float], **more: Any) -> Row:
    """A row: the mean of independent values with its 95% interval (Student's t)."""
    series = pd.Series(list(values), dtype=float)
    margin = mean_margin(series)
    return {"label": label, "value": series.mean(), "low": series.mean() - margin,
            "high": series.mean() + margin, **more}


_SCRATCH: list[tempfile.TemporaryDirectory] = []


def scratch_folder() -> Path:
    """A new folder that is deleted when Python ends."""
    _SCRATCH.append(tempfile.TemporaryDirectory(prefix="dlgo-chapter-"))
    return Path(_SCRATCH[-1].name)


class Claims:
    """The book's claims beside what the experiments measured: a table in a notebook."""

    def __init__(self, *rows: tuple[str, str, str]) -> None:
        self.rows = rows  # claim, section of the book, what was measured here

    def _repr_markdown_(self) -> str:
        head = "| claim of the book | section | measured here |\n|---|---|---|\n"
        return head + "\n".join(f"| {' | '.join(row)} |" for row in self.rows)


def script(about: str, *experiments: Experiment) -> None:
    """Run experiments as a command; `about` is the script's docstring."""
    chapters = {entry.chapter for entry in experiments}
    folder = Path("out/chapters", *chapters if len(chapters) == 1 else ())
    named = {entry.name if len(chapters) == 1 else f"{entry.chapter}.{entry.name}": entry
             for entry in experiments}

    @click.command(help=about.replace("\n\n    ", "\n\n\b\n    "))
    @quick_option("Smaller sizes", "a minute" if len(chapters) == 1 else "a minute a chapter")
    @click.option("--only", multiple=True, type=click.Choice(list(named)), metavar="NAME",
                  help=f"Run this experiment alone, such as {next(iter(named))}; may be repeated.")
    @click.option("--save", is_flag=True, help="Keep the results for the chapter's notebook.")
    @click.option("--check", is_flag=True,
                  help="Compare with the kept results; fail if a value lies outside its interval.")
    @click.option("--out", type=FOLDER, default=folder, show_default=True,
                  help="Folder for the figures.")
    def command(quick: bool, only: tuple[str, ...], save: bool, check: bool, out: Path) -> None:
        if quick and (save or check):
            raise click.UsageError("--quick runs too little to save or check: leave it out")
        chosen = {name: named[name] for name in only or named}
        for entry in chosen.values():
            if not quick or entry.quick:
                entry.check_extra()
        make_folder(out)
        differences: list[str] = []
        spent = {}
        for name, entry in chosen.items():
            print("\n" + fill(f"{name}: {entry.question}", 88), flush=True)
            start = time.process_time()
            if quick and entry.quick is None:
                table = entry.results
                print(f"A minute cannot show this. The full run showed ({entry.source}):")
                for row in table.to_dict("records"):
                    entry.print_row(row)
            else:
                table = entry.rows(**(entry.quick if quick and entry.quick else entry.full))
            entry.report(table, out / f"{name}.png")
            spent[name] = time.process_time() - start
            if save:
                entry.save(table, spent[name])
            if check:
                differences += entry.differences(table)
        print("\nCPU seconds: " + ", ".join(f"{name} {s:.0f}" for name, s in spent.items()))
        if check:
            print(f"{len(differences)} values lie outside their intervals", *differences,
                  sep="\n  ")
            raise SystemExit(bool(differences))

    run(command)
