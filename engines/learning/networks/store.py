"""Trained networks on disk: a folder with card.json, network.keras and network.onnx.

`network.onnx` is for playing, `network.keras` for more training; `saving.py` writes them. Some have
`network-int8.onnx` (`quantization.py`) or `network-dense.npz` (`dense.py`), for faster play.
Reading runs no code from a file: ONNX and NumPy's hold none, Keras files are opened in safe mode,
and checksums in the card are compared first.

`find_model` takes a path or the name of a model that comes with the package, in
`engines/models`. The folder of a training run means the network that the run plays with.
"""

from __future__ import annotations

import dataclasses
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from dlgo.digests import hex_digest
from dlgo.errors import ModelError, UnreadableError, system_reason
from dlgo.files import write_file
from dlgo.specs import suggest
from dlgo.system import machine
from dlgo.text import number_of
from dlgo.version import __version__
from engines.learning.networks.card import FILE_NAME, Card, read_card
from engines.learning.runs.records import read_history

SHIPPED = Path(__file__).resolve().parents[2] / "models"
# Packages that writing a network needs, beside a backend of Keras.
TRAINING_MODULES = ("keras", "onnx")
KERAS_FILE, ONNX_FILE, INT8_FILE = "network.keras", "network.onnx", "network-int8.onnx"
DENSE_FILE = "network-dense.npz"
REMEDY = "make room, or name another folder"


def shipped_models() -> list[str]:
    """Names of the models that come with the package."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{FILE_NAME}"))


def find_model(name: str) -> Path:
    """The folder of a model, by path or by the name of a shipped one; for the folder of a run see
    `network_of_run`. Raises ModelError if there is none."""
    if os.sep not in name and (SHIPPED / name / FILE_NAME).is_file():
        return SHIPPED / name
    folder = Path(name)
    if (folder / "nets").is_dir() and not (folder / FILE_NAME).is_file():
        return network_of_run(folder)
    if folder.is_dir():
        return folder
    raise ModelError(f"unknown model {name!r}{suggest(name, shipped_models())}; `dlgo models` "
                     "lists the shipped models. You can also give a folder")


def network_of_run(run: Path) -> Path:
    """The folder of the network that a run plays with: its last one, or the last promoted. Raises
    ModelError if it has none yet."""
    history = read_history(run, ("iteration",)) if (run / "history.csv").is_file() else []
    rejected = {int(row["iteration"]) for row in history if not row.get("promoted", 1.0)}
    networks = {
        int(path.parent.name): path.parent
        for path in (run / "nets").glob(f"[0-9]*/{FILE_NAME}") if path.parent.name.isdecimal()
    }
    done = int(max((row["iteration"] for row in history), default=0))
    accepted = [number for number in networks if number <= done and number not in rejected]
    if not accepted:
        raise ModelError(f"{run} holds no network yet; wait for the end of the first iteration")
    return networks[max(accepted)]


def network_folder(folder: Path, iteration: int) -> Path:
    """Where a run saves the network after an iteration; 0: before the first one."""
    return folder / "nets" / f"{iteration:04d}"


def load_card(name: str) -> tuple[Path, Card]:
    """Folder and card of a model. Raises ModelError as `find_model` and `read_card` do."""
    folder = find_model(name)
    return folder, read_card(folder)


def read_file(folder: Path, card: Card, name: str) -> bytes:
    """The bytes of one of a model's files. Raises ModelError if it is missing, or differs from the
    file that the card describes; UnreadableError if the system does not give it."""
    path = folder / name
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        remedy = "copy the whole folder"
        if SHIPPED in folder.parents:
            remedy = ("an installed package has what playing needs; training and other runtimes "
                      "need the model's folder of a source checkout")
        raise ModelError(f"model {folder} has no {name}; {remedy}") from None
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {system_reason(error)}") from None
    if hex_digest(content, 64) != card.files.get(name):
        raise ModelError(
            f"{path} is not the file its card describes (checksum differs): it is damaged or "
            "of another model; copy the folder again"
        )
    return content


def check_files(folder: Path, card: Card) -> None:
    """Raise ModelError if the file that a model plays with is missing, or one that is there is not
    the file that the card describes."""
    playing = next(
        (name for name in (DENSE_FILE, ONNX_FILE, *card.files) if name in card.files), None)
    for name in card.files:
        if name == playing or (folder / name).exists():
            read_file(folder, card, name)


def weights_digest(weights: list[np.ndarray]) -> str:
    """Identity of a network: a digest of its weights in their order, shapes included."""
    digest = hex_digest(f"{array.dtype} {array.shape};".encode() + array.tobytes()
                        for array in map(np.ascontiguousarray, weights))
    return f"sha256:{digest}"


def write_card(
    folder: Path, card: Card, network_id: str, files: dict[str, str], **versions: str
) -> Card:
    """Write the card of a model whose `files` (name -> SHA-256) are in the folder; versions and
    date are filled in. Raises ModelError if it cannot be written."""
    card = dataclasses.replace(
        card, network_id=network_id, files=files,
        versions={
            "dlgo": __version__, "python": platform.python_version(), **versions,
            "machine": f"{machine.system()}, {number_of(os.cpu_count() or 1, 'core')}",
        },
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_file(folder / FILE_NAME, card.to_json(), error=ModelError, remedy=REMEDY)
    return card
