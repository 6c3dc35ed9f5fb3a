"""A match between two networks in lockstep, to see which is the better.

Each network thinks in a batch of its own; a game's next move is found in the batch of the network
whose turn it is. Games come in pairs with colours changed. Both games of a pair draw the same
random numbers for the same colour, so that a network scores exactly one half against itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import derive_seed
from engines.learning.data.records import NO_RESULT
from engines.learning.selfplay.lockstep import GameSlot, LockstepGames


class MatchPlayer(ABC):
    """One side of a match.

    Attributes:
        thinker: a `BatchThinker` that can be seeded row by row (`seed(i, seed)`).
    """

    thinker: Any

    @abstractmethod
    def start_turn(self, i: int, ply: int) -> None:
        """Think about the position in row `i`, after `ply` plies."""

    @abstractmethod
    def choose(self, i: int, ply: int, rng: np.ndarray) -> int:
        """The action to play there; what is random comes from `rng`."""


@dataclass(kw_only=True)
class _MatchSlot(GameSlot):
    """rngs: each network's generator."""

    rngs: list[np.ndarray] = field(default_factory=list)


class Match(LockstepGames[_MatchSlot]):
    """Games of a new network against an old one.

    `play` yields (number, points): the new network gets 1 point for a game won, and half a point
    for one that is drawn or without end.

    Args:
        game: what is played.
        players: the new network and the old one. In even games the new one is player 0.
        max_plies: after so many a game is drawn.
        seed: game k depends on it, on k, on both networks, and on nothing else but rounding.
    """

    def __init__(
        self, game: GameSpec, players: Sequence[MatchPlayer], max_plies: int, seed: int
    ) -> None:
        super().__init__([player.thinker for player in players], max_plies)
        self._game, self._players, self._seed = game, players, seed

    def start_game(self, i: int, number: int) -> _MatchSlot:
        slot = _MatchSlot(number=number)
        for network, player in enumerate(self._players):
            colour = (network + number) % 2
            seed = derive_seed(self._seed, "match", number // 2, colour)
            slot.rngs.append(player.thinker.seed(i, seed))
            kernels.copy_into(
                kernels.row(player.thinker.roots, i), self._game.new_kernel_state()
            )
        return slot

    def start_turn(self, i: int, slot: _MatchSlot, played: int) -> None:
        self._players[self._to_move(i, slot)].start_turn(i, slot.plies)

    def choose(self, i: int, slot: _MatchSlot) -> int:
        network = self._to_move(i, slot)
        return self._players[network].choose(i, slot.plies, slot.rngs[network])

    def finish(self, slot: _MatchSlot, result: int) -> float:
        if result == NO_RESULT:
            return 0.5
        return 0.5 + 0.5 * result * (1 - 2 * (slot.number % 2))

    def _to_move(self, i: int, slot: _MatchSlot) -> int:
        """The network to move: 0 the new one, 1 the old one."""
        state = kernels.row(self._players[0].thinker.roots, i)
        return int(kernels.to_move(state) + slot.number) % 2


def playing_network(history: Sequence[Mapping[str, float]], iteration: int) -> int:
    """The iteration whose network plays the games of `iteration`; 0: the untrained one.

    Args:
        history: rows of the iterations before, at least. Without a column `promoted`, every
            network is.
    """
    return int(max(
        (row["iteration"] for row in history
         if row["iteration"] < iteration and row.get("promoted", 1.0)),
        default=0,
    ))
