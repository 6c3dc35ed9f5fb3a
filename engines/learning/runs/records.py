"""How a run went, for people: history.csv, curves.png and a TensorBoard log.

All three are written from the rows that the checkpoint keeps. So a run that was stopped and
continued leaves the same records as an unbroken one. history.csv comes last: where it has all
rows, the others have them, too.
"""

from __future__ import annotations

import csv
import io
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.errors import ModelError
from dlgo.files import write_csv, write_file
from engines.learning.runs.checkpoint import REMEDY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_REWRITTEN = "the command that trains writes it anew from the checkpoint"
# Seconds between two drawings of the curves; one takes as long as a short iteration.
_DRAW_EVERY = 10.0


@dataclass(frozen=True)
class Curve:
    """A plot of the history.

    Attributes:
        title: above the plot. columns: of the history, by their labels ("": none).
    """

    title: str
    columns: Mapping[str, str]


class Records:
    """The records of a run, brought up to date with each iteration.

    Args:
        folder: where they are written.
        unit: what an iteration is called there.
        curves: the plots; none: no picture.
        history: rows of the iterations done before.
    """

    def __init__(
        self, folder: Path, unit: str, curves: Sequence[Curve],
        history: Sequence[Mapping[str, float]],
    ) -> None:
        self._folder, self._unit, self._curves = folder, unit, curves
        self._rows: list[Mapping[str, float]] = []
        self._drawn = time.monotonic()  # a point alone is not worth a drawing
        shutil.rmtree(folder / "tensorboard", ignore_errors=True)
        self._board = _board(folder / "tensorboard") if curves else None
        for row in history:
            self._log(row)

    def add(self, row: Mapping[str, float], last: bool) -> None:
        """One iteration more."""
        self._log(row)
        self.write(last)

    def write(self, last: bool) -> None:
        """Bring the files up to date; the picture now and then, and if nothing follows (`last`)."""
        if not self._rows:
            return
        if self._curves and (last or time.monotonic() - self._drawn > _DRAW_EVERY):
            self._drawn = time.monotonic()
            draw_curves(self._rows, self._unit, self._curves, self._folder / "curves.png")
        columns = list(dict.fromkeys(name for row in self._rows for name in row))
        table = [[row.get(name) for name in columns] for row in self._rows]
        write_csv(self._folder / "history.csv", columns, table, error=ModelError)

    def _log(self, row: Mapping[str, float]) -> None:
        self._rows.append(row)
        if self._board is None:
            return
        try:
            for name, value in row.items():
                if name != self._unit:
                    part = "test/" if name.startswith("test_") else "train/"
                    self._board.add_scalar(
                        part + name.removeprefix("test_"), value, step=len(self._rows)
                    )
            self._board.flush()
        except OSError as error:
            raise ModelError(f"cannot write {self._folder / 'tensorboard'}: "
                             f"{error.strerror or error}; {REMEDY}") from None


def read_history(folder: Path, columns: Iterable[str]) -> list[dict[str, float]]:
    """The rows of a run's history.csv; empty cells are left out.

    Args:
        columns: what each row must have.

    Raises:
        ModelError: if the file is missing, damaged, or lacks a column.
    """
    path = folder / "history.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        rows = [{name: float(cell) for name, cell in row.items() if cell} for row in table]
    except FileNotFoundError:
        raise ModelError(f"{folder} holds no finished iteration: it has no history.csv") from None
    except (OSError, ValueError, TypeError, csv.Error) as error:
        raise ModelError(f"{path} cannot be read ({error}); {_REWRITTEN}") from None
    missing = [name for name in columns if not all(name in row for row in rows)]
    if missing or not rows:
        lacks = f"lacks the column {missing[0]}" if missing else "has no rows"
        raise ModelError(f"{path} {lacks}; {_REWRITTEN}")
    return rows


def playing_network(history: Sequence[Mapping[str, float]], iteration: int) -> int:
    """The iteration whose network plays the games of `iteration`; 0: the untrained one.

    Args:
        history: rows of the iterations before, at least. Without a column `promoted`, every
            network is.
    """
    return int(max(
        (row["iteration"] for row in history
         if row["iteration"] < iteration and row.get("promoted", 1.0)),
        default=0,
    ))


def _board(folder: Path) -> Any:
    """A TensorBoard writer, or None where the package is not installed.

    It imports TensorFlow, which takes seconds: so only for learners that have done so.
    """
    if "tensorflow" not in sys.modules:
        return None
    try:
        from tensorboard.summary import Writer
    except ImportError:
        return None
    return Writer(str(folder))


def draw_curves(
    rows: Sequence[Mapping[str, float]], unit: str, curves: Sequence[Curve], path: Path
) -> None:
    """Draw columns of a history into a PNG file."""
    buffer = io.BytesIO()
    figure_of(rows, unit, curves).savefig(buffer, format="png", dpi=110)
    write_file(path, buffer.getvalue(), error=ModelError, remedy=REMEDY)


def figure_of(
    rows: Sequence[Mapping[str, float]], unit: str, curves: Sequence[Curve]
) -> Figure:
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
