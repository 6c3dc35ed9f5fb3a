"""`GameSpec`, a game with its options, and `GameState`, a position of it.

A `GameSpec` is everything that a `GameState` needs beyond the compiled rules. What it says of the
game as a whole is in `game_declaration.py`; here is what it says of positions.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from contextlib import suppress
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.display import board_svg, board_text
from dlgo.errors import DlgoError, IllegalMoveError, NotationError
from dlgo.game_declaration import GameDeclaration
from dlgo.moves import Move, Player, Point, parse_place
from dlgo.perft import perft
from dlgo.text import number_of


class GameSpec(GameDeclaration):
    """A game with its options: everything that a `GameState` needs beyond the compiled rules.

    Subclasses are in `dlgo/games/*/state.py`. Two specs are equal if they describe the same game
    with the same options.
    """

    def start(self) -> GameState:
        """The start position."""
        return GameState.new_game(self)

    @abstractmethod
    def new_kernel_state(self) -> Any:
        """Arrays at the start position."""

    def result_of(self, state: Any) -> int:
        """Result of a finished game for player 0: 1, 0 or -1. Raises DlgoError for any other."""
        result = int(kernels.result(state))
        if result not in (1, 0, -1):
            raise DlgoError(
                f"a result of {self} is {result}, not 1, 0 or -1; `dlgo check` examines a game")
        return result

    def scratch_state(self, like: Any, room: int = 1) -> Any:
        """A copy of `like`, with room for a position up to `room` plies after it."""
        return type(like)(*[field.copy() for field in like])

    def probe(self, state: GameState) -> dict[Move, tuple[int, int]] | None:
        """Results of all legal moves from endgame tables; None if the tables lack the position or
        the game is not made by `dlgo.games.with_tablebase`.

        Returns:
            for each move, the result for the player who makes it (1, 0 or -1), and in how many
            turns the game ends.
        """
        return None

    def same_position(self, first: Any, second: Any) -> bool:
        """Whether two kernel states are equal in everything that the rules use.

        Override it if the arrays hold more (scratch, an order that does not matter).
        """
        return all(map(np.array_equal, first, second))

    def parse_move(self, state: GameState, text: str) -> Move:
        """The move that `text` denotes; it may still be illegal. NotationError if it denotes none.

        By default `pass`, a point `C3`, a path of points `B2-B3`, or a choice `B7-B8=queen`.
        """
        if self.pass_action >= 0 and text.strip().lower() == "pass":
            return Move.pass_turn()
        return Move.play(parse_place(text, self.board_rows, self.board_cols))

    def parse_moves(self, state: GameState, text: str) -> list[Move]:
        """The moves of a whole turn, where a turn can be several (jumps in draughts)."""
        if self.pass_action >= 0 and text.strip().lower() == "pass":
            return [Move.pass_turn()]
        return [self.parse_move(state, text)]

    def cell(self, state: GameState, row: int, col: int) -> Player | None:
        """Who occupies the cell (row and column from 1), or None."""
        piece = kernels.piece(state.kernel_state, (row - 1) * self.board_cols + col - 1)
        return None if piece == kernels.NOBODY else Player.from_index(piece % 2)

    def stones(self, state: GameState) -> dict[Point, Player]:
        """Who occupies each cell that is not empty, row by row from A1."""
        return {
            Point(row, col): player for row in range(1, self.board_rows + 1)
            for col in range(1, self.board_cols + 1)
            if (player := self.cell(state, row, col)) is not None
        }

    @abstractmethod
    def why_illegal(self, state: GameState, move: Move) -> str:
        """The rule that forbids an illegal move, as the end of a sentence."""

    def count_sequences(self, kernel_state: Any, plies: int) -> int:
        """Number of sequences of `plies` actions from a position, without games that end
        earlier."""
        batch = kernels.make_batch(self.scratch_state(kernel_state, room=plies + 1), plies + 1)
        kernels.copy_into(kernels.row(batch, 0), kernel_state)
        actions = np.empty((plies + 1, self.num_actions), np.int64)
        counts, indices = np.empty((2, plies + 1), np.int64)
        return int(perft(batch, plies, actions, counts, indices))

    def perft(self, kernel_state: Any, depth: int) -> int:
        """The number of sequences of `depth` moves as published tables count them."""
        return self.count_sequences(kernel_state, depth)

    def result_text(self, state: GameState) -> str:
        """The result of a finished game in a few words."""
        winner = state.winner()
        if winner is None:
            return "draw"
        how = " by resignation" if state.last_move is not None and state.last_move.is_resign else ""
        return f"{winner.name} ({self.piece_symbol(winner.index)}) wins{how}"

    def winning_cells(self, state: GameState) -> list[Point]:
        """The stones that won the game by their places, for displays; [] if none did."""
        return []

    def render(self, state: GameState) -> str:
        """The board as text; the last play, or the stones that won, in brackets."""
        return board_text(state)

    def last_cell(self, state: GameState) -> Point | None:
        """The cell of the last play, to be marked; by default the last point of its place."""
        place = state.last_move.place if state.last_move else None
        points = place if isinstance(place, tuple) and not isinstance(place, Point) else (place,)
        return next((point for point in reversed(points) if isinstance(point, Point)), None)


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
        if self._surveyed is not None:
            return self._surveyed
        actions = np.empty(self.game.num_actions, np.int64)
        n, player = kernels.survey(self.kernel_state, actions)
        survey = (kernels.OVER if self._resigned else n), player, actions
        object.__setattr__(self, "_surveyed", survey)
        return survey

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
            successor = game.scratch_state(self.kernel_state)
            actions = np.empty(game.num_actions, np.int64)
            n, player = kernels.play_and_survey(successor, action, actions)
            if n != kernels.ILLEGAL:
                return GameState(game, successor, self, move, (n, player, actions))
        reason = "the game is over" if over else self._why_illegal(move)
        raise IllegalMoveError(f"{self._text(move)} is illegal: {reason}", reason)

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

    def actions(self) -> list[int]:
        """The actions of all moves from the start of the game, without a resignation."""
        actions = (self.game.action_of(move) for move in self.moves())
        return [action for action in actions if action is not None]

    def moves_since(self, earlier: GameState | None) -> list[Move] | None:
        """The moves that led from `earlier` to this state; None if this state does not continue it.

        `earlier` is of the same chain of `apply_move`, or None, which no state continues.
        """
        moves: list[Move] = []
        state: GameState | None = self
        while state is not None and state is not earlier:
            if state.last_move is None:
                return None
            moves.append(state.last_move)
            state = state.previous_state
        return None if state is None else moves[::-1]

    def history(self) -> tuple[GameState, list[tuple[Player, Move]]]:
        """The start of the game, and all moves with the players who made them."""
        moves, state = [], self
        while state.previous_state is not None and state.last_move is not None:
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
        has_action = self.game.action_of(move) is not None
        if move in legal and not has_action:
            return (f"`action_of` of {self.game} returns None for it, although `move_of` makes it; "
                    "`dlgo check` examines a game")
        texts = [] if has_action else [
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
