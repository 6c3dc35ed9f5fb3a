"""The model folder of AlphaGo: three networks, the fast policy, and a list of them.

    alphago.json     list of the parts, and the cost of each training stage
    supervised/      policy network that predicts the moves of recorded games
    reinforced/      the same, improved in games against earlier versions of itself
    value/           value network
    fast.npz         fast policy, for rollouts

A run of `dlgo train alphago` writes one to its folder `model`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dlgo.api import GameSpec
from dlgo.errors import ModelError, system_reason
from dlgo.files import make_folder, write_file
from dlgo.games import get_game
from dlgo.readers import check_format, read_json, reading
from dlgo.specs import suggest
from engines.learning.networks.card import FILE_NAME as CARD
from engines.learning.networks.leaf_evaluator import can_play
from engines.learning.networks.store import SHIPPED, load_card

FILE_NAME = "alphago.json"
FORMAT, VERSION = "dlgo-alphago", 1
RUN_MODEL = "model"  # where a run writes its model
NETWORKS = ("supervised", "reinforced", "value")
FAST = "fast.npz"


@dataclass(frozen=True)
class Bundle:
    """A model folder of AlphaGo."""

    folder: Path
    game: str  # its canonical specification
    costs: dict[str, float] = field(default_factory=dict)  # CPU seconds by stage

    def network(self, part: str) -> str:
        """The folder of one of `NETWORKS`. Raises ModelError if it is not there."""
        folder = self.folder / part
        if not folder.is_dir():
            raise ModelError(f"{self.folder} has no {part} network; copy the whole folder "
                             "again")
        return str(folder)

    @property
    def fast(self) -> Path:
        """The file of the fast policy."""
        return self.folder / FAST

    @property
    def cpu_seconds(self) -> float:
        """The cost of all training stages together."""
        return sum(self.costs.values())

    def fits(self, game: GameSpec) -> bool:
        """Whether it plays `game`: its own, or the same game with another komi, for example."""
        made_for = get_game(self.game)
        return made_for == game or made_for.name == game.name and can_play(
            load_card(self.network("supervised"))[1], game)


def write_bundle(
    folder: Path, game: str, networks: Mapping[str, Path], fast: Path, costs: dict[str, float]
) -> Bundle:
    """Copy the networks and the fast policy into a folder, and write the list.

    Raises ModelError if a file cannot be read or written.
    """
    sources = {FAST: fast} | {
        f"{part}/{name}": networks[part] / name
        for part in NETWORKS for name in (CARD, *load_card(str(networks[part]))[1].files)
    }
    for name, source in sources.items():
        make_folder((folder / name).parent, error=ModelError)
        try:
            content = source.read_bytes()
        except OSError as error:
            raise ModelError(f"{source} cannot be read: {system_reason(error)}") from None
        write_file(folder / name, content, error=ModelError)
    data = {"format": FORMAT, "version": VERSION, "game": game, "costs": costs}
    write_file(folder / FILE_NAME, json.dumps(data, indent=2) + "\n", error=ModelError)
    return Bundle(folder, game, costs)


def shipped_bundles() -> list[str]:
    """Names of the shipped bundles."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{FILE_NAME}"))


def find_bundle(name: str | None, game: GameSpec) -> Bundle:
    """The bundle with a name or in a folder; by default the shipped one for the game.

    Raises ModelError if it does not exist, is damaged, or is for another game.
    """
    shipped = shipped_bundles()
    if name is None:
        for bundle in map(read_bundle, (SHIPPED / folder_name for folder_name in shipped)):
            if bundle.fits(game):
                return bundle
        raise ModelError(
            f"no AlphaGo networks are shipped for {game}; train some with `dlgo train alphago "
            f"--game {game}` and set model=FOLDER")
    folder = SHIPPED / name if name in shipped else Path(name)
    if (folder / RUN_MODEL / FILE_NAME).exists():
        folder = folder / RUN_MODEL
    if not folder.is_dir():
        raise ModelError(f"unknown model {name!r}{suggest(name, shipped)}; set model to the "
                         "folder of a `dlgo train alphago` run, or to one of: "
                         f"{', '.join(shipped)}")
    bundle = read_bundle(folder)
    if not bundle.fits(game):
        raise ModelError(f"{folder} plays {bundle.game}, not {game}")
    return bundle


def read_bundle(folder: Path) -> Bundle:
    """The bundle in a folder.

    Raises ModelError if its list is missing or damaged, FileError if it is of another version or
    cannot be read.
    """
    path = folder / FILE_NAME
    if not path.exists():
        raise ModelError(f"{folder} has no {FILE_NAME}; if the training is not finished, continue "
                         "it with `dlgo train alphago`")
    with reading(path, "list of networks", error=ModelError, restore="copy the folder again"):
        data = read_json(path, "it")
        check_format(f"{data.get('format')} {data.get('version')}", f"{FORMAT} {VERSION}")
        costs = {str(stage): float(cost) for stage, cost in data["costs"].items()}
        return Bundle(folder, str(get_game(data["game"])), costs)
