"""Runs of training as portions of work: each run whole, several at the same time, anywhere.

A run is done in a folder that is made for it, and its files travel back when it has ended. One that
has begun in its own folder goes on from there. So what is lost with a machine is a run's work, and
another machine does it again.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlgo.files import make_folder
from engines.jobs import Amount, Jobs, Portion
from engines.learners import learner_class
from engines.learning.data import Dataset
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.supervised.config import SupervisedConfig
from experiments.cluster import parcels

# How the folders are called in which runs are done.
_PREFIX = "dlgo-run-"


@dataclass(frozen=True)
class WholeRun:
    """A run of training that others may do.

    Attributes:
        folder: where it belongs.
        train: called with `arguments`, `needs` and a folder of the same name; at the top level
            of a module.
        arguments: can be pickled.
        needs: files and folders that it reads.
    """

    folder: Path
    train: Callable[..., Any]
    arguments: tuple[Any, ...]
    needs: tuple[Path, ...] = ()


def do_run(
    train: Callable[..., Any], name: str, begun: bool, arguments: tuple[Any, ...], *needs: Path
) -> Generator[Amount, None, bytes]:
    """Do a run: a parcel of its folder.

    Args:
        name: of the folder. begun: whether the first of `needs` is the run so far.
    """
    place = parcels.own_folder(_PREFIX)
    try:
        folder = place / name
        if begun:
            shutil.copytree(needs[0], folder)
        train(*arguments, *needs[begun:], folder)
        yield Amount(1)
        return parcels.pack([folder])
    finally:
        shutil.rmtree(place, ignore_errors=True)


def do_runs(jobs: Jobs, runs: Iterable[WholeRun], say: Callable[[str], None]) -> None:
    """Do runs, and put each into its folder as soon as it has ended.

    Args:
        jobs: who does them.
        say: told of each that has ended.

    Raises:
        DlgoError: as `Jobs.run`; runs that have ended are kept.
    """
    asked = {str(run.folder): run for run in runs}
    portions = []
    for key, run in asked.items():
        begun = run.folder.exists()
        needs = (run.folder, *run.needs) if begun else run.needs
        arguments = (run.train, run.folder.name, begun, run.arguments)
        portions.append(Portion(key, do_run, arguments, needs))
    with closing(jobs.run(portions)) as outcomes:
        for number, outcome in enumerate(outcomes, 1):
            folder = asked[outcome.portion.key].folder
            make_folder(folder.parent)
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as place:
                parcels.unpack(outcome.value, Path(place))
                shutil.rmtree(folder, ignore_errors=True)
                Path(place, folder.name).rename(folder)
            by = f" by {outcome.worker}" if outcome.worker else ""
            say(f"{folder.name}: trained{by}, {number} of {len(portions)}")


# What is called elsewhere stands here: a script that is run is called __main__, and on other
# machines that is another program.


def train_learner(learner: str, config: ReinforcementConfig, folder: Path) -> None:
    """Train a learner without search in a folder, or go on there."""
    from engines.learning.reinforcement.learner import train

    train(learner_class(learner), config, folder)


def train_supervised(config: SupervisedConfig, data: Path, folder: Path) -> None:
    """Train on a folder of games in a folder, or go on there."""
    from engines.supervised.trainer import train

    train(config, Dataset.open(data), folder)
