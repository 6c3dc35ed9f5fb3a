"""The records of a run for readers: history.csv and curves.png.

Both are written from the rows that the checkpoint keeps. So a run that was stopped and
continued leaves the same records as an unbroken one. history.csv comes last: where it has all
rows, the picture has them, too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlgo.errors import ModelError
from dlgo.files import write_csv, write_file
from dlgo.readers import reading
from engines.learning.runs.checkpoint import REMEDY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_REWRITTEN = "run the training command again, which rewrites it from the checkpoint"
Rows = Sequence[Mapping[str, float]]


class Curve(NamedTuple):
    """A plot of columns of the history, by their labels ("": none)."""

    title: str
    columns: Mapping[str, str]


def write_records(folder: Path, unit: str, curves: Sequence[Curve], rows: Rows, draw: bool) -> None:
    """Bring the records up to date. `unit` is the name of an iteration; `draw`: draw the curves, if
    there are any."""
    if not rows:
        return
    if curves and draw:
        draw_curves(rows, unit, curves, folder / "curves.png")
    write_csv(folder / "history.csv", *_table(rows), error=ModelError, remedy=REMEDY)


def has_records(folder: Path, rows: Rows) -> bool:
    """Whether history.csv has these rows: a kill may follow the last checkpoint."""
    columns, table = _table(rows)
    try:
        with (folder / "history.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file)) == [
                columns, *([str("" if cell is None else cell) for cell in row] for row in table)]
    except (OSError, ValueError, csv.Error):
        return False


def _table(rows: Rows) -> tuple[list[str], list[list[float | None]]]:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return columns, [[row.get(name) for name in columns] for row in rows]


def read_history(folder: Path, columns: Iterable[str]) -> list[dict[str, float]]:
    """The rows of a run's history.csv; empty cells are left out. Raises ModelError if the file is
    missing, damaged, or lacks one of the columns in a row."""
    path = folder / "history.csv"
    with reading(path, "history", error=ModelError, restore=_REWRITTEN):
        if not path.exists():
            raise ModelError("it is missing, so no iteration is finished; continue the training")
        with path.open(newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        rows = [{name: float(cell) for name, cell in row.items() if cell} for row in table]
    missing = [name for name in columns if not all(name in row for row in rows)]
    if missing or not rows:
        lacks = f"lacks the column {missing[0]}" if missing else "has no rows"
        raise ModelError(f"{path} {lacks}; {_REWRITTEN}")
    return rows


def playing_network(history: Rows, iteration: int) -> int:
    """The iteration whose network plays the games of `iteration`; 0: the untrained one. Without a
    column `promoted` in the history every network is."""
    return int(max(
        (row["iteration"] for row in history
         if row["iteration"] < iteration and row.get("promoted", 1.0)),
        default=0,
    ))


def draw_curves(rows: Rows, unit: str, curves: Sequence[Curve], path: Path) -> None:
    """Draw columns of a history into a PNG file."""
    buffer = io.BytesIO()
    figure_of(rows, unit, curves).savefig(buffer, format="png", dpi=110)
    write_file(path, buffer.getvalue(), error=ModelError, remedy=REMEDY)


def figure_of(rows: Rows, unit: str, curves: Sequence[Curve]) -> Figure:
    """Columns of a history, iteration by iteration; rows may lack some of them."""
    from matplotlib.figure import Figure

    present = {name for row in rows for name in row}
    curves = [curve for curve in curves if present & set(curve.columns.values())]
    figure = Figure(figsize=(4.5 * len(curves), 3.6), layout="constrained")
    numbers = range(1, len(rows) + 1)
    for axes, curve in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves, strict=True):
        for label, name in curve.columns.items():
            if name in present:
                values = [row.get(name, float("nan")) for row in rows]
                axes.plot(numbers, values, marker="o", ms=3, label=label)
        axes.set(xlabel=unit, title=curve.title)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(alpha=0.3)
        if any(curve.columns):
            axes.legend()
    return figure
