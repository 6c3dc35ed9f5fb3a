"""A finished game as the ledger keeps it, and the result of playing it a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from dlgo.api import GameState
from dlgo.display import people_text
from dlgo.errors import DlgoError
from dlgo.games import recorded_game
from dlgo.records.costs import CostTotals, MoveCost, PackedCosts
from dlgo.records.failures import Failure


def slot_of(game: str, first: str, second: str, pair: int) -> str:
    """The place of a game in the plan."""
    return f"{game}|{first}|{second}|{pair}"


@dataclass(frozen=True)
class GameRecord:
    """One finished game: a row of `games`."""

    slot: str
    game: str
    first: str
    second: str
    pair: int
    opening: str
    seed: int
    result: float
    reason: str  # why it ended, a sentence for people
    moves: str
    started: str
    finished: str
    machine: str
    version: str
    networks: str | None = None
    limits: str | None = None
    worker: str | None = None  # the machine of a cluster that played it; None without a cluster.
    failure: Failure | None = None  # how the loser failed; None if the rules decided.
    costs: Sequence[MoveCost] = field(default=(), repr=False)

    @property
    def failed(self) -> bool:
        """Whether an engine broke down: an illegal move, a crash, no move in time."""
        return self.failure is not None

    @property
    def reason_text(self) -> str:
        """The reason, with the players named as in `player_text` if the game is known here."""
        with suppress(DlgoError):
            return people_text(recorded_game(self.game), self.reason)
        return self.reason

    def network_ids(self) -> dict[str, str]:
        """The digest of the network of each entrant that played with one."""
        sides = json.loads(self.networks or "{}")
        return {player: sides[side]["id"]
                for side, player in (("first", self.first), ("second", self.second))
                if "id" in sides.get(side, {})}

    def spent(self, player: int) -> CostTotals:
        """The total cost of the moves of one player (0: first, 1: second)."""
        return PackedCosts.of(self.costs).totals(player)

    def positions(self) -> Iterator[GameState]:
        """All positions, the start first; Raises DlgoError if the rules forbid a move."""
        state = GameState.new_game(recorded_game(self.game))
        yield state
        for text in self.moves.split():
            state = state.apply_move(text)
            yield state

    def replay(self) -> GameState:
        """The final position. Raises DlgoError if the moves are not a legal game."""
        *_, state = self.positions()
        return state
