"""A ladder of players: sizes of a network x seeds x checkpoints x simulations, rated by games.

A training has a number of iterations, not of seconds: equal settings give equal networks, on any
machine and after any interruption; its CPU seconds are measured. Two players meet if they differ in
one thing alone (as in Neumann and Gros 2022).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dlgo.errors import SpecError
from dlgo.specs import parse_settings, quote_value, setting_text
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.alphazero.train import train
from engines.isolation.describe import read_spec
from engines.learning.networks.card import read_card
from engines.learning.networks.store import DENSE_FILE, network_folder
from engines.learning.runs.records import read_history
from engines.learning.settings import Settings, setting
from experiments.measures import frequency
from experiments.progress import RunProgress
from experiments.studies.measured import count_mistakes, play, positions_of
from reports import tables

# Ranks of frequent positions; those before them are the opening.
_RANKS = 16, 1024
# Solved positions of a training's own games, of each doubling of the rank.
_OF_A_RANK = 40


class Player(NamedTuple):
    """A network with a search."""

    size: int
    seed: int
    level: int  # of its checkpoint, from 1
    sims: int


@dataclass(frozen=True)
class Part(Settings):
    """A ladder in one game."""

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
    settings: Mapping[str, Any] = setting(None, "those of `dlgo train alphazero`", kind=dict)
    player_options: Mapping[str, Any] = setting(
        None, "options of the players besides model and sims", kind=dict)

    def trainings(self) -> list[tuple[int, int]]:
        """Size and seed of all trainings, seed by seed."""
        return [(size, seed) for seed in range(1, self.seeds + 1) for size in self.sizes]

    @property
    def tables(self) -> list[str]:
        """What claims may be about."""
        return [self.name]

    def players(self) -> list[Player]:
        """All players, training by training."""
        return [Player(size, seed, level, sims) for size, seed in self.trainings()
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

    def costs(self, folder: Path, player: Player) -> dict[str, Any]:
        """What a player is, and what its training has cost."""
        network = self.network_of(folder, player)
        card = read_card(network)
        with np.load(network / DENSE_FILE) as arrays:
            weights = sum(arrays[name].size for name in arrays.files if "." in name)
        history = read_history(network.parents[1], ("evaluations",))[:self.levels[player.level - 1]]
        return {**player._asdict(), "weights": weights, "games": card.training["games"],
                "cpu_seconds": card.total_cpu_seconds,
                "multiply_adds": weights * sum(row["evaluations"] for row in history)}

    def check(self) -> None:
        """Raise DlgoError for a wrong game, network, setting or option."""
        if "{}" not in self.network:
            raise SpecError(f"network={self.network!r} has no {{}}, which stands for the size; "
                            "write {} in place of a number, as in mlp:hidden={}")
        self.config(self.sizes[0], 1)
        self.entrant(Path(), self.players()[0])

    def config(self, size: int, seed: int) -> AlphaZeroConfig:
        """The settings of a training. Raises DlgoError for a wrong game or setting."""
        own_settings: dict[str, Any] = {
               "game": self.game, "network": self.network.replace("{}", str(size)),
               "iterations": self.levels[-1], "seed": seed}
        allowed = [option for name, option in AlphaZeroConfig.options().items()
                   if name not in (*own_settings, "cpu_minutes")]
        return make_config(
            **own_settings, **parse_settings("train alphazero", allowed, self.settings, "setting"))


def meetings(players: Sequence[Player]) -> list[tuple[int, int]]:
    """Who meets whom, by number: those that differ in one thing alone."""
    return [
        (i, k) for (i, player), (k, opponent) in itertools.combinations(enumerate(players), 2)
        if sum(a != b for a, b in zip(player, opponent, strict=True)) == 1
    ]


def run_part(part: Part, out: Path, workers: int | None) -> None:
    """Train, play and measure what is missing; leaves tables in a folder within `out`:

    players: what each player is, what it has cost and how often it errs in solved positions; games;
    mistakes: those of the players with the usual simulations, by class of the positions, and of
    those with the whole training by the rank of positions in their own games; frequencies: how
    often positions occur in the last games of each training, and how late.
    """
    folder = out / part.name
    runs = {run: folder / "{}-{}".format(*run) for run in part.trainings()}
    for run, place in runs.items():
        train(part.config(*run), place, RunProgress())
    players = {player: part.entrant(folder, player) for player in part.players()}
    games = play(part.game, [*players.values()], meetings([*players]), part.pairs, folder, workers)
    often = pd.DataFrame(
        [(*run, *row) for run, place in runs.items() for row in frequency.frequencies(place)],
        columns=["size", "seed", "rank", "count", "phase"])
    sets = positions_of(part.game, part.positions, workers)
    usual = part.sims[len(part.sims) // 2]
    measured_players = {
        player: text for player, text in players.items() if player.sims == usual and sets}
    final = {player: text for player, text in measured_players.items()
             if player.level == len(part.levels)}
    keys = [*Player._fields]
    count_mistakes(
        folder / "mistakes_by_rank.csv", final, [*keys, "rank"],
        lambda player: frequency.solved_by_rank(runs[player.size, player.seed], _OF_A_RANK),
        workers)
    errors = count_mistakes(
        folder / "mistakes.csv", measured_players, [*keys, "class"], lambda player: sets, workers)
    late = often[often["rank"].between(*_RANKS)].groupby(["size", "seed"])["phase"].mean()
    table = pd.DataFrame([part.costs(folder, player) for player in players])
    table = table.join(late.rename("late"), on=["size", "seed"]).join(errors, on=keys)
    for name, frame in (("frequencies", often), ("players", table), ("games", games)):
        tables.write_csv(frame, folder / f"{name}.csv")
