"""What a run has written, as far as it can be read. What cannot be read is a finding, not an error:
a run that was killed, or copied in part, is one that somebody wants examined.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dlgo.errors import DataError, ModelError
from engines.learning.diagnostics.findings import ILL, WATCH, Diagnosis, Finding
from engines.learning.run_config import RunConfig
from engines.learning.runs.checkpoint import Checkpoint, read_checkpoint
from engines.learning.runs.records import read_history

_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


@contextlib.contextmanager
def readable(diagnosis: Diagnosis, what: str) -> Iterator[None]:
    """Make a finding, called `what`, of a file that cannot be read within the block."""
    try:
        yield
    except (DataError, ModelError) as error:
        diagnosis.findings.append(Finding(what, ILL, str(error)))


def plan_of(folder: Path) -> dict[str, Any]:
    """The settings of a run as JSON, from plan.json or else from the checkpoint; {} if unknown."""
    with contextlib.suppress(*_DAMAGED):
        plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
        if isinstance(plan, dict):
            return plan
    checkpoint = _checkpoint(folder, Diagnosis(""))
    return checkpoint.plan if checkpoint is not None else {}


def read_run(
    folder: Path, kind: type[RunConfig], columns: Sequence[str], command: str
) -> tuple[Any, Diagnosis]:
    """The configuration of a run, and a diagnosis with its history and what cannot be read.

    Args:
        kind: the class of the configuration.
        columns: that each row of the history must have.
        command: that writes such runs.

    Raises:
        ModelError: if there is no run in the folder.
    """
    diagnosis = Diagnosis(str(folder))
    checkpoint = _checkpoint(folder, diagnosis)
    path, config = folder / "plan.json", None
    try:
        config = kind.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        problem = (
            f"{folder} holds no run (it has no plan.json); name a folder that `{command}` wrote")
    except _DAMAGED as error:
        problem = f"{path} cannot be read: {error}; name another folder"
    if config is None:
        try:
            config = kind.from_json(checkpoint.plan)  # type: ignore[union-attr]
        except _DAMAGED:
            raise ModelError(problem) from None
        diagnosis.findings.append(Finding(
            "plan", ILL, f"{path} is missing or damaged; the settings are those of the checkpoint"))
    _read_history(diagnosis, folder, checkpoint, columns)
    if not diagnosis.history:
        diagnosis.findings.append(Finding(
            "iterations", WATCH, "none is finished, so there is nothing to examine; "
            "the command that trains goes on with it"))
    return config, diagnosis


def _checkpoint(folder: Path, diagnosis: Diagnosis) -> Checkpoint | None:
    with readable(diagnosis, "checkpoint"):
        return read_checkpoint(folder)
    return None


def _read_history(
    diagnosis: Diagnosis, folder: Path, checkpoint: Checkpoint | None, columns: Sequence[str]
) -> None:
    """The rows of history.csv, or those of the checkpoint if there are more."""
    kept, path = checkpoint.history if checkpoint is not None else [], folder / "history.csv"
    try:
        if path.exists():
            diagnosis.history = read_history(folder, columns)
    except ModelError as error:
        if not kept:
            diagnosis.findings.append(Finding("history", ILL, str(error)))
    if len(kept) > len(diagnosis.history):
        diagnosis.history = kept
        diagnosis.findings.append(Finding(
            "history", WATCH, f"{path} is missing, damaged or not complete; the rows are those of "
            "the checkpoint"))
