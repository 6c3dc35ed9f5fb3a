"""The state of a training run after an epoch: written whole or not at all, read without code.

One .npz file of plain arrays: the variables of network and optimiser in Keras's order, the
best weights so far, and the settings and history as JSON. Called by `training.py`.
"""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import ModelError
from dlgo.files import write_file

_FILE = "checkpoint.npz"
_FORMAT = 1


@dataclass
class Checkpoint:
    """A training run between two epochs.

    Attributes:
        plan, source: settings and data, to refuse going on with others.
        epoch: epochs done. history: their rows of history.csv.
        best_epoch, best_loss, best: the epoch of the lowest held-out loss, and its weights.
        state: all variables of network and optimiser.
        stopped: whether it ended before its last epoch, for want of progress.
    """

    plan: dict[str, Any]
    source: dict[str, Any]
    epoch: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = 0
    best_loss: float | None = None
    stopped: bool = False
    best: list[np.ndarray] = field(default_factory=list)
    state: list[np.ndarray] = field(default_factory=list)

    @classmethod
    def new(cls, plan: dict[str, Any], source: dict[str, Any]) -> Checkpoint:
        """Before the first epoch."""
        return cls(plan, source)

    def restore(self, variables: list[Any], folder: Path) -> None:
        """Set variables to the state. Raises ModelError if they are of another network."""
        shapes = [tuple(variable.shape) for variable in variables]
        if shapes != [array.shape for array in self.state]:
            raise ModelError(
                f"{folder / _FILE} is of another network or version of Keras; "
                "train in another folder"
            )
        for variable, array in zip(variables, self.state, strict=True):
            variable.assign(array)


_JSON_FIELDS = [
    f.name for f in dataclasses.fields(Checkpoint) if f.name not in ("best", "state")
]


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Replace the folder's checkpoint by this one."""
    folder.mkdir(parents=True, exist_ok=True)
    notes = {name: getattr(checkpoint, name) for name in _JSON_FIELDS} | {"format": _FORMAT}
    arrays = {"notes": np.array(json.dumps(notes))}
    for kind in ("best", "state"):
        for i, array in enumerate(getattr(checkpoint, kind)):
            arrays[f"{kind}{i}"] = array
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    write_file(folder / _FILE, buffer.getvalue())


def read_checkpoint(folder: Path) -> Checkpoint | None:
    """The folder's checkpoint, or None if there is none.

    Raises:
        ModelError: if the file is damaged or something else.
    """
    path = folder / _FILE
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            notes = json.loads(str(arrays["notes"]))
            lists = {
                kind: [arrays[f"{kind}{i}"] for i in range(
                    sum(name.removeprefix(kind).isdigit() for name in arrays.files)
                )] for kind in ("best", "state")
            }
        if notes.pop("format") != _FORMAT:
            raise ValueError("another format")
        return Checkpoint(**notes, **lists)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"{path} is no checkpoint, or a damaged one ({error}); delete it to start anew"
        ) from None
