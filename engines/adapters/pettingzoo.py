"""Engines as policies in environments of PettingZoo.

    import dlgo
    from engines.adapters import pettingzoo
    policy = pettingzoo.Policy(dlgo.anchor("connect4-2026.12/mcts:sims=300"), seed=1)

In the loop of an environment: `for agent in env.agent_iter(): env.step(policies[agent](env))`. It
plays in all environments of `dlgo.adapters.pettingzoo_env`, which know the moves so far, and in
PettingZoo's own `connect_four_v3` and `tictactoe_v3`, whose observations show the position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.adapters.pettingzoo_env import GameEnv
from dlgo.api import GameState
from dlgo.errors import DlgoError, SpecError
from dlgo.games import get_game
from engines.adapters.seat import Seat
from engines.base import Engine

# PettingZoo's own environments: the game, and whether row 0 of an observation is at the top. Its
# tic-tac-toe counts cells down the columns; on the transposed board it is the same game.
_OWN = {"connect_four_v3": ("connect4", True), "tictactoe_v3": ("tictactoe", False)}


class Policy:
    """An engine that moves for whichever agent is to move; for its arguments see `Seat`."""

    def __init__(self, engine: Engine, seed: int = 0) -> None:
        self._seat = Seat(engine, seed)

    def __call__(self, env: Any) -> int | None:
        """The action of the agent to move; None if it is out of the game, as `step` expects.

        Raises SpecError for an environment of another game, DlgoError for an impossible board.
        """
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return None
        inner, game, name = env.unwrapped, self._seat.engine.game, env.metadata["name"]
        known, flipped = _OWN.get(name, (None, False))
        played = inner.game if isinstance(inner, GameEnv) else known and get_game(known)
        if played != game:
            raise SpecError(
                f"{self._seat.engine!r} plays {game}, and not {name} of PettingZoo; make the "
                f"environment by dlgo.adapters.pettingzoo_env.env({str(game)!r})")
        if isinstance(inner, GameEnv):
            return self._seat.action(inner.actions)
        planes = env.observe(agent)["observation"][:: -1 if flipped else 1].reshape(-1, 2)
        player = env.possible_agents.index(agent)
        board = np.select([planes[:, 0] > 0, planes[:, 1] > 0], [player, 1 - player],
                          kernels.NOBODY)
        return self._seat.action(self._actions_to(board))

    def _actions_to(self, board: np.ndarray) -> list[int]:
        """Actions of a game that leads to a board: the one under way, if it does."""
        start = self._seat.engine.game.start()
        for state in filter(None, (self._seat.state, start)):
            if (more := _path(state, board, set())) is not None:
                return state.actions() + more
        raise DlgoError(f"PettingZoo: no game of {start.game} leads to the board that is shown")


def _path(state: GameState, board: np.ndarray, dead: set[int]) -> list[int] | None:
    """Actions from a position to a board with more stones; None if there are none.

    Args:
        board: (cells,) the players on it.
        dead: keys of positions that lead to other boards only.
    """
    here = np.array([kernels.piece(state.kernel_state, cell) for cell in range(board.size)])
    if np.array_equal(here, board):
        return []
    if state.key() in dead or ((here != kernels.NOBODY) & (here != board)).any():
        return None
    for move in state.legal_moves():
        if (rest := _path(state.apply_move(move), board, dead)) is not None:
            return [int(state.game.action_of(move) or 0), *rest]
    dead.add(state.key())
    return None
