"""The shared game-state API: Player, Point, Move, GameSpec, GameState.

People, records, tests and engines hold a `GameState`: an immutable face over the compiled
rules of `dlgo.kernels`. One class serves every game; what differs (coordinates, drawing,
names of options) is in the game's `GameSpec`. Chapter 3 of the book introduces these names;
here they serve any two-player game of perfect information.

    >>> import dlgo
    >>> state = dlgo.game("connect4").start().play("4")
    >>> state.next_player
    <Player.white: 2>
"""

from __future__ import annotations

import functools
import math
from contextlib import suppress
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.display import board_svg
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.game_spec import GameSpec
from dlgo.moves import COLUMN_LETTERS, Move, Player, Point, parse_point, point_text
from dlgo.text import number_of

__all__ = [
    "COLUMN_LETTERS", "GameSpec", "GameState", "Move", "Player", "Point", "parse_point",
    "point_text",
]


class GameState:
    """A position with its history: immutable, hashable, comparable, picklable."""

    __slots__ = (
        "game", "kernel_state", "previous_state", "last_move", "_surveyed", "__weakref__"
    )

    game: GameSpec
    kernel_state: Any  # the compiled rules' arrays; read them, never write to them
    previous_state: GameState | None  # before the last move
    last_move: Move | None  # that led here
    # The answer of `kernels.survey`, or None before the first call: the number of legal actions or
    # OVER, the player to move, and the array of the actions.
    _surveyed: tuple[int, int, np.ndarray] | None

    def __init__(
        self, game: GameSpec, kernel_state: Any,
        previous_state: GameState | None = None, last_move: Move | None = None,
        _surveyed: tuple[int, int, np.ndarray] | None = None,
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "game", game)
        set_field(self, "kernel_state", kernel_state)
        set_field(self, "previous_state", previous_state)
        set_field(self, "last_move", last_move)
        set_field(self, "_surveyed", _surveyed)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"GameState is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"GameState is immutable: cannot delete {name}")

    @classmethod
    def new_game(cls, game: GameSpec) -> GameState:
        """The start position."""
        return cls(game, game.new_kernel_state())

    @classmethod
    def copy_of(cls, game: GameSpec, kernel_state: Any) -> GameState:
        """A position copied from borrowed arrays, such as a leaf of a search; it has no previous
        state."""
        return cls(game, game.scratch_state(kernel_state))

    @property
    def next_player(self) -> Player:
        """Whose turn it is. After the end: whose turn it would be."""
        return Player.from_index(self._survey()[1])

    def _survey(self) -> tuple[int, int, np.ndarray]:
        """The answer of `kernels.survey`, computed once: a state never changes."""
        if self._surveyed is None:
            actions = np.empty(self.game.num_actions, np.int64)
            n, player = kernels.survey(self.kernel_state, actions)
            n = kernels.OVER if self._resigned else n
            object.__setattr__(self, "_surveyed", (n, player, actions))
        return self._surveyed

    def apply_move(self, move: Move | str) -> GameState:
        """The state after `move`, which may be its text, such as "D3", "pass" or "resign".

        Raises IllegalMoveError, which names the rule, or NotationError if the text is not a move.
        """
        if not isinstance(move, Move):
            move = self.read_move(move)
        game, over = self.game, self._survey()[0] < 0
        if move.kind == "resign" and not over:
            return GameState(game, self.kernel_state, self, move)
        action = game.action_of(move)
        if action is not None and not over:
            after = game.scratch_state(self.kernel_state)
            actions = np.empty(game.num_actions, np.int64)
            n, player = kernels.play_and_survey(after, action, actions)
            if n != kernels.ILLEGAL:
                return GameState(game, after, self, move, (n, player, actions))
        why = "the game is over" if over else self._why_illegal(move)
        raise IllegalMoveError(f"{self._text(move)} is illegal: {why}", why)

    def play(self, *moves: Move | str) -> GameState:
        """The state after several moves, one after the other: `start.play("D3", "C3")`."""
        return functools.reduce(GameState.apply_move, moves, self)

    def is_valid_move(self, move: Move | str) -> bool:
        """Whether the rules allow `move`, which may be its text. Raises only TypeError."""
        if self.is_over():
            return False
        try:
            move = self.read_move(move)
        except NotationError:
            return False
        if move.kind == "resign":
            return True
        action = self.game.action_of(move)
        return action is not None and bool(kernels.is_legal(self.kernel_state, action))

    def legal_moves(self) -> list[Move]:
        """Every legal play and pass; resigning, always possible, is not listed."""
        n, _, actions = self._survey()
        moves = self.game.moves_by_action
        return [moves[action] for action in actions[:n].tolist()] if n > 0 else []

    def sensible_moves(self) -> list[Move]:
        """The legal moves that searches consider; in Go, they fill no own eye (chapter 3.3)."""
        out = np.empty(self.game.num_actions, np.int64)
        n = 0 if self.is_over() else kernels.search_actions(self.kernel_state, out)
        return [self.game.moves_by_action[action] for action in out[:n].tolist()]

    def estimate(self) -> float:
        """The game's own estimate of an unfinished position, for the player to move: -1 to 1."""
        return math.tanh(kernels.evaluate(self.kernel_state) / 500)

    def legal_actions(self) -> np.ndarray:
        """The legal moves as actions (int64 array); empty after the end."""
        n, _, actions = self._survey()
        return actions[: max(n, 0)].copy()

    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or by resignation."""
        return self._survey()[0] < 0

    def winner(self) -> Player | None:
        """The winner of a finished game; None for a draw or an unfinished one."""
        result = self.result() if self.is_over() else 0
        return None if result == 0 else Player.from_index((1 - result) // 2)

    def result(self) -> int:
        """Result of a finished game as black sees it: +1, 0 or -1; ValueError before its end."""
        if self._resigned:
            return -1 if self.next_player is Player.black else 1
        if not self.is_over():
            raise ValueError("the game is not over, so it has no result yet")
        return self.game.result_of(self.kernel_state)

    def key(self) -> int:
        """Zobrist key of the position, side to move included."""
        return int(kernels.key(self.kernel_state))

    def moves(self) -> list[Move]:
        """All moves from the start of the game."""
        moves = []
        state: GameState | None = self
        while state is not None and state.last_move is not None:
            moves.append(state.last_move)
            state = state.previous_state
        return moves[::-1]

    def moves_since(self, earlier: GameState | None) -> list[Move] | None:
        """The moves that led from `earlier` to this state; None if this state does not continue it.

        `earlier` is of the same chain of `apply_move`, or None, which no state continues.
        """
        moves: list[Move] = []
        state: GameState | None = self
        while state is not None and state is not earlier:
            moves.append(state.last_move)
            state = state.previous_state
        return None if state is None else moves[::-1]

    def history(self) -> tuple[GameState, list[tuple[Player, Move]]]:
        """The start of the game, and all moves with the players who made them."""
        moves, state = [], self
        while state.previous_state is not None:
            moves.append((state.previous_state.next_player, state.last_move))
            state = state.previous_state
        return state, moves[::-1]

    def read_move(self, move: Move | str) -> Move:
        """The move of a text, "pass" and "resign" included, or NotationError; a move is returned
        unchanged."""
        if isinstance(move, Move):
            return move
        if isinstance(move, str):
            word = move.strip().lower()
            if word == "resign":
                return Move.resign()
            if word == "pass" and self.game.pass_action >= 0:
                return Move.pass_turn()
            return self.game.parse_move(self, move)
        legal = self.legal_moves()
        example = f", such as {self.game.move_text(legal[0])!r}" if legal else ""
        raise TypeError(f"{move!r} is not a move; write a Move or its text{example}")

    @property
    def _resigned(self) -> bool:
        return self.last_move is not None and self.last_move.kind == "resign"

    def _text(self, move: Move) -> str:
        with suppress(LookupError, TypeError, ValueError, AttributeError):
            return self.game.move_text(move)
        return str(move)  # of another game

    def _why_illegal(self, move: Move) -> str:
        """Why a move is illegal. If legal moves begin with its text, the reason lists them."""
        begun, legal = f"{move}".lower(), self.legal_moves()
        known = self.game.action_of(move) is not None
        if move in legal and not known:
            return (f"`action_of` of {self.game} returns None for it, although `move_of` makes it; "
                    "`dlgo check` examines a game")
        texts = [] if known else [
            text for text in map(self.game.move_text, legal)
            if text.lower().startswith(begun) and begun
        ]
        if not texts:
            return self.game.why_illegal(self, move)
        return f"it could be {', '.join(texts[:-1])}{' or ' * (len(texts) > 1)}{texts[-1]}"

    def __eq__(self, other: object) -> bool:
        """Same game, same position, and the same history where the rules use it."""
        if not isinstance(other, GameState):
            return NotImplemented
        return (
            self.game == other.game
            and self._resigned == other._resigned
            and self.game.same_position(self.kernel_state, other.kernel_state)
        )

    def __hash__(self) -> int:
        return hash((self.key(), self._resigned))

    def __deepcopy__(self, memo: dict[int, Any]) -> GameState:
        return self  # it never changes; searches of other libraries copy before each simulation

    def __reduce__(self) -> tuple[Any, ...]:
        # The chain of previous states is too deep for pickle's recursion; the moves are not.
        return _replay, (self.game, tuple(self.history()[0].kernel_state), self.moves())

    def __str__(self) -> str:
        return self.game.render(self)

    def _repr_svg_(self) -> str:
        """The board as an image, for notebooks."""
        return board_svg(self)

    def __repr__(self) -> str:
        turn = self.game.result_text(self) if self.is_over() else f"{self.next_player.name} to move"
        return f"<GameState {self.game}, {number_of(len(self.moves()), 'move')}, {turn}>"


def _replay(game: GameSpec, fields: tuple[np.ndarray, ...], moves: list[Move]) -> GameState:
    state = GameState(game, type(game.new_kernel_state())(*fields))
    return functools.reduce(GameState.apply_move, moves, state)
