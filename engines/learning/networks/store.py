"""Trained networks on disk: a folder with card.json, network.keras and network.onnx.

`network.onnx` is for playing, `network.keras` for training on. Files are written under
temporary names and renamed, the card last. Reading runs no code from a file: ONNX holds none,
Keras files are opened in safe mode, and checksums in the card are compared first.

`find_model` takes a path or the name of a model that comes with the package, in
`engines/models`. Called by `evaluators.py`, `training.py` and the command line.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import dlgo
from dlgo.errors import ModelError
from dlgo.files import write_file
from dlgo.specs import suggest
from engines.learning.networks.card import FILE_NAME, Card, read_card

SHIPPED = Path(__file__).resolve().parents[2] / "models"
KERAS_FILE, ONNX_FILE = "network.keras", "network.onnx"
# Keras and ONNX Runtime must agree so well, absolutely or relatively.
TOLERANCE = 1e-4


def shipped_models() -> list[str]:
    """Names of the models that come with the package."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{FILE_NAME}"))


def find_model(name: str) -> Path:
    """The folder of a model, by path or by the name of a shipped one.

    Raises:
        ModelError: if there is no such model; the message lists those there are.
    """
    if os.sep not in name and (SHIPPED / name / FILE_NAME).is_file():
        return SHIPPED / name
    folder = Path(name)
    if folder.is_dir():
        return folder
    names = shipped_models()
    known = f"models are {', '.join(names)}" if names else "no model comes with the package"
    raise ModelError(
        f"unknown model {name!r}{suggest(name, names)}; {known}; or give the path of a folder"
    )


def load_card(name: str) -> tuple[Path, Card]:
    """Folder and card of a model. Raises ModelError as `find_model` and `read_card` do."""
    folder = find_model(name)
    return folder, read_card(folder)


def read_file(folder: Path, card: Card, name: str) -> bytes:
    """The bytes of one of a model's files.

    Raises:
        ModelError: if it is missing, or not the file that the card describes.
    """
    path = folder / name
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"model {folder} has no {name}; copy the whole folder") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != card.files.get(name):
        raise ModelError(
            f"{path} is not the file its card describes (checksum differs): it is damaged or "
            "of another model; copy the folder again"
        )
    return content


def weights_digest(weights: list[np.ndarray]) -> str:
    """Identity of a network: a digest of its weights in their order, shapes included."""
    digest = hashlib.sha256()
    for weight in weights:
        array = np.ascontiguousarray(weight)
        digest.update(f"{array.dtype} {array.shape};".encode())
        digest.update(array.tobytes())
    return f"sha256:{digest.hexdigest()[:32]}"


def save_model(folder: Path, model: Any, card: Card) -> Card:
    """Write a Keras model and its card; the ONNX file is checked against it.

    Args:
        folder: made if it is not there; files of a model in it are replaced.
        model: float32 throughout, as `build_network` makes it.
        card: id, checksums, versions and date are filled in.

    Returns:
        The card as it was written.

    Raises:
        ModelError: if ONNX Runtime does not agree with Keras to `TOLERANCE`.
    """
    from engines.learning.networks.backend import backend_name, export_onnx, keras

    folder.mkdir(parents=True, exist_ok=True)
    spares = {
        name: folder / f".{os.getpid()}.{name}" for name in (KERAS_FILE, ONNX_FILE)
    }
    try:
        model.save(spares[KERAS_FILE])
        export_onnx(model, str(spares[ONNX_FILE]))
        check_agreement(model, spares[ONNX_FILE].read_bytes(), card)
        files = {
            name: hashlib.sha256(spare.read_bytes()).hexdigest()
            for name, spare in spares.items()
        }
        for name, spare in spares.items():
            spare.replace(folder / name)
    finally:
        for spare in spares.values():
            spare.unlink(missing_ok=True)
    card = dataclasses.replace(
        card, network_id=weights_digest(model.get_weights()), files=files,
        versions={
            "dlgo": dlgo.__version__, "python": platform.python_version(),
            "keras": keras.__version__, "backend": backend_name(),
            "machine": f"{sys.platform} {platform.machine()}, {os.cpu_count()} cores",
        },
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_file(folder / FILE_NAME, card.to_json())
    return card


def check_agreement(model: Any, onnx_bytes: bytes, card: Card) -> None:
    """Ask Keras and ONNX Runtime about the same made-up planes.

    Raises:
        ModelError: if their answers differ by more than `TOLERANCE`.
    """
    import onnxruntime as ort

    planes = np.random.default_rng(0).integers(0, 2, (5, *card.shape)).astype(np.float32)
    wanted = model(planes, training=False)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # what matters is raised
    session = ort.InferenceSession(onnx_bytes, options, providers=["CPUExecutionProvider"])
    heads = ["policy", "value"] if card.value_head else ["policy"]
    answers = session.run(heads, {session.get_inputs()[0].name: planes})
    for name, answer in zip(heads, answers, strict=True):
        expected = np.asarray(wanted[name], np.float32)
        error = np.max(np.abs(expected - answer) / np.maximum(1, np.abs(expected)))
        if not error <= TOLERANCE:
            raise ModelError(
                f"the exported network is not the trained one: its {name} is off by {error:.2g}, "
                f"more than {TOLERANCE:g}; try other versions of tf2onnx or onnxruntime"
            )
