"""An engine in games that another library runs: from the actions so far, it chooses the next."""

from __future__ import annotations

from collections.abc import Sequence

from dlgo.api import GameState
from dlgo.errors import BotError
from dlgo.rng import derive_seed
from engines.base import Engine


class Seat:
    """One player of another library's games.

    Args:
        engine: it plays here alone; another seat needs an engine of its own.
        seed: of the first game; the following games have seeds derived from it, so games differ,
            and the same seed gives the same games.

    Attributes:
        state: the position that the engine saw last; None: the next one begins a game.
    """

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self._seed, self._games = engine, seed, 0
        self.state: GameState | None = None

    def action(self, actions: Sequence[int]) -> int:
        """The engine's action after those from the start of the game.

        Actions that do not continue the last ones begin the next game. Raises IllegalMoveError if
        the rules forbid one of them, BotError if the engine resigns or fails.
        """
        state, played = self.state, [] if self.state is None else self.state.actions()
        if state is None or list(actions[: len(played)]) != played:
            seed = derive_seed(self._seed, self._games) if self._games else self._seed
            self.engine.new_game(seed)
            self._games += 1
            state, played = self.engine.game.start(), []
        for action in actions[len(played):]:
            state = state.apply_move(state.game.move_of(action))
        self.state = state
        answer = state.game.action_of(self.engine.select_move(state).move)
        if answer is None:
            raise BotError(f"{self.engine!r} resigned, which other libraries do not know; leave "
                           "out its option resign")
        return answer
