"""A run of training in a folder: iterations, each saved before the next one begins.

In the folder:

    plan.json        the configuration
    checkpoint.npz   the learner's state after the last whole iteration
    history.csv      a row for each iteration; also as curves.png
"""

from __future__ import annotations

import json
import math
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import ModelError
from dlgo.files import make_folder, write_file
from dlgo.games import get_game
from dlgo.readers import read_json, reading
from dlgo.system.locks import held
from dlgo.text import duration, number_of
from engines.learning.run_status import Pace, Progress, Status
from engines.learning.runs.checkpoint import (
    FILE_NAME,
    REMEDY,
    Checkpoint,
    captured,
    read_checkpoint,
    restore,
    write_checkpoint,
)
from engines.learning.runs.records import Curve, has_records, write_records
from engines.learning.settings import RunConfig

# Seconds between two drawings of the curves; one takes as long as a short iteration.
_DRAW_EVERY = 10.0
# The next iterations are expected to take as long as these last ones, on average.
_RECENT = 5


class Learner:
    """The base class of methods of learning."""

    # All that the rest of the run depends on: variables of Keras, NumPy arrays (changed in place),
    # NumPy generators. The same parts in the same order in every process.
    state: Sequence[Any]
    unit = "iteration"  # the name of an iteration
    curves: Sequence[Curve] = ()  # the curves of the run

    def start(self, run: Run) -> None:
        """Comes once in a run, before its first iteration."""

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        """Do an iteration, counted from 1; return its row of the history.

        `run` has the history so far, and receives progress and losses. `wall_seconds` and
        `cpu_seconds` are added to the row where missing.
        """
        raise NotImplementedError

    def lines(self, run: Run, row: Mapping[str, float]) -> list[str]:
        """Lines about an iteration, printed once it is saved; the first begins with its number."""
        return [", ".join(
            f"{name} {value:.3g}" for name, value in row.items()
            if name != self.unit and not name.endswith("seconds")
        )]

    def close(self) -> None:
        """Comes at the end of the run, however it ends."""


class Run:
    """A run whose folder is locked; made by `open_run`.

    Attributes:
        folder: where its checkpoint and its records are. source: facts about the data.
        config: with the values that `AUTO` had when the run began.
        history: rows of the iterations done.
    """

    def __init__(
        self, folder: Path, config: RunConfig, source: dict[str, Any], progress: Progress
    ) -> None:
        self.folder, self.source, self._progress = folder, source, progress
        self._checkpoint = read_checkpoint(folder)
        self.history = self._checkpoint.history if self._checkpoint else []
        self.config = self._checked(config)
        self._unit, self._pace = Learner.unit, Pace()
        self._iteration = self._begun = len(self.history)
        self._start, self._cpu = time.perf_counter(), time.process_time()
        self._drawn = self._start  # a point alone is not worth a drawing
        self._interrupted = False
        self._recorded = not self.history or has_records(folder, self.history)
        make_folder(folder, error=ModelError)
        self.use_config(self.config)

    def _checked(self, config: Any) -> Any:
        """The configuration, if the folder's run can continue with it. Raises ModelError."""
        path, earlier = self.folder / "plan.json", {}
        restore = "restore it from a copy, or choose another folder"
        if self._checkpoint is not None:
            stored_plan, earlier = self._checkpoint.plan, self._checkpoint.source
            restore = "rename it and run the command again: the checkpoint has the plan, too"
        with reading(path, "plan of a run", error=ModelError, restore=restore):
            if path.exists():
                stored_plan = read_json(path, "it")
            elif self._checkpoint is None:
                return config
            stored_method, method = (
                plan.get("method", "alphazero") for plan in (stored_plan, config.to_json()))
            begun = type(config).from_json(stored_plan) if stored_method == method else None
        if begun is None:
            raise ModelError(f"{self.folder} holds a run of {stored_method}, not of {method}; "
                             "choose another folder")
        config = config.resolve_auto(begun)
        different = config.differences(begun) + [
            f"{key}={earlier[key]}" for key, value in self.source.items()
            if key in earlier and earlier[key] != value
        ]
        if different:
            raise ModelError(
                f"{self.folder} holds a run with {', '.join(different)}; use the same settings to "
                "continue it, or choose another folder"
            )
        # Not `config.finished`: networks that stopped to improve may have few epochs.
        if self.history and RunConfig.finished(config, self.history[:-1]):
            count = number_of(len(self.history), next(iter(self.history[0])))
            raise ModelError(f"{self.folder} holds a run of {count}, more than you ask for; ask "
                             "for at least as many, or choose another folder")
        return config

    def use_config(self, config: RunConfig) -> None:
        """Continue with this configuration, and store it."""
        self.config = config
        text = json.dumps(config.to_json(), indent=2) + "\n"
        write_file(self.folder / "plan.json", text, error=ModelError, remedy=REMEDY)

    @property
    def finished(self) -> bool:
        """Whether the run is finished: all iterations are learned and in the records."""
        return self._recorded and self.config.finished(self.history)

    def line(self, text: str) -> None:
        """Print a line that stays visible."""
        self._progress.line(text)

    def progress(self, phase: str, done: int, of: int, items: str) -> None:
        """Report the progress of a phase of the iteration; may be called at any rate."""
        self._raise_interrupt()
        rate, remaining = self._pace.rate(phase, done), self._left()
        usual = self._usual()
        if remaining is not None:
            phase_left = (of - done) / rate if rate else 0.0
            this_iteration = max(phase_left, (usual or 0.0) - self.seconds)
            remaining = remaining + this_iteration if rate or usual else None
        self._progress.status(Status(
            self._unit, self._iteration, self._iterations, phase, done, of, items, rate, remaining,
        ))

    @property
    def _iterations(self) -> int:
        """Number of iterations in all; where a time ends the run, an estimate."""
        if not (self.config.cpu_minutes and self.history):
            return self.config.iterations
        return max(self._iteration, round(len(self.history) / self.config.done(self.history)))

    def _usual(self) -> float | None:
        """Seconds of an iteration; None if unknown. The first one of a process compiles, too."""
        recent = [row["wall_seconds"] for number, row in enumerate(self.history)
                  if number not in (0, self._begun)][-_RECENT:]
        return sum(recent) / len(recent) if recent else None

    def _left(self) -> float | None:
        """Estimated seconds of the iterations after this one; None if unknown."""
        later, usual = max(0, self._iterations - self._iteration), self._usual()
        return later * (usual or 0.0) if usual or not later else None

    @property
    def seconds(self) -> float:
        """Since the iteration began."""
        return time.perf_counter() - self._start

    @property
    def cpu_seconds(self) -> float:
        """Of this process, since the iteration began."""
        return time.process_time() - self._cpu

    def check(self, name: str, value: float, step: int) -> float:
        """The value of a loss. Raises ModelError if it is not finite: learning has exploded."""
        if not math.isfinite(value):
            raise ModelError(
                f"{self.folder}: in step {step} of {self._unit} {self._iteration} the {name} is "
                f"{value}; {self._unit} {len(self.history)} is the last saved one; train in "
                "another folder with a smaller learning rate"
            )
        return value

    def train(self, learner: Learner) -> None:
        """Do the iterations that are missing.

        Raises ModelError if the checkpoint is of another learner, or learning explodes;
        KeyboardInterrupt with a message that says what is kept.
        """
        self._unit = learner.unit
        handler = self._listen()
        try:
            if self._checkpoint is None:
                learner.start(self)
                self._keep(learner)
            else:
                restore(learner.state, self._checkpoint.state, self.folder / FILE_NAME)
                if not self.config.finished(self.history):
                    self.line(f"continuing after {self._unit} {len(self.history)} of "
                              f"{self._iterations}")
            self._write_records(learner)
            self._recorded = True
            while not self.finished:
                self._iterate(learner)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped after {self._unit} {len(self.history)} of {self._iterations}, "
                f"which is saved in {self.folder}; run the same command to continue"
            ) from None
        finally:
            learner.close()
            if handler is not None:
                signal.signal(signal.SIGINT, handler)

    def _listen(self) -> Any:
        """Let Ctrl-C wait for the next call of `progress`, and a second one not.

        Python forgets an exception that is raised while an object is deleted. Returns the handler
        before; None in a thread, which hears no signals.
        """
        if threading.current_thread() is not threading.main_thread():
            return None

        def handle(number: int, frame: Any) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True

        handler = signal.getsignal(signal.SIGINT)
        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, handle)
        return handler

    def _raise_interrupt(self) -> None:
        if self._interrupted:
            raise KeyboardInterrupt

    def _write_records(self, learner: Learner) -> None:
        """With a picture now and then, and if nothing follows."""
        draw = self.config.curves and (
            self.config.finished(self.history) or time.perf_counter() - self._drawn > _DRAW_EVERY)
        if draw:
            self._drawn = time.perf_counter()
        write_records(self.folder, self._unit, learner.curves, self.history, draw)

    def _iterate(self, learner: Learner) -> None:
        self._raise_interrupt()
        self._iteration = len(self.history) + 1
        self._start, self._cpu, self._pace = time.perf_counter(), time.process_time(), Pace()
        row = {self._unit: self._iteration, **learner.iterate(self, self._iteration)}
        row.setdefault("wall_seconds", self.seconds)
        row.setdefault("cpu_seconds", self.cpu_seconds)
        self.history = [*self.history, row]
        self._keep(learner)
        self._write_records(learner)
        left = self._left()
        remaining = "" if left is None else f", {duration(left)} left"
        first, *rest_of_lines = learner.lines(self, row)
        self.line(f"{self._unit} {self._iteration} of {self._iterations}: {first}; "
                  f"{duration(row['wall_seconds'])}{remaining}")
        for line in rest_of_lines:
            self.line(f"  {line}")

    def _keep(self, learner: Learner) -> None:
        """Write the checkpoint, unless learning has exploded."""
        arrays = captured(learner.state)
        if not all(np.isfinite(array).all() for array in arrays if array.dtype.kind == "f"):
            raise ModelError(
                f"{self.folder}: after {self._unit} {self._iteration} weights are not finite; "
                f"{self._unit} {self._iteration - 1} is the last saved one; train in another "
                "folder with a smaller learning rate"
            )
        checkpoint = Checkpoint(self.config.to_json(), self.source, self.history, arrays)
        write_checkpoint(self.folder, checkpoint)


def about_training(
    method: str, config: Any, rows: Sequence[Mapping[str, float]], gpu: str | None,
    seconds: tuple[float, float], first_card: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The card's data about the run of self-play that made a network.

    Args:
        rows: of the history, and the row of this iteration so far.
        gpu: its name, if it learned on one. seconds: of this iteration: CPU, and wall clock.
        first_card: training data in the card of the network that the run began with.
    """
    def total(name: str) -> float:
        return (first_card or {}).get(name, 0.0) + sum(row.get(name, 0.0) for row in rows)

    cpu, wall = seconds
    on_gpu = sum(row.get("train_wall_seconds", 0.0) for row in rows) if gpu else 0.0
    return {
        "method": method, "settings": config.to_json(), "seed": config.seed,
        "iterations": len(rows), "games": int(total("games")), "gpu": gpu,
        "cpu_seconds": round(total("cpu_seconds") + cpu, 1),
        "gpu_seconds": round((first_card or {}).get("gpu_seconds", 0.0) + on_gpu, 1),
        "wall_seconds": round(total("wall_seconds") + wall, 1),
    }


@contextmanager
def open_run(
    folder: Path, config: RunConfig, *, within: str = "", source: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Iterator[Run]:
    """Lock a folder and open the run in it, new or begun.

    Args:
        within: the part of the folder for checkpoint and records; by default the folder itself.
        source: JSON values about the data; a run continues only with the same values.

    Raises ModelError if the folder holds a run of another configuration, or with other data, or a
    damaged one, or another process works in it.
    """
    with held(folder / ".lock", f"run {folder}", "training", "folder", ModelError):
        # Players would take the network of the model for that of the run.
        if (folder / ("plan.json" if within else "card.json")).exists():
            raise ModelError(f"{folder} holds {'another run' if within else 'a model'}; choose "
                             "another folder")
        # An external game has a version: a run continues only with the same rules.
        version = get_game(config.game).version if hasattr(config, "game") else ""
        source = (source or {}) | ({"game_version": version} if version else {})
        progress = progress or Progress()
        try:
            yield Run(folder / within, config, source, progress)
        finally:
            progress.end()
