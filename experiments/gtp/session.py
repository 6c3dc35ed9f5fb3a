"""The game and the engine behind a GTP connection: what the commands work on.

The protocol lets a colour move twice in a row, or continue after two passes; our rules do not. The
game then starts anew from the stones on the board, with that colour to move: what the ko rule
forbade is forgotten, as after setup stones in a game record.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection

from dlgo.api import GameSpec, GameState, Move, Player, Point
from dlgo.errors import IllegalMoveError
from dlgo.games.go.state import Go
from dlgo.gtp import GtpError
from dlgo.rng import derive_seed
from engines.base import Budget, Decision, Engine
from engines.registry import EngineSpec
from experiments.gtp.clock import Clock

# Our rules take a komi of halves, and no more than any board has points.
_LARGEST_KOMI = 1000


class Session:
    """A connection's state, its engine warmed up. Raises DlgoError if it does not play the game."""

    def __init__(self, game: GameSpec, spec: EngineSpec, seed: int = 0) -> None:
        self.game, self.spec = game, spec  # komi and size included
        self.komi = getattr(game, "komi", 0.0)  # as given, which our rules may have to round
        self.clock = Clock()
        self.closing = False  # whether `quit` has been sent
        self._seed, self._games_started = seed, 0
        self._engine: Engine | None = None
        self.clear()
        self.engine().warm_up()
        self.engine().new_game(derive_seed(seed, 0))

    # --- the game ---

    @property
    def state(self) -> GameState:
        """The position now."""
        return self._line[-1]

    @property
    def is_go(self) -> bool:
        """Whether the game is Go; half of the protocol makes sense for Go only."""
        return isinstance(self.game, Go)

    def clear(self) -> None:
        """Start a new game."""
        self.start_at(GameState.new_game(self.game))
        self.clock.left.clear()

    def start_at(self, state: GameState, *further: GameState) -> None:
        """A game from `state` on; what has come to the further states can be undone."""
        self._line = [state, *further]
        self._games_started += 1
        if self._engine is not None:
            self._engine.new_game(derive_seed(self._seed, self._games_started))

    def game_of_size(self, size: int) -> GameSpec:
        """The present game, which is Go, on another board, without handicap."""
        return type(self.game)(**{**self.game.settings, "size": size, "handicap": 0})

    def change_game(self, game: GameSpec, line: list[GameState] | None = None) -> None:
        """Play another game from now on, from its start or from the last position of `line`. Raises
        DlgoError if the engine does not play it; then the old game continues."""
        previous = self.game
        self.set_game(game)
        try:
            self.engine()
        except Exception:
            self.set_game(previous)
            raise
        self.start_at(*(line or [GameState.new_game(self.game)]))
        self.clock.left.clear()

    def set_game(self, game: GameSpec) -> None:
        """Change the game or its komi; the position stays. Ends the engine."""
        if game != self.game:
            self.game = game
            self.close()

    def set_komi(self, komi: float) -> None:
        """The komi of the game; our rules get the nearest that they take."""
        self.komi = komi
        self.set_game(type(self.game)(**{**self.game.settings, "komi": nearest_komi(komi)}))
        self._line[-1] = _in_game(self.game, self.state)

    def turn_of(self, player: Player) -> GameState:
        """The position with `player` to move, by the rule at the top of this file. Raises GtpError
        in games other than Go, where nobody can move out of turn."""
        state = self.state
        if not state.is_over() and state.next_player is player:
            return state
        if not self.is_go:
            reason = "the game is over" if state.is_over() else f"it is not {player.name}'s turn"
            raise GtpError(f"illegal move: {reason}")
        return position(self.game, *stones_of(state), player)

    def play(self, player: Player, text: str) -> str:
        """Play the move (or the moves of one turn) that `text` denotes; what has to be said of it.

        The controller's game counts: a move that only our superko forbids is played, and earlier
        positions are forgotten. Raises GtpError if it is illegal, NotationError if it is not a
        move.
        """
        state, note = self.turn_of(player), ""
        try:
            resigns = text.lower() == "resign"
            for move in [Move.resign()] if resigns else self.game.parse_moves(state, text):
                state = state.apply_move(move)
        except IllegalMoveError as error:
            if not self.is_go:
                raise GtpError(f"illegal move: {error}") from None
            lenient = type(self.game)(**{**self.game.settings, "ko": "simple"})
            try:
                (move,) = lenient.parse_moves(state, text)
                successor = _in_game(lenient, state).apply_move(move)
            except IllegalMoveError:
                raise GtpError(f"illegal move: {error}") from None
            state = position(self.game, *stones_of(successor), successor.next_player)
            note = f"{error}; played anyway, because the controller's rules allow it"
        self._line.append(state)
        return note

    def undo(self) -> None:
        """Take back the last command that played something. Raises GtpError if none did."""
        if len(self._line) < 2:
            raise GtpError("cannot undo")
        self._line.pop()
        self._line[-1] = _in_game(self.game, self.state)

    # --- the engine ---

    def engine(self) -> Engine:
        """The engine for the present game."""
        if self._engine is None:
            seed = derive_seed(self._seed, self._games_started)
            self._engine = self.spec.build(self.game, seed)
        return self._engine

    def choose(self, player: Player) -> tuple[GameState, Decision]:
        """The position with `player` to move, and what the engine plays in it in time."""
        start = time.monotonic()
        state = self.turn_of(player)
        engine = self.engine()
        # Building an engine for a new size or komi is paid by the clock, too.
        seconds = self.clock.seconds_for_a_move(player, empty_points(state))
        if seconds is not None:
            seconds = max(seconds - (time.monotonic() - start), 1e-3)
        decision = engine.select_move(state, limited(engine.budget, engine.budgets, seconds))
        self.clock.spend(player, time.monotonic() - start)
        return state, decision

    def generate(self, player: Player) -> Move:
        """Let the engine move; a resignation ends nothing here, the controller decides."""
        state, decision = self.choose(player)
        if not decision.move.is_resign:
            self._line.append(state.apply_move(decision.move))
        return decision.move

    def close(self) -> None:
        """End the engine; the next move builds another."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def position(
    game: GameSpec, black: Collection[Point], white: Collection[Point], player: Player
) -> GameState:
    """The start of a game of Go from stones. Raises SpecError for chains without liberties."""
    if not black and not white and player is Player.black:
        return GameState.new_game(game)
    return Go.of(game).position(black, white, player)


def _in_game(game: GameSpec, state: GameState) -> GameState:
    """A state of Go with its past under other settings. Raises IllegalMoveError."""
    if state.game == game:
        return state
    start, moves = state.history()
    result = position(game, *stones_of(start), start.next_player)
    for _, move in moves:
        result = result.apply_move(move)
    return result


def nearest_komi(komi: float) -> float:
    """The nearest komi that our rules take."""
    return max(-_LARGEST_KOMI, min(_LARGEST_KOMI, round(2 * komi) / 2))


def limited(budget: Budget, budgets: Collection[str], seconds: float | None) -> Budget:
    """An engine's own budget, with at most these wall seconds if it can obey them (`budgets`)."""
    if seconds is None or "wall" not in budgets:
        return budget
    wall = seconds if budget.wall is None else min(seconds, budget.wall)
    return dataclasses.replace(budget, wall=wall)


def empty_points(state: GameState) -> int:
    """How many points have no stone."""
    game = state.game
    return game.board_rows * game.board_cols - len(game.stones(state))


def stones_of(state: GameState) -> tuple[list[Point], list[Point]]:
    """The points of Black's and of White's stones."""
    stones: tuple[list[Point], list[Point]] = ([], [])
    for point, player in state.game.stones(state).items():
        stones[player.index].append(point)
    return stones
