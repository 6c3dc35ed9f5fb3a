"""A ladder of players: sizes of a network x seeds x checkpoints x simulations, rated by games.

A training has a number of iterations, not of seconds: equal settings give equal networks, on any
machine and after any interruption; its CPU seconds are measured. Two players meet if they differ in
one thing alone (as in Neumann and Gros 2022).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from dlgo.errors import SpecError
from dlgo.records.ledger import Ledger
from dlgo.specs import parse_settings, quote_value, setting_text
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.alphazero.train import train
from engines.isolation.describe import read_spec
from engines.jobs import Processes
from engines.learning.networks.store import DENSE_FILE, load_card, network_folder
from engines.learning.runs import PrintedProgress
from engines.learning.runs.records import read_history
from engines.learning.settings import Settings, setting
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.measures import frequency
from experiments.measures.mistakes import Position, measure
from reports import tables

# Ranks of frequent positions; those before them are the opening.
_RANKS = 16, 1024
# Solved positions of a training's own games, of each doubling of the rank.
_OF_A_RANK = 40

Positions = Mapping[str, Sequence[Position]]  # by class
Row = Sequence[Any]


class Player(NamedTuple):
    """A network with a search."""

    size: int
    seed: int
    level: int  # of its checkpoint, from 1
    sims: int


@dataclass(frozen=True)
class Part(Settings):
    """A ladder in one game."""

    # Tables of a part in a plan, and their fields.
    nested: ClassVar = {"settings": "settings", "options": "player_options"}

    name: str
    game: str = setting(None, "game to learn")
    network: str = setting(None, "network architecture, with {} for a size")
    sizes: Sequence[int] = setting(None, "sizes of the network", kind=range)
    levels: Sequence[int] = setting(
        None, "iterations of training after which a network becomes a player", kind=range)
    sims: Sequence[int] = setting(None, "simulations a move", kind=range)
    seeds: int = setting(3, "trainings of each size", low=1)
    pairs: int = setting(2, "openings of a match, each played with both colours", low=0)
    positions: int = setting(
        0, "solved positions of each class in which mistakes are counted; 0: none", low=0)
    settings: Mapping[str, Any] = field(default_factory=dict)  # of `dlgo train alphazero`
    player_options: Mapping[str, Any] = field(default_factory=dict)  # besides model and sims

    def trainings(self) -> list[tuple[int, int]]:
        """Seed and size of all trainings, seed by seed."""
        return list(itertools.product(range(1, self.seeds + 1), self.sizes))

    @property
    def tables(self) -> list[str]:
        """What claims may be about."""
        return [self.name]

    def players(self) -> list[Player]:
        """All players, training by training."""
        return [Player(size, seed, level, sims) for seed, size in self.trainings()
                for level in range(1, len(self.levels) + 1) for sims in self.sims]

    def network_of(self, folder: Path, player: Player) -> Path:
        """The folder of a player's network."""
        return network_folder(folder / f"{player.size}-{player.seed}",
                              self.levels[player.level - 1])

    def entrant(self, folder: Path, player: Player) -> str:
        """The specification of a player. Raises SpecError for a wrong option."""
        options = [("model", str(self.network_of(folder, player))), ("sims", player.sims),
                   *self.player_options.items()]
        return read_spec("alphazero:" + ",".join(
            f"{key}={quote_value(setting_text(value))}" for key, value in options)).text

    def check(self) -> None:
        """Raise DlgoError for a wrong game, network, setting or option."""
        if "{}" not in self.network:
            raise SpecError(f"network={self.network!r} has no {{}}, which stands for the size; "
                            "write {} in place of a number, as in mlp:hidden={}")
        self.config(self.sizes[0], 1)
        self.entrant(Path(), self.players()[0])

    def config(self, size: int, seed: int) -> AlphaZeroConfig:
        """The settings of a training. Raises DlgoError for a wrong game or setting."""
        own = {"game": self.game, "network": self.network.replace("{}", str(size)),
               "iterations": self.levels[-1], "seed": seed}
        allowed = [option for name, option in AlphaZeroConfig.options().items()
                   if name not in (*own, "cpu_minutes")]
        return make_config(
            **own, **parse_settings("train alphazero", allowed, self.settings, "setting"))


def train_all(part: Part, folder: Path) -> None:
    """Do the trainings that are missing, or not finished."""
    for seed, size in part.trainings():
        train(part.config(size, seed), folder / f"{size}-{seed}", PrintedProgress())


def meetings(players: Sequence[Player]) -> list[tuple[int, int]]:
    """Who meets whom, by number: those that differ in one thing alone."""
    return [
        (i, k) for (i, one), (k, other) in itertools.combinations(enumerate(players), 2)
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
    ]


def play_all(part: Part, folder: Path, workers: int | None) -> pd.DataFrame:
    """Play the games that are missing. All games without repetitions: the rows of the players
    (first, second), pair and result."""
    players = part.players()
    entrants = [part.entrant(folder, player) for player in players]
    return play(part.game, entrants, meetings(players), part.pairs, folder, workers)


def play(
    game: str, entrants: Sequence[str], pairings: Iterable[tuple[int, int]], pairs: int,
    folder: Path, workers: int | None,
) -> pd.DataFrame:
    """The same of any entrants; `pairings` has the rows of those that meet."""
    columns = ["first", "second", "pair", "result"]
    matches = tuple((entrants[i], entrants[k]) for i, k in pairings)
    if not pairs or not matches:
        return pd.DataFrame(columns=columns)
    plan = Plan((game,), tuple(entrants), pairs, seed=1, pairings=matches)
    run_tournament(plan, folder / "games.sqlite", workers)
    with Ledger(folder / "games.sqlite", read_only=True) as ledger:
        games = tables.games_frame(ledger)
    rows = {entrant: row for row, entrant in enumerate(entrants)}
    games = games[games["counted"] & games["first"].isin(rows) & games["second"].isin(rows)]
    return games[columns].replace({"first": rows, "second": rows}).sort_values(
        ["first", "second", "pair"], ignore_index=True)


def table_of(part: Part, folder: Path, sets: Positions, workers: int | None) -> pd.DataFrame:
    """A row for each player with what it is, what it has cost and how often it errs in solved
    positions; writes tables of mistakes and of frequencies into the folder."""
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
    errors = mistakes(part, folder, sets, workers)
    counts = errors.groupby([*Player._fields])[["positions", "mistakes"]].sum()
    return table.join(counts, on=[*Player._fields])


def completed(
    path: Path, keys: Sequence[Row], columns: Sequence[str], rows_of: Callable[[Any], Iterable[Row]]
) -> pd.DataFrame:
    """The table in a file. It has rows for each key, which is their beginning; `rows_of` makes the
    rest of those that are missing."""
    rows = pd.read_csv(path).to_numpy(object).tolist() if path.exists() else []
    for key in keys:
        if not any(row[:len(key)] == [*key] for row in rows):
            rows += [[*key, *row] for row in rows_of(key)]
            tables.write_csv(pd.DataFrame(rows, columns=columns), path)
    return pd.DataFrame(rows, columns=columns)


def check_kept(folder: Path, sets: Positions) -> None:
    """Raise SpecError if mistakes were counted in other positions before."""
    path = folder / "mistakes.csv"
    if sets and path.exists():
        kept = pd.read_csv(path, dtype={"class": str})
        for name, count in zip(kept["class"], kept["positions"], strict=True):
            if count != len(sets.get(name, ())):
                raise SpecError(f"{path} counts mistakes in {count} positions of class {name}, not "
                                f"{len(sets.get(name, ()))}; ask for as many, or delete it")


def mistakes(part: Part, folder: Path, sets: Positions, workers: int | None) -> pd.DataFrame:
    """Mistakes of the players with the usual simulations, by class of positions; of those with the
    whole training also by the rank of positions in their own games."""
    usual, columns = part.sims[len(part.sims) // 2], ["positions", "mistakes"]
    players = [player for player in part.players() if player.sims == usual and sets]
    final = [player for player in players if player.level == len(part.levels)]

    def counts(player: Player, sets: Positions) -> Iterable[Row]:
        measured = measure(part.entrant(folder, player), sets, jobs)
        return [(name, one.positions, one.mistakes) for name, one in measured.items()]

    def in_own_games(player: Player) -> Iterable[Row]:
        run = folder / f"{player.size}-{player.seed}"
        return counts(player, frequency.solved_by_rank(run, _OF_A_RANK))

    with Processes(workers) as jobs:
        completed(folder / "mistakes_by_rank.csv", final, [*Player._fields, "rank", *columns],
                  in_own_games)
        return completed(folder / "mistakes.csv", players, [*Player._fields, "class", *columns],
                         lambda player: counts(player, sets))


def frequencies(part: Part, folder: Path) -> pd.DataFrame:
    """How often positions occur in the last games of each training, and how late."""
    table = pd.DataFrame(
        [(size, seed, *row) for seed, size in part.trainings()
         for row in frequency.frequencies(folder / f"{size}-{seed}")],
        columns=["size", "seed", "rank", "count", "phase"])
    tables.write_csv(table, folder / "frequencies.csv")
    return table
