"""The game loop of self-play and matches: many games side by side, their positions valued together.

A network is slow for one position and fast for a hundred. So `LockstepGames` plays a game in each
row of a batch: in every step all searches advance together, and the games whose search is done make
a move. In a match each network has a search of its own. How a game starts, which move is played and
what is kept of it is for subclasses to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from dlgo import kernels
from engines.learning.data.records import NO_RESULT
from engines.treesearch.batched_search import NO_ACTION, BatchedSearch

# What `choose` answers when the player to move resigns.
RESIGN = -2


@dataclass(kw_only=True)
class GameSlot:
    """A game in progress, in one row of the batch.

    Attributes:
        number: of the game. plies: played so far.
    """

    number: int
    plies: int = 0


Slot = TypeVar("Slot", bound=GameSlot)


class LockstepGames(ABC, Generic[Slot]):
    """Plays many games at once; a subclass decides how.

    Args:
        searches: each has a row for every game, and keeps the game's position in it.
        max_plies: a game of this length ends without a result.
    """

    def __init__(self, searches: Sequence[BatchedSearch], max_plies: int) -> None:
        self._searches, self._max_plies = searches, max_plies

    @abstractmethod
    def start_game(self, i: int, number: int) -> Slot:
        """Set row `i` of all searches to the first position of game `number`."""

    @abstractmethod
    def start_turn(self, i: int, slot: Slot, played: int) -> None:
        """Start the search in row `i`; `played` led there (NO_ACTION: a new game)."""

    @abstractmethod
    def choose(self, i: int, slot: Slot) -> int:
        """The action to play in row `i`, or RESIGN."""

    @abstractmethod
    def finish(self, slot: Slot, result: int) -> Any:
        """What is kept of a game.

        Args:
            result: for player 0: 1 won, 0 drawn, -1 lost; NO_RESULT: the game was too long.
        """

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Play the games with these numbers; yields (number, what is kept) as games end."""
        waiting = iter(numbers)
        slots = [self._start_next(i, waiting) for i in range(len(self._searches[0]))]
        while any(slot is not None for slot in slots):
            for search in self._searches:
                search.step()
            busy = np.any([search.remaining > 0 for search in self._searches], axis=0)
            for i in np.flatnonzero(~busy).tolist():
                slot = slots[i]
                if slot is None:
                    continue
                result = self._take_turn(i, slot)
                if result is not None:
                    yield slot.number, self.finish(slot, result)
                    slots[i] = self._start_next(i, waiting)

    def _start_next(self, i: int, waiting: Iterator[int]) -> Slot | None:
        number = next(waiting, None)
        if number is None:
            return None
        slot = self.start_game(i, number)
        self.start_turn(i, slot, NO_ACTION)
        return slot

    def _take_turn(self, i: int, slot: Slot) -> int | None:
        """Play the move of row `i`; the result for player 0 if that ends the game."""
        states = [kernels.row(search.roots, i) for search in self._searches]
        action = self.choose(i, slot)
        if action == RESIGN:
            return 2 * int(kernels.to_move(states[0])) - 1
        for state in states:
            kernels.play(state, action)
        slot.plies += 1
        if kernels.terminal(states[0]):
            return int(kernels.result(states[0]))
        if slot.plies >= self._max_plies:
            return NO_RESULT
        self.start_turn(i, slot, action)
        return None
