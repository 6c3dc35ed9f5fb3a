"""A model's card: the description of a trained network, its training, and the cost. No Keras here.

`card.json` lies beside the network. Its checksums identify the files; its `training` part has the
cost (`cpu_seconds`, `gpu_seconds`) for reports on strength by training.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.errors import ForeignFileError, FormatError, ModelError
from dlgo.readers import check_format, read_json, reading
from dlgo.specs import check_number
from engines.learning.networks import catalog

FORMAT = "dlgo-model"
VERSION = 2
FILE_NAME = "card.json"
_COSTS = ("cpu_seconds", "gpu_seconds", "wall_seconds")
# Names that `play` may hold, and their bounds.
_PLAY = {"c_puct": (0.0, 100.0)}


@dataclass(frozen=True)
class Head:
    """A head of a network."""

    shape: tuple[int, ...]  # of the answer about one position
    activation: str = ""  # of its last layer
    meaning: str = ""


def head_of(name: str, shape: Iterable[int]) -> Head:
    """A head of the catalog."""
    kind = catalog.HEADS[name]
    return Head(tuple(shape), kind.activation, kind.meaning)


@dataclass(frozen=True)
class Card:
    """Facts about a trained network: what it plays, how it was made, and how good it is."""

    name: str  # what people call it
    game: str  # that it was trained on, as `get_game` reads it
    encoder: str  # of its planes, as `get_encoder` reads it
    network: str  # its architecture, as `build_network` reads it
    shape: tuple[int, int, int]  # rows, columns, planes of its input
    num_actions: int
    heads: dict[str, Head] = field(default_factory=dict)  # what it answers, by name
    network_id: str = ""  # digest of its weights; stored with each game it plays
    files: dict[str, str] = field(default_factory=dict)  # file name -> SHA-256
    # Method, data, settings, seed, epochs, cpu_seconds, gpu_seconds, wall_seconds.
    training: dict[str, Any] = field(default_factory=dict)
    accuracy: dict[str, Any] = field(default_factory=dict)  # by the data it was measured on
    # Settings of a search that suit the network better than what is usual, by games against
    # itself: `c_puct`. What a player names goes before.
    play: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)  # dlgo, Python, Keras; the machine
    created: str = ""  # ISO 8601, UTC

    def to_json(self) -> str:
        """The file's text."""
        fields = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(self)}
        return json.dumps(fields, indent=2) + "\n"

    def require(self, head: str, purpose: str) -> None:
        """Raise ModelError if the network does not have this head."""
        if head not in self.heads:
            raise ModelError(f"model {self.name} has no {head} head, {purpose}; its heads are "
                             f"{', '.join(self.heads)}")

    @property
    def training_cost(self) -> dict[str, float]:
        """CPU, GPU and wall seconds that training took."""
        return {name: float(self.training.get(name, 0.0)) for name in _COSTS}

    @property
    def total_cpu_seconds(self) -> float | None:
        """CPU seconds of training and of making the data; None if the card does not say."""
        if "cpu_seconds" not in self.training:
            return None
        data = self.training.get("data")
        data_seconds = data.get("cpu_seconds", 0.0) if isinstance(data, dict) else 0.0
        return float(self.training["cpu_seconds"]) + float(data_seconds)


def read_card(folder: Path) -> Card:
    """The card of a model folder. Raises ModelError if there is none or it is damaged, FileError if
    it is of another version or cannot be read."""
    path = folder / FILE_NAME
    with reading(path, "card of a model", error=ModelError, restore="copy the folder again",
                 other="name the folder of a model"):
        if path.exists():
            return _parsed(read_json(path, "it"))
    raise ModelError(f"{folder} is not a model: it has no {FILE_NAME}; `dlgo models` lists those "
                     "that come with the package")


def _parsed(fields: Any) -> Card:
    """The card. Raises FormatError or FileError with what is wrong with it."""
    if not isinstance(fields, dict):
        raise ForeignFileError("it is not a table")
    check_format(f"{fields.pop('format', None)} {fields.pop('version', None)}",
                 f"{FORMAT} {VERSION}")
    fields = {"play": {}, **fields}
    for item in dataclasses.fields(Card):
        kind = {"shape": list, "num_actions": int}.get(
            item.name, str if item.type == "str" else dict)
        if not isinstance(fields.get(item.name), kind):
            raise FormatError(f"{item.name} is missing or not a {kind.__name__}")
    if len(fields["shape"]) != 3 or not _is_shape(fields["shape"]):
        raise FormatError(f"shape {fields['shape']} is not rows, columns, planes")
    for name, head in fields["heads"].items():
        if not isinstance(head, dict) or not _is_shape(head.get("shape")):
            raise FormatError(f"head {name} has no shape")
    data = fields["training"].get("data", {})
    measures = {"data": data, **fields["accuracy"]}
    if not all(isinstance(part, dict) for part in measures.values()):
        raise FormatError("training.data and the parts of accuracy must be tables")
    measures["data"], measures["training"] = (
        {name: part[name] for name in _COSTS if name in part} for part in (data, fields["training"])
    )
    for part, values in measures.items():
        for name, value in values.items():
            check_number(value, f"{part}.{name}", error=FormatError)
    for name, value in fields["play"].items():
        if name not in _PLAY:
            raise FormatError(f"play.{name} is unknown; known are {', '.join(_PLAY)}")
        check_number(value, f"play.{name}", low=_PLAY[name][0], high=_PLAY[name][1],
                     error=FormatError)
    return Card(**{item.name: fields[item.name] for item in dataclasses.fields(Card)} | {
        "shape": tuple(fields["shape"]),
        "heads": {name: Head(tuple(head["shape"]), str(head.get("activation")),
                             str(head.get("meaning"))) for name, head in fields["heads"].items()},
    })


def _is_shape(sides: Any) -> bool:
    return isinstance(sides, list) and all(isinstance(side, int) and side > 0 for side in sides)
