"""The game loop of every learner: many games side by side, all waiting positions valued together.

A network is slow for one position and fast for a hundred. So `LockstepGames` plays a game in each
row of a batch: in every step all players think about their positions together, and the games
whose player has finished thinking make a move. Who thinks is a `BatchThinker`, such as
`BatchedSearch`; a match has two of them. How a game starts, which move is played and what is kept
of it is for subclasses to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from dlgo import kernels
from engines.learning.data.records import NO_RESULT

# What `choose` answers when the player to move resigns; and where there is no move yet.
RESIGN = -2
NO_ACTION = -1


class BatchThinker(Protocol):
    """Thinks about a batch of positions at once.

    Attributes:
        roots: batch of states, the current position of each game.
        remaining: int64[n], above 0 while a row is thought about.
    """

    roots: Any
    remaining: np.ndarray

    def __len__(self) -> int:
        """The number of rows."""

    def step(self) -> None:
        """Think a little more about every row that has something remaining."""


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
        thinkers: each has a row for every game, and keeps the game's position in it.
        max_plies: after so many a game ends without a result.
    """

    def __init__(self, thinkers: Sequence[BatchThinker], max_plies: int) -> None:
        self._thinkers, self._max_plies = thinkers, max_plies

    @abstractmethod
    def start_game(self, i: int, number: int) -> Slot:
        """Set row `i` of all thinkers to the first position of game `number`."""

    @abstractmethod
    def start_turn(self, i: int, slot: Slot, played: int) -> None:
        """Let the player to move in row `i` think; `played` led there (NO_ACTION: a new game)."""

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
        slots = [self._start_next(i, waiting) for i in range(len(self._thinkers[0]))]
        while any(slot is not None for slot in slots):
            for thinker in self._thinkers:
                thinker.step()
            for i in self._ready_rows():
                slot = slots[i]
                if slot is None:
                    continue
                result = self._take_turn(i, slot)
                if result is not None:
                    yield slot.number, self.finish(slot, result)
                    slots[i] = self._start_next(i, waiting)

    def _ready_rows(self) -> list[int]:
        """Rows that no thinker is busy with."""
        ready = self._thinkers[0].remaining <= 0
        for thinker in self._thinkers[1:]:
            ready &= thinker.remaining <= 0
        return np.flatnonzero(ready).tolist()

    def _start_next(self, i: int, waiting: Iterator[int]) -> Slot | None:
        """Start the next game in row `i`; None if there is none."""
        number = next(waiting, None)
        if number is None:
            return None
        slot = self.start_game(i, number)
        self.start_turn(i, slot, NO_ACTION)
        return slot

    def _take_turn(self, i: int, slot: Slot) -> int | None:
        """Play the move of row `i`; the result for player 0 if that ends the game."""
        states = [kernels.row(thinker.roots, i) for thinker in self._thinkers]
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
