"""How training went, for people: history.csv, curves.png and a TensorBoard log.

All three are written from the rows that the checkpoint keeps, so a run that was stopped and
continued leaves the same curves as an unbroken one. Called by `training.py`.
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

from dlgo.files import write_csv, write_file


class Curves:
    """The records of a run in `folder`, brought up to date with each epoch.

    Args:
        history: rows of the epochs done before.
    """

    def __init__(self, folder: Path, history: list[dict[str, float]]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._rows = folder, []
        shutil.rmtree(folder / "tensorboard", ignore_errors=True)
        self._board = _board(folder / "tensorboard")
        for row in history:
            self._log(row)

    def _log(self, row: dict[str, float]) -> None:
        self._rows.append(row)
        if self._board is None:
            return
        for name, value in row.items():
            if name != "epoch":
                part = "test/" if name.startswith("test_") else "train/"
                self._board.add_scalar(
                    part + name.removeprefix("test_"), value, step=int(row["epoch"])
                )
        self._board.flush()

    def add(self, row: dict[str, float]) -> None:
        """One epoch more."""
        self._log(row)
        table = [[line.get(name) for name in row] for line in self._rows]
        write_csv(self._folder / "history.csv", list(row), table)
        draw_curves(self._rows, self._folder / "curves.png")


def _board(folder: Path) -> Any:
    """A TensorBoard writer, or None where the package is not installed."""
    try:
        from tensorboard.summary import Writer
    except ImportError:
        return None
    return Writer(str(folder))


def draw_curves(rows: list[dict[str, float]], path: Path) -> None:
    """Loss and accuracy of the training games and the held-out ones, epoch by epoch."""
    from matplotlib.figure import Figure

    kinds = [
        ("cross_entropy", "cross-entropy of the policy (nats)"), ("accuracy", "moves predicted"),
        ("value_mse", "squared error of the value"),
    ]
    kinds = [kind for kind in kinds if kind[0] in rows[0]]
    figure = Figure(figsize=(4.5 * len(kinds), 3.6), layout="constrained")
    epochs = [row["epoch"] for row in rows]
    for axes, (name, title) in zip(figure.subplots(1, len(kinds)), kinds, strict=True):
        for prefix, label in (("", "training games"), ("test_", "held-out games")):
            axes.plot(epochs, [row[prefix + name] for row in rows], marker="o", ms=3, label=label)
        axes.set(xlabel="epoch", title=title)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(alpha=0.3)
    axes.legend()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    write_file(path, buffer.getvalue())
