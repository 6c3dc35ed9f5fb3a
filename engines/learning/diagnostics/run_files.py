"""The readable files of a run. An unreadable file is a finding, not an error: users also want to
examine runs that were killed, or copied in part.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dlgo.errors import DataError, FileError, ModelError
from dlgo.readers import read_json, reading
from engines.learning.diagnostics.findings import ILL, WATCH, Diagnosis, Finding
from engines.learning.networks.card import FILE_NAME as CARD
from engines.learning.runs.checkpoint import FILE_NAME as CHECKPOINT
from engines.learning.runs.checkpoint import Checkpoint, read_checkpoint
from engines.learning.runs.records import read_history
from engines.learning.settings import RunConfig

PLAN = "plan.json"


@contextlib.contextmanager
def readable(diagnosis: Diagnosis, name: str) -> Iterator[None]:
    """Make a finding, called `name`, of a file that cannot be read within the block."""
    try:
        yield
    except (DataError, FileError, ModelError) as error:
        diagnosis.add(Finding(name, ILL, str(error)))


def _check_run(folder: Path) -> None:
    """Raise ModelError, which says what is there instead, unless a folder may hold a run that plays
    its own games."""
    remedy = "name the folder of a run of `dlgo train` that plays its own games"
    if not folder.exists():
        raise ModelError(f"{folder} does not exist; {remedy}")
    if not folder.is_dir():
        raise ModelError(f"{folder} is a file; {remedy}")
    if (folder / "training" / "plan.json").exists():
        raise ModelError(f"{folder} holds a run of `dlgo train supervised`, which plays no games; "
                         "its training/history.csv and training/curves.png show how it learned")
    if (folder / CARD).exists():
        raise ModelError(f"{folder} holds a model, not a run; {remedy}")
    if not any((folder / name).exists() for name in (PLAN, CHECKPOINT)):
        raise ModelError(f"{folder} holds no run: it has no {PLAN}; {remedy}")


def plan_of(folder: Path) -> dict[str, Any]:
    """The settings of a run as JSON, from the checkpoint or else from plan.json; {} if unknown.
    Raises ModelError if the folder holds none."""
    _check_run(folder)
    checkpoint = _checkpoint(folder, Diagnosis(""))
    if checkpoint is not None:
        return checkpoint.plan
    try:
        plan = read_json(folder / PLAN)
    except ValueError:
        return {}
    return plan if isinstance(plan, dict) else {}


def read_run(
    folder: Path, kind: type[RunConfig], columns: Sequence[str], command: str
) -> tuple[Any, Diagnosis]:
    """The configuration (of class `kind`) of a run, and a diagnosis with its history.

    The checkpoint has both; where it is missing or damaged, plan.json and history.csv have, with
    these columns in each row. What cannot be read is a finding. `command` writes such runs. Raises
    ModelError if there is no run in the folder.
    """
    diagnosis = Diagnosis(str(folder))
    checkpoint = _checkpoint(folder, diagnosis)
    with reading(folder / PLAN, f"plan of a run of `{command}`", error=ModelError,
                 other="name a folder that this command wrote"):
        config = kind.from_json(plan_of(folder))
    if checkpoint is not None:
        diagnosis.history = checkpoint.history
    elif (folder / "history.csv").exists():
        with readable(diagnosis, "history"):
            diagnosis.history = read_history(folder, columns)
    if not diagnosis.history:
        diagnosis.add(Finding(
            "iterations", WATCH, "none is finished, so there is nothing to examine; "
            "the training command continues it"))
    return config, diagnosis


def _checkpoint(folder: Path, diagnosis: Diagnosis) -> Checkpoint | None:
    with readable(diagnosis, "checkpoint"):
        return read_checkpoint(folder)
    return None
