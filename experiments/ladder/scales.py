"""The scales: what the files in `scales/` say, and which one a game has.

A file is never changed, since ratings on it are cited; its digest is part of a citation. What an
anchor plays must not change either: the file has the networks of anchors by digest, and the digest
of one game of each anchor, which the tests play again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.digests import hex_digest
from dlgo.errors import DlgoError
from dlgo.files import write_file
from dlgo.games import get_game
from dlgo.readers import check_format, read_json, reading
from dlgo.text import listing, number_of
from reports.scale import Scale

FOLDER = Path(__file__).with_name("scales")
_FORMAT = "dlgo scale 1"


@dataclass(frozen=True)
class GameScale:
    """A scale of a game.

    Attributes:
        name: as it is cited, such as connect4-2026.12.
        game: canonical specification.
        cpu_ms: (anchors,) CPU milliseconds a move, the mean of the games that made the scale.
        networks: anchor -> digest of its network.
        seed: of the games among the anchors.
        samples: slot of a game among the anchors -> digest of its moves.
        made: how the scale was made: command, date, machine, version.
        digest: of the file.
    """

    name: str
    game: str
    scale: Scale
    cpu_ms: tuple[float, ...]
    networks: Mapping[str, str]
    seed: int
    samples: Mapping[str, str]
    made: Mapping[str, str]
    digest: str = ""

    def check_network(self, anchor: str, network: str | None) -> None:
        """Raise DlgoError if an anchor plays with another network than on the scale."""
        known = self.networks.get(anchor)
        if network != known:
            raise DlgoError(f"anchor {anchor} plays with network {network}, and {self.name} has "
                            f"{known}; use the version of dlgo that the scale belongs to")

    def write(self, folder: Path = FOLDER) -> Path:
        """Write the file. Raises DlgoError if there is one of this name."""
        path = folder / f"{self.name}.json"
        if path.exists():
            raise DlgoError(f"scale {self.name} exists and is never changed; use another version")
        values = {
            "format": _FORMAT, "game": self.game, "made": self.made, "seed": self.seed,
            "anchors": [[*row, *([self.networks[row[0]]] if row[0] in self.networks else [])]
                        for row in self.anchors()],
            "first_move": self.scale.first_move, "draws": self.scale.draws,
            "games": self.scale.counts, "samples": self.samples,
        }
        lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
        return write_file(path, "{\n" + ",\n".join(lines) + "\n}\n")

    def anchors(self) -> Iterator[tuple[str, float, float]]:
        """Name, Elo and CPU milliseconds a move of each anchor, the weakest first."""
        return zip(self.scale.anchors, self.scale.elo, self.cpu_ms, strict=True)

    def lines(self) -> Iterator[str]:
        """The anchors as a table, the strongest first, with the step to the one below."""
        games = sum(map(sum, (row[2:] for row in self.scale.counts)))
        yield (f"{self.name}, digest {self.digest}: {len(self.scale.anchors)} anchors, "
               f"{number_of(games, 'different game')}")
        steps = np.diff(self.scale.elo, prepend=self.scale.elo[0])
        for name, elo, step in [*zip(self.scale.anchors, self.scale.elo, steps, strict=True)][::-1]:
            yield f"{elo:z7.0f} {step:+z6.0f}  {name}"

    def row(self) -> tuple[str, ...]:
        """The scale in a line of a table."""
        elo, games = self.scale.elo, sum(sum(row[2:]) for row in self.scale.counts)
        return (f"`{self.name}`", str(len(elo)), f"{elo[0]:z.0f} to {elo[-1]:z.0f}",
                f"{np.diff(elo).max():.0f}", f"{games:,}", f"`{self.digest[:8]}`")

    @classmethod
    def read(cls, path: Path) -> GameScale:
        """The scale in a file. Raises DlgoError."""
        with reading(path, "scale"):
            data: dict[str, Any] = read_json(path)
            check_format(data["format"], _FORMAT)
            names, elo, cpu_ms = zip(*(row[:3] for row in data["anchors"]), strict=True)
            scale = Scale(names, elo, data["first_move"], data["draws"],
                          tuple(tuple(row) for row in data["games"]))
            networks = {row[0]: row[3] for row in data["anchors"] if len(row) > 3}
            return cls(path.stem, data["game"], scale, cpu_ms, networks, data["seed"],
                       data["samples"], data["made"], hex_digest(path.read_bytes()))


@functools.cache
def all_scales() -> dict[str, GameScale]:
    """The scales by name, in the order of their names; of a game, the newest is last."""
    return {path.stem: GameScale.read(path) for path in sorted(FOLDER.glob("*.json"))}


def scale_of(game: GameSpec) -> GameScale:
    """The newest scale of a game. Raises DlgoError if it has none."""
    of_game = {get_game(scale.game): scale for scale in all_scales().values()}
    if game not in of_game:
        known = listing(sorted(map(str, of_game)), most=20)
        raise DlgoError(f"{game} has no scale; there are scales of {known}")
    return of_game[game]
