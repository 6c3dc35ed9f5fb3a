"""The readable files of a run. An unreadable file is a finding, not an error: users also want to
examine runs that were killed, or copied in part.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dlgo.errors import DataError, FileError, ModelError
from dlgo.readers import read_json
from engines.learning.diagnostics.findings import ILL, WATCH, Diagnosis, Finding
from engines.learning.runs.checkpoint import Checkpoint, read_checkpoint
from engines.learning.runs.records import read_history
from engines.learning.settings import RunConfig


@contextlib.contextmanager
def readable(diagnosis: Diagnosis, name: str) -> Iterator[None]:
    """Make a finding, called `name`, of a file that cannot be read within the block."""
    try:
        yield
    except (DataError, FileError, ModelError) as error:
        diagnosis.add(Finding(name, ILL, str(error)))


def plan_of(folder: Path) -> dict[str, Any]:
    """The settings of a run as JSON, from the checkpoint or else from plan.json; {} if unknown."""
    checkpoint = _checkpoint(folder, Diagnosis(""))
    if checkpoint is not None:
        return checkpoint.plan
    try:
        plan = read_json(folder / "plan.json")
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
    try:
        config = kind.from_json(plan_of(folder))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{folder} holds no run that can be read (its plan.json is missing, "
                         "damaged or of another command); name a folder that "
                         f"`{command}` wrote") from None
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
