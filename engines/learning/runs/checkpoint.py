"""The state of a run after an iteration: written whole or not at all, read without code.

One .npz file of plain arrays: the parts of the learner's state, and the configuration and the
history as JSON.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import ForeignFileError, ModelError
from dlgo.files import write_file
from dlgo.readers import check_archive, check_format, read_json, reading

FILE_NAME = "checkpoint.npz"
# If a file of a run cannot be written.
REMEDY = "make room or allow writing, and run the same command again: it continues"
_FORMAT = 1  # the format's version


@dataclass(frozen=True)
class Checkpoint:
    """A run between two iterations.

    Attributes:
        plan: the configuration. source: the data, to refuse going on with others.
        history: a row for each iteration done.
        state: the parts of the learner's state, as `captured` gives them.
    """

    plan: dict[str, Any]
    source: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)
    state: list[np.ndarray] = field(default_factory=list)


def captured(state: Sequence[Any]) -> list[np.ndarray]:
    """Copies of the parts of a state (Keras variables, NumPy arrays or generators) as arrays."""
    return [
        np.array(json.dumps(part.bit_generator.state)) if isinstance(part, np.random.Generator)
        else np.asarray(part).copy() for part in state
    ]


def restore(state: Sequence[Any], arrays: Sequence[np.ndarray], path: Path) -> None:
    """Set the parts of a state to what `captured` gave. Raises ModelError if the arrays are of
    another network."""
    shapes = [getattr(part, "shape", ()) for part in state]
    if [tuple(shape) for shape in shapes] != [array.shape for array in arrays]:
        raise ModelError(
            f"{path} belongs to another network or version of Keras; train in another folder"
        )
    for part, array in zip(state, arrays, strict=True):
        if isinstance(part, np.random.Generator):
            part.bit_generator.state = read_json(str(array))
        elif isinstance(part, np.ndarray):
            part[...] = array
        else:
            part.assign(array)


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Replace the folder's checkpoint by this one."""
    notes = dataclasses.asdict(dataclasses.replace(checkpoint, state=[]))
    del notes["state"]
    notes |= {"epoch": len(checkpoint.history), "format": _FORMAT}
    arrays: dict[str, Any] = {f"state{i}": array for i, array in enumerate(checkpoint.state)}
    buffer = io.BytesIO()
    np.savez(buffer, notes=np.array(json.dumps(notes)), **arrays)
    write_file(folder / FILE_NAME, buffer.getvalue(), error=ModelError, remedy=REMEDY)


def read_checkpoint(folder: Path) -> Checkpoint | None:
    """The folder's checkpoint, or None if there is none. Raises ModelError if the file is damaged,
    FileError if it cannot be used for another reason."""
    path, elsewhere = folder / FILE_NAME, "train in another folder"
    with reading(path, "checkpoint", error=ModelError, other=elsewhere,
                 restore=f"restore it from a copy, or {elsewhere}"):
        if not path.exists():
            return None
        check_archive(path)
        with np.load(path, allow_pickle=False) as arrays:
            if "notes" not in arrays.files:
                raise ForeignFileError("it has no array 'notes'")
            notes = read_json(str(arrays["notes"]), "its array 'notes'")
            check_format(f"checkpoint {notes['format']}", f"checkpoint {_FORMAT}")
            state = [arrays[f"state{i}"] for i in range(len(arrays.files) - 1)]
        if notes["epoch"] != len(notes["history"]):
            raise ValueError("its history is not complete")
        return Checkpoint(notes["plan"], notes["source"], notes["history"], state)
