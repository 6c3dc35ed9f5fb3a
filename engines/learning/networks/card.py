"""A model's card: what a trained network is, what made it, and what that cost. No Keras here.

`card.json` lies beside the network. Its checksums say which files belong to it; its
`training` part has the cost (`cpu_seconds`, `gpu_seconds`) for reports on strength per
training. Called by `store.py`.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.errors import ModelError

FORMAT = "dlgo-model"
VERSION = 1
FILE_NAME = "card.json"


@dataclass(frozen=True)
class Card:
    """What is known of a network.

    Attributes:
        name: what people call it.
        game: the game it was trained on, as `get_game` reads it.
        encoder: what its planes are, as `get_encoder` reads it.
        network: its architecture, as `build_network` reads it.
        value_head: whether it has one.
        shape: rows, columns, planes of its input.
        num_actions: length of its policy.
        network_id: digest of its weights; stored with each game it plays.
        files: file name -> SHA-256.
        training: method, data, settings, seed, epochs, cpu_seconds, gpu_seconds, wall_seconds.
        accuracy: what it reached, by the part of the data it was measured on.
        versions: of dlgo, Python, Keras and its backend; the machine.
        created: date and time, ISO 8601, UTC.
    """

    name: str
    game: str
    encoder: str
    network: str
    value_head: bool
    shape: tuple[int, int, int]
    num_actions: int
    network_id: str = ""
    files: dict[str, str] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    accuracy: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    created: str = ""

    def to_json(self) -> str:
        """The file's text."""
        fields = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(self)}
        return json.dumps(fields, indent=2) + "\n"

    @property
    def training_cost(self) -> dict[str, float]:
        """CPU, GPU and wall seconds that training took."""
        return {
            name: float(self.training.get(name, 0.0))
            for name in ("cpu_seconds", "gpu_seconds", "wall_seconds")
        }

    @property
    def total_cpu_seconds(self) -> float | None:
        """CPU seconds of training and of making the data; None if the card does not say."""
        if "cpu_seconds" not in self.training:
            return None
        data = self.training.get("data")
        made = data.get("cpu_seconds", 0.0) if isinstance(data, dict) else 0.0
        return float(self.training["cpu_seconds"]) + float(made)


_TYPES = {
    "name": str, "game": str, "encoder": str, "network": str, "value_head": bool, "shape": list,
    "num_actions": int, "network_id": str, "files": dict, "training": dict, "accuracy": dict,
    "versions": dict, "created": str,
}


def read_card(folder: Path) -> Card:
    """The card of a model folder.

    Raises:
        ModelError: if there is none, or it is no card, or one of another format.
    """
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ModelError(f"{folder} is no model: it has no {FILE_NAME}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from None
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise ModelError(f"{path} is not JSON (line {error.lineno}): {error.msg}") from None
    if not isinstance(fields, dict) or fields.pop("format", None) != FORMAT:
        raise ModelError(f"{path} is not the card of a model of this project")
    version = fields.pop("version", None)
    if version != VERSION:
        raise ModelError(
            f"{path} has version {version} of the card's format, this program reads {VERSION}"
        )
    for name, kind in _TYPES.items():
        if not isinstance(fields.get(name), kind):
            raise ModelError(f"{path}: {name} is missing or no {kind.__name__}")
    shape = fields["shape"]
    if len(shape) != 3 or not all(isinstance(side, int) and side > 0 for side in shape):
        raise ModelError(f"{path}: shape {shape} is not rows, columns, planes")
    known = {name: fields[name] for name in _TYPES}
    return Card(**{**known, "shape": tuple(shape)})
