"""A run of training in a folder: iterations, each kept whole before the next one begins.

In the folder:

    plan.json        the configuration
    checkpoint.npz   the learner's state after the last whole iteration
    history.csv      a row for each iteration; also as curves.png and for TensorBoard
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

from dlgo.errors import ModelError, SpecError
from dlgo.files import make_folder, write_file
from dlgo.games import get_game
from dlgo.lock import held
from dlgo.text import duration
from engines.learning.run_config import RunConfig
from engines.learning.runs.checkpoint import (
    FILE_NAME,
    REMEDY,
    Checkpoint,
    captured,
    read_checkpoint,
    restore,
    write_checkpoint,
)
from engines.learning.runs.progress import Estimate, Progress, Status
from engines.learning.runs.records import Curve, Records, read_history


class Learner:
    """What a method of learning brings to a run.

    Attributes:
        state: all that the rest of the run depends on: variables of Keras, NumPy arrays (changed
            in place), NumPy generators. The same parts in the same order in every process.
        unit: what an iteration is called.
        curves: what the run draws.
    """

    state: Sequence[Any]
    unit = "iteration"
    curves: Sequence[Curve] = ()

    def start(self, run: Run) -> None:
        """Comes once in a run, before its first iteration."""

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        """Get better.

        Args:
            run: for `run.progress`, `run.check` and the history so far.
            iteration: its number, from 1.

        Returns:
            The row of the history; `wall_seconds` and `cpu_seconds` are added where missing.
        """
        raise NotImplementedError

    def lines(self, run: Run, row: Mapping[str, float]) -> list[str]:
        """What is said of an iteration, once it is kept; the first line begins with its number."""
        return [", ".join(
            f"{name} {value:.3g}" for name, value in row.items()
            if name != self.unit and not name.endswith("seconds")
        )]

    def close(self) -> None:
        """Comes at the end of the run, however it ends."""


class Run:
    """A run whose folder is locked; made by `open_run`.

    Attributes:
        folder: where its checkpoint and its records are.
        config: with `AUTO` settled as it was when the run began.
        history: rows of the iterations done.
        source: what is known of the data.
        note: what the learner has to say beside where it stands; "": nothing.
        seconds: since the iteration began.
    """

    note = ""

    def __init__(
        self, folder: Path, config: RunConfig, source: dict[str, Any], progress: Progress
    ) -> None:
        self.folder, self.source, self._progress = folder, source, progress
        self._checkpoint = read_checkpoint(folder)
        self.history = self._checkpoint.history if self._checkpoint else []
        self.config = self._checked(config)
        self._unit = Learner.unit
        self._iteration = len(self.history)
        self._start, self._cpu = time.perf_counter(), time.process_time()
        self._interrupted = False
        self._recorded = self._has_records()
        self._estimate = Estimate(self.history)
        make_folder(folder, error=ModelError)
        self.settle(self.config)

    def _checked(self, config: Any) -> Any:
        """The configuration, if the folder may go on with it. Raises ModelError."""
        path = self.folder / "plan.json"
        stored, earlier = None, {}
        if self._checkpoint is not None:
            stored, earlier = self._checkpoint.plan, self._checkpoint.source
        try:
            if path.exists():
                stored = json.loads(path.read_text(encoding="utf-8"))
            if stored is None:
                return config
            begun = type(config).from_json(stored)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError,
                SpecError) as error:
            raise ModelError(f"{path} is damaged ({error}); choose another folder") from None
        config = config.adopting(begun)
        different = config.differences(begun) + [
            f"{key}={earlier[key]}" for key, value in self.source.items()
            if key in earlier and earlier[key] != value
        ]
        if different:
            raise ModelError(
                f"{self.folder} holds a run with {', '.join(different)}; choose another folder, "
                "or the same settings to continue it"
            )
        return config

    def _has_records(self) -> bool:
        """Whether the records have all iterations: a kill may follow the last checkpoint."""
        try:
            return not self.history or len(read_history(self.folder, ())) == len(self.history)
        except ModelError:
            return False

    def settle(self, config: RunConfig) -> None:
        """Go on with this configuration, and remember it."""
        self.config = config
        text = json.dumps(config.to_json(), indent=2) + "\n"
        write_file(self.folder / "plan.json", text, error=ModelError, remedy=REMEDY)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do: all is learned, and the records show all of it."""
        return self._learned and self._recorded

    @property
    def _learned(self) -> bool:
        return self.config.finished(self.history)

    def line(self, text: str) -> None:
        """Say something that stays true."""
        self._progress.line(text)

    def progress(self, phase: str, done: int, of: int, items: str) -> None:
        """Tell how far a phase of the iteration is; comes as often as you like."""
        self._raise_interrupt()
        rate, left = self._estimate.look(
            phase, done, of, max(0, self.config.iterations - self._iteration)
        )
        self._progress.status(Status(
            self._unit, self._iteration, self.config.iterations, phase, done, of, items, rate,
            left, self.note,
        ))

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @property
    def cpu_seconds(self) -> float:
        """CPU time of this process since the iteration began."""
        return time.process_time() - self._cpu

    def check(self, name: str, value: float, step: int) -> float:
        """The value of a loss. Raises ModelError if it is not finite: learning has exploded."""
        if not math.isfinite(value):
            raise ModelError(
                f"{self.folder}: in step {step} of {self._unit} {self._iteration} the {name} is "
                f"{value}; {self._kept()}; train in another folder with a smaller learning rate"
            )
        return value

    def _kept(self) -> str:
        return f"{self._unit} {len(self.history)} is the last that was kept"

    def train(self, learner: Learner) -> None:
        """Do the iterations that are missing.

        Raises:
            ModelError: if the checkpoint is of another learner, or learning explodes.
            KeyboardInterrupt: with a message that says what is kept.
        """
        self._unit = learner.unit
        before = self._listen()
        try:
            if self._checkpoint is None:
                learner.start(self)
                self._keep(learner)
            else:
                restore(learner.state, self._checkpoint.state, self.folder / FILE_NAME)
                if not self._learned:
                    self.line(f"continuing after {self._unit} {len(self.history)} of "
                              f"{self.config.iterations}")
            records = Records(self.folder, self._unit, learner.curves, self.history)
            records.write(last=self._learned)
            self._recorded = True
            self._estimate = Estimate(self.history)
            while not self._learned:
                self._iterate(learner, records)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped after {self._unit} {len(self.history)} of {self.config.iterations}, "
                f"which is kept in {self.folder}; the same command continues"
            ) from None
        finally:
            learner.close()
            if before is not None:
                signal.signal(signal.SIGINT, before)

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

        before = signal.getsignal(signal.SIGINT)
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, handle)
        return before

    def _raise_interrupt(self) -> None:
        if self._interrupted:
            raise KeyboardInterrupt

    def _iterate(self, learner: Learner, records: Records) -> None:
        self._raise_interrupt()
        self._iteration = len(self.history) + 1
        self._start, self._cpu = time.perf_counter(), time.process_time()
        self._estimate.begin()
        row = {self._unit: self._iteration, **learner.iterate(self, self._iteration)}
        row.setdefault("wall_seconds", self.seconds)
        row.setdefault("cpu_seconds", self.cpu_seconds)
        self.history = [*self.history, row]
        self._keep(learner)
        records.add(row, last=self._learned)
        self._estimate.end()
        left = duration(self._estimate.left(self.config.iterations - self._iteration))
        first, *more = learner.lines(self, row)
        self.line(f"{self._unit} {self._iteration} of {self.config.iterations}: {first}; "
                  f"{duration(row['wall_seconds'])}, {left} left")
        for line in more:
            self.line(f"  {line}")

    def _keep(self, learner: Learner) -> None:
        """Write the checkpoint, unless learning has exploded."""
        arrays = captured(learner.state)
        if not all(np.isfinite(array).all() for array in arrays if array.dtype.kind == "f"):
            raise ModelError(
                f"{self.folder}: after {self._unit} {self._iteration} weights are not finite; "
                f"{self._unit} {self._iteration - 1} is the last that was kept; train in another "
                "folder with a smaller learning rate"
            )
        checkpoint = Checkpoint(self.config.to_json(), self.source, self.history, arrays)
        write_checkpoint(self.folder, checkpoint)


def about_training(
    method: str, config: Any, rows: Sequence[Mapping[str, float]], gpu: str | None,
    seconds: tuple[float, float], before: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the card of a network says of a run of self-play that made it.

    Args:
        rows: of the history, and that of this iteration as far as it is known.
        gpu: its name, if it learned on one.
        seconds: of this iteration: CPU, and wall clock.
        before: what the card of the network that the run began with says.
    """
    def total(name: str) -> float:
        return (before or {}).get(name, 0.0) + sum(row.get(name, 0.0) for row in rows)

    cpu, wall = seconds
    return {
        "method": method, "settings": config.to_json(), "seed": config.seed,
        "iterations": len(rows), "games": int(total("games")), "gpu": gpu,
        "cpu_seconds": round(total("cpu_seconds") + cpu, 1), "gpu_seconds": 0.0,
        "wall_seconds": round(total("wall_seconds") + wall, 1),
    }


@contextmanager
def open_run(
    folder: Path, config: RunConfig, *, within: str = "", source: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Iterator[Run]:
    """Lock a folder and open the run in it, new or begun.

    Args:
        folder: made if it is not there.
        config: what is to be done.
        within: the part of the folder for checkpoint and records; by default the folder itself.
        source: JSON values about the data; a run goes on only with the same ones.
        progress: hears how the run goes on.

    Raises:
        ModelError: if the folder holds a run of another configuration, or with other data, or a
            damaged one, or another process works in it.
    """
    with held(folder / ".lock", f"run {folder}", "training", "folder", ModelError):
        source = {**(source or {}), **_version_of_game(config)}
        yield Run(folder / within, config, source, progress or Progress())


def _version_of_game(config: RunConfig) -> dict[str, str]:
    """Of a game from outside, its version: a run goes on only with the same rules."""
    version = get_game(config.game).version if hasattr(config, "game") else ""
    return {"game_version": version} if version else {}
