"""Games side by side, for players that search: alphazero's self-play and matches, descent.

Players without a search play in compiled code (`policy_games.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import below, uniform
from dlgo.vector import longest_game
from engines.learning.data.records import NO_RESULT
from engines.search.batched_search import NO_ACTION, BatchedSearch

# Returned by `choose` when the player to move resigns.
RESIGN = -2


class LockstepGames(ABC):
    """Plays games side by side, so that a network evaluates many leaves in one call.

    In every step all searches advance together, and the games whose search is done make a move.
    Subclasses start a game (`start_game`) and a search (`start_turn`), choose the move (`choose`),
    and make the record of a game (`finish`).

    Args:
        searches: one, or one for each player; row i of each belongs to game i.
    """

    def __init__(self, game: GameSpec, searches: Sequence[BatchedSearch]) -> None:
        self._game, self._searches = game, searches
        self._max_plies = longest_game(game)
        self._actions = np.empty(game.num_actions, np.int64)

    @abstractmethod
    def start_game(self, i: int, number: int) -> Any:
        """Begin a game in row `i`; returns what belongs to it, with `number` and `plies`."""

    @abstractmethod
    def start_turn(self, i: int, slot: Any, action: int) -> None:
        """Begin the search of the next move after `action`, NO_ACTION at the start."""

    @abstractmethod
    def choose(self, i: int, slot: Any) -> int:
        """The action to play, or RESIGN."""

    @abstractmethod
    def finish(self, slot: Any, result: int) -> Any:
        """The record of a game that has ended."""

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Play the games with these numbers; yields (number, record) as games end."""
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

    def _start_next(self, i: int, waiting: Iterator[int]) -> Any:
        number = next(waiting, None)
        if number is None:
            return None
        for search in self._searches:
            kernels.copy_into(kernels.row(search.roots, i), self._game.new_kernel_state())
        slot = self.start_game(i, number)
        self.start_turn(i, slot, NO_ACTION)
        return slot

    def random_opening(self, i: int, rng: np.ndarray, share: float, most: int) -> list[int]:
        """In a share of the games, play up to `most` random sensible actions in row `i`; returns
        those played. None of them passes or ends the game."""
        state, opening = kernels.row(self._searches[0].roots, i), []
        for _ in range(1 + below(rng, most) if uniform(rng) < share else 0):
            action = int(self._actions[below(rng, kernels.search_actions(state, self._actions))])
            successor = self._game.scratch_state(state)
            kernels.play(successor, action)
            if not kernels.terminal(successor) and action != self._game.pass_action:
                kernels.play(state, action)
                opening.append(action)
        return opening

    def _take_turn(self, i: int, slot: Any) -> int | None:
        """Play the move of row `i`; returns the result for player 0 if the game ends."""
        states = [kernels.row(search.roots, i) for search in self._searches]
        action = self.choose(i, slot)
        if action == RESIGN:
            return 2 * int(kernels.to_move(states[0])) - 1
        for state in states:
            kernels.play(state, action)
        slot.plies += 1
        if kernels.terminal(states[0]):
            return self._game.result_of(states[0])
        if slot.plies >= self._max_plies:
            return NO_RESULT
        self.start_turn(i, slot, action)
        return None
