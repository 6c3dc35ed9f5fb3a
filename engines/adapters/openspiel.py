"""Engines as bots of OpenSpiel (Lanctot et al. 2019, "OpenSpiel").

    import dlgo
    from engines.adapters import openspiel
    bot = openspiel.Bot(dlgo.anchor("connect4-2026.12/mcts:sims=300"), seed=1)

Any engine of `dlgo.engine` will do.
"""

from __future__ import annotations

from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.extras import require_extra
from dlgo.games.breakthrough import kernel as breakthrough
from dlgo.games.breakthrough.state import Breakthrough
from dlgo.games.connect4.state import ConnectFour
from dlgo.games.connectn.state import ConnectN
from dlgo.games.draughts.state import Draughts
from dlgo.games.go.state import Go
from dlgo.games.hex.state import Hex
from dlgo.games.othello.state import Othello
from dlgo.games.tictactoe.state import TicTacToe
from engines.adapters.seat import Seat
from engines.base import Engine

require_extra("openspiel", "the adapter for OpenSpiel", "pyspiel")

import pyspiel  # noqa: E402

# Parameters that say how a position is shown, or when a game is cut.
_NO_RULES = {"egocentric_obs_tensor", "max_game_length", "plain_obs_tensor", "string_rep"}


def openspiel_name(game: GameSpec) -> str | None:
    """The same game's name in OpenSpiel, or None if it has no such game."""
    match game:
        case TicTacToe():
            return "tic_tac_toe"
        case ConnectFour():
            return "connect_four"
        case ConnectN() if game.gravity and not game.pie:
            return f"connect_four(columns={game.cols},rows={game.rows},x_in_row={game.n})"
        case ConnectN() if not game.pie:
            return f"mnk(m={game.cols},n={game.rows},k={game.n})"
        case Go() if not game.handicap_points:
            return f"go(board_size={game.size},komi={game.komi})"
        case Draughts():
            # Nearly the same: a draw after 40 plies without progress, no repetition rule.
            return "checkers"
        case Hex() if not game.swap:
            return f"hex(board_size={game.size})"
        case Othello() if game.size == 8:
            return "othello"
        case Breakthrough() if game.board_rows > 5:  # with fewer rows it has fewer men
            return f"breakthrough(rows={game.board_rows},columns={game.board_cols})"
    return None


def openspiel_actions(game: GameSpec) -> list[int]:
    """(num_actions,) OpenSpiel's number of each action of a game that it has."""
    rows, cols = game.board_rows, game.board_cols
    actions = range(game.num_actions)
    if isinstance(game, Hex | Othello):  # its row 0 is at the other end
        return [(rows - 1 - action // cols) * cols + action % cols if action < rows * cols
                else action for action in actions]
    if isinstance(game, Breakthrough):  # it has 6 directions, each with and without a capture
        ways = [(action // 5, action % 5) for action in actions]
        return [2 * (3 * of_cell_and_player + 1 + breakthrough.RUNS[way])
                + (way >= breakthrough.STEPS) for of_cell_and_player, way in ways]
    return list(actions)


class Bot(pyspiel.Bot):
    """An engine that moves for whichever player is to move; for its arguments see `Seat`.

    It knows a position by its history, so it can take over any game. Raises SpecError if OpenSpiel
    does not have the engine's game.
    """

    def __init__(self, engine: Engine, seed: int = 0) -> None:
        super().__init__()
        game, name = engine.game, openspiel_name(engine.game)
        if name is None or isinstance(game, Draughts):
            raise SpecError(f"OpenSpiel has no game with the rules of {game}")
        self._rules = _rules(pyspiel.load_game(name))
        self._seat, self._theirs = Seat(engine, seed), openspiel_actions(game)
        self._ours = {theirs: action for action, theirs in enumerate(self._theirs)}

    def restart(self) -> None:
        """Begin the next game."""
        self._seat.state = None

    def restart_at(self, state: Any) -> None:
        """Begin the next game, at any position."""
        self.restart()

    def step(self, state: Any) -> int:
        """The action of the player to move. Raises SpecError for a state of another game."""
        if (rules := _rules(state.get_game())) != self._rules:
            raise SpecError(f"{self._seat.engine!r} cannot play {_text(rules)} of OpenSpiel; its "
                            f"game is {_text(self._rules)}")
        return self._theirs[self._seat.action([self._ours[a] for a in state.history()])]


def _rules(game: Any) -> dict[str, Any]:
    """Name and rules of a game of OpenSpiel, the default values included."""
    return {"": game.get_type().short_name, **{
        key: value for key, value in game.get_parameters().items() if key not in _NO_RULES}}


def _text(rules: dict[str, Any]) -> str:
    values = ",".join(f"{key}={value}" for key, value in rules.items() if key)
    return f"{rules['']}({values})"
