"""A ladder of players: sizes of a network x seeds x checkpoints x simulations, rated by games.

A training has a number of iterations, not of seconds: equal settings give equal networks, on any
machine and after any interruption; its CPU seconds are measured. Two players meet if they differ in
one thing alone (as in Neumann and Gros 2022).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dlgo import get_game
from dlgo.errors import SpecError
from dlgo.records.ledger import Ledger
from dlgo.rng import derive_seed
from dlgo.specs import quote_value, setting_text
from engines.alphazero.config import make_config
from engines.alphazero.train import train
from engines.isolation.describe import read_spec
from engines.jobs import Processes
from engines.learning.data import Dataset
from engines.learning.data.shards import PATTERN
from engines.learning.networks.store import DENSE_FILE, load_card, network_folder
from engines.learning.runs import PrintedProgress
from engines.learning.runs.records import read_history
from experiments.arena.schedule import Pair, Plan
from experiments.arena.strategy import Strategy
from experiments.arena.tournament import run_tournament
from experiments.measures import frequency
from experiments.measures.mistakes import measure
from experiments.measures.solved import solved_positions
from reports import tables

# Openings that the matches share, each match with its own ones.
_OPENINGS = 200
# Shards and games at the end of a training whose positions are counted.
_LAST_SHARDS, _LAST_GAMES = 16, 2000
# Ranks of frequent positions; those before them are the opening.
_RANKS = 16, 1024


class Player(NamedTuple):
    """A network with a search."""

    size: int
    seed: int
    level: int  # of its checkpoint, from 1
    sims: int


@dataclass(frozen=True)
class Part:
    """A ladder in one game.

    Attributes:
        network: its specification, with {} for a size.
        levels: iterations of training after which a network becomes a player.
        pairs: openings of a match, each played with both colours.
        positions: solved positions of each class in which mistakes are counted; 0: none.
        settings: of `dlgo train alphazero`. options: of the players, besides model and sims.
    """

    name: str
    game: str
    network: str
    sizes: tuple[int, ...]
    levels: tuple[int, ...]
    sims: tuple[int, ...]
    seeds: int = 3
    pairs: int = 2
    positions: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("sizes", "levels", "sims"):
            values = getattr(self, name)
            if not (isinstance(values, tuple) and values and all(type(n) is int for n in values)
                    and values[0] > 0 and list(values) == sorted(set(values))):
                raise SpecError(f"part {self.name}: {name} is {values!r}; write whole numbers that "
                                f"rise, such as {name} = [4, 16, 64]")

    def players(self) -> list[Player]:
        """All players, seed by seed."""
        return [
            Player(size, seed, level, sims) for seed in range(1, self.seeds + 1)
            for size in self.sizes for level in range(1, len(self.levels) + 1)
            for sims in self.sims
        ]

    def network_of(self, folder: Path, player: Player) -> Path:
        """The folder of a player's network."""
        return network_folder(folder / f"{player.size}-{player.seed}",
                              self.levels[player.level - 1])

    def entrant(self, folder: Path, player: Player) -> str:
        """The specification of a player."""
        options = {"model": str(self.network_of(folder, player)), "sims": player.sims,
                   **self.options}
        return read_spec("alphazero:" + ",".join(
            f"{key}={quote_value(setting_text(value))}" for key, value in options.items())).text


def train_all(part: Part, folder: Path) -> None:
    """Do the trainings that are missing, or not finished."""
    for seed, size in itertools.product(range(1, part.seeds + 1), part.sizes):
        config = make_config(part.game, **{
            "network": part.network.format(size), "iterations": part.levels[-1], "seed": seed,
            **part.settings})
        train(config, folder / f"{size}-{seed}", PrintedProgress())


def meetings(players: Sequence[Player]) -> list[tuple[int, int]]:
    """Who meets whom, by number: those that differ in one thing alone."""
    return [
        (i, k) for (i, one), (k, other) in itertools.combinations(enumerate(players), 2)
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
    ]


class OwnOpenings(Strategy):
    """Each match has openings of its own, so that ratings do not depend on the same few."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, 0)
        self._rounds = [
            [Pair(game, *match, (derive_seed(*match) + k) % _OPENINGS)
             for match in self._matches for game in plan.games]
            for k in range(plan.pairs)
        ]

    def coming(self) -> Collection[Pair]:
        return [pair for pairs in self._rounds[len(self.steps):] for pair in pairs]

    def further_step(
        self, open_slots: Collection[str], stopped: Collection[tuple[str, str]]
    ) -> list[Pair]:
        return self._rounds[len(self.steps)] if len(self.steps) < len(self._rounds) else []


def play_all(part: Part, folder: Path, workers: int | None) -> pd.DataFrame:
    """Play the games that are missing. All games without repetitions: the rows of the players
    (first, second), pair and result."""
    players = part.players()
    entrants = [part.entrant(folder, player) for player in players]
    columns = ["first", "second", "pair", "result"]
    if not part.pairs:
        return pd.DataFrame(columns=columns)
    pairings = tuple((entrants[i], entrants[k]) for i, k in meetings(players))
    plan = Plan((part.game,), tuple(entrants), part.pairs, seed=1, pairings=pairings)
    run_tournament(plan, folder / "games.sqlite", workers, strategy=OwnOpenings)
    with Ledger(folder / "games.sqlite", read_only=True) as ledger:
        games = tables.games_frame(ledger)
    rows = {entrant: row for row, entrant in enumerate(entrants)}
    games = games[games["counted"] & games["first"].isin(rows) & games["second"].isin(rows)]
    return games[columns].replace({"first": rows, "second": rows}).sort_values(
        ["first", "second", "pair"], ignore_index=True)


def table_of(
    part: Part, folder: Path, games: pd.DataFrame, workers: int | None
) -> pd.DataFrame:
    """A row for each player with what it is, what it has cost and how often it errs."""
    rows = []
    for player in part.players():
        network = part.network_of(folder, player)
        _, card = load_card(str(network))
        with np.load(network / DENSE_FILE) as arrays:
            weights = sum(arrays[name].size for name in arrays.files if "." in name)
        history = read_history(network.parents[1], ("evaluations",))
        done = history[:part.levels[player.level - 1]]
        rows.append({
            **player._asdict(), "weights": weights, "games": card.training["games"],
            "cpu_seconds": card.total_cpu_seconds,
            "multiply_adds": weights * sum(row["evaluations"] for row in done),
        })
    table = pd.DataFrame(rows)
    often = frequencies(part, folder)
    late = often[often["rank"].between(*_RANKS)].groupby(["size", "seed"])["phase"].mean()
    table = table.join(late.rename("late"), on=["size", "seed"])
    errors = mistakes(part, folder, workers)
    counts = errors.groupby([*Player._fields])[["positions", "mistakes"]].sum()
    return table.join(counts, on=[*Player._fields])


def mistakes(part: Part, folder: Path, workers: int | None) -> pd.DataFrame:
    """Mistakes of the players with the usual simulations, by class of positions; kept in a file,
    which gets what is missing there."""
    path, columns = folder / "mistakes.csv", [*Player._fields, "class", "positions", "mistakes"]
    found = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)
    done = {Player(*row) for row in found[[*Player._fields]].itertuples(index=False, name=None)}
    usual = part.sims[len(part.sims) // 2]
    missing = [player for player in part.players() if player.sims == usual and player not in done]
    if not part.positions or not missing:
        return found
    with Processes(workers) as jobs:
        sets = solved_positions(get_game(part.game), part.positions, jobs)
        for player in missing:
            rows = [[*player, name, one.positions, one.mistakes]
                    for name, one in measure(part.entrant(folder, player), sets, jobs).items()]
            found = pd.concat([found, pd.DataFrame(rows, columns=columns)], ignore_index=True)
            tables.write_csv(found, path)
    return found


def frequencies(part: Part, folder: Path) -> pd.DataFrame:
    """How often positions occur in the last games of each training, by size and seed; see
    `measures.frequency`."""
    path, game, rows = folder / "frequencies.csv", get_game(part.game), []
    if path.exists():
        return pd.read_csv(path)
    for seed, size in itertools.product(range(1, part.seeds + 1), part.sizes):
        shards = folder / f"{size}-{seed}" / "games"
        paths = sorted(shards.glob(PATTERN))[-_LAST_SHARDS:]
        games = Dataset.open(shards, paths=paths).games()[-_LAST_GAMES:]
        rows += [{"size": size, "seed": seed, **row} for row in frequency.frequencies(game, games)]
    tables.write_csv(pd.DataFrame(rows), path)
    return pd.DataFrame(rows)
