"""`GameSpec`, a game with its options, and `GameState`, a position of it.

A `GameSpec` is everything that a `GameState` needs beyond the compiled rules: coordinates,
notation, names of options and drawing. Each has a default that a game can override.
"""

from __future__ import annotations

import functools
import math
import string
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Self

import numpy as np

import dlgo.plugins  # noqa: F401 (finds games of files, in processes that unpickle them, too)
from dlgo import kernels
from dlgo.display import board_svg, board_text
from dlgo.errors import DlgoError, IllegalMoveError, NotationError
from dlgo.moves import COLUMN_LETTERS, SWAP, Move, Player, Point, parse_place
from dlgo.perft import perft
from dlgo.specs import Option, OptionValue, check_settings, format_spec, with_version
from dlgo.text import file_slug, number_of

# Searches store actions in 16 bits or in 32 bits. Several arrays have an element for each action.
MOST_ACTIONS = 1 << 24


def action_type(num_actions: int) -> type[np.signedinteger]:
    """The integers that hold every action of a game, their number, and -1 for none."""
    return np.int16 if num_actions <= np.iinfo(np.int16).max else np.int32


class GameSpec(ABC):
    """A game with its options: everything that a `GameState` needs beyond the compiled rules.

    Subclasses are in `dlgo/games/*/state.py`. Two specs are equal if they describe the same game
    with the same options.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    # For an external game: its name in specifications, and the digest of its sources.
    spec_name: ClassVar[str] = ""
    spec_digest: ClassVar[str] = ""
    options: ClassVar[tuple[Option, ...]] = ()
    # Random plies before a rated game starts, so that two deterministic engines do not repeat the
    # same game.
    opening_plies: int
    # How the players' stones are drawn, where there is one kind; black first.
    symbols: ClassVar[tuple[str, str]] = ("x", "o")

    num_actions: int
    pass_action: int = -1  # -1: the game has no pass
    swap_action: int = -1  # takes over the first stone; -1: the game has no such reply
    # Whether the legal moves depend on more than the position (superko, repetition): then a result
    # from a transposition table is not a proof.
    history_matters: ClassVar[bool] = False
    board_rows: int
    board_cols: int
    # The kinds that `kernels.piece` numbers, and a line for each plane of `kernels.extra_planes`.
    piece_kinds: ClassVar[tuple[str, ...]] = ("stone",)
    extra_planes: tuple[str, ...] = ()
    # Increase this number when values of `kernels.move_features` change their meaning: policies
    # that were trained earlier are then rejected.
    features_version: ClassVar[int] = 1
    # Finished games with their results as the first player sees them, `{"A1 B1 A2 B2 A3": 1}`:
    # without these, a check of the rules cannot tell a win from a loss.
    examples: ClassVar[Mapping[str, int]] = {}
    # Whether rollouts choose among `search_actions` with equal chances.
    uniform_rollouts: ClassVar[bool] = True
    pieces_on_points: ClassVar[bool] = False  # the board has lines, and no cells
    # The rotations and mirrors of the board that preserve the rules; see dlgo.symmetry.
    symmetry_names: tuple[str, ...] = ("identity",)
    # The one that preserves the rules together with a flip of the colours (and of the first move
    # and the komi): half a turn where the men of both colours move forwards.
    colour_symmetry: str = "identity"

    def __init__(self, **settings: Any) -> None:
        self.settings: dict[str, Any] = check_settings(f"game {self.name}", self.options, settings)
        self._called = self.spec_name  # the class may be called otherwise later
        self._text = format_spec(self._called or self.name, self.options, self.settings)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"dlgo.game({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, GameSpec) and (
            self._text == other._text
            or (type(self) is type(other) and self.settings == other.settings)
        )

    def __hash__(self) -> int:
        return hash((self.name, *self.settings.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_spec, (type(self), self.settings, self._called, self.spec_digest)

    @property
    def version(self) -> str:
        """The version of the sources of an external game, 8 digits; "" for games of this
        project."""
        return self.spec_digest[:8]

    @property
    def versioned(self) -> str:
        """The specification with the version, for files: an edited game is another game."""
        return with_version(self._text, self.spec_digest)

    @property
    def slug(self) -> str:
        """The specification as part of a file name."""
        return file_slug(str(self))

    @property
    def feature_slots(self) -> tuple[tuple[str, int], ...]:
        """The slots of `kernels.move_features`: the name and the number of values of each."""
        return ("action", self.num_actions), ("forced", 2)

    @classmethod
    def of(cls, game: GameSpec) -> Self:
        """`game`, for what only games of this class have: `Go.of(state.game).komi`.

        Raises TypeError for a game of another class.
        """
        if not isinstance(game, cls):
            raise TypeError(f"{game} is not a game of {cls.__name__}")
        return game

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

    @functools.cached_property
    def moves_by_action(self) -> Mapping[int, Move]:
        """`move_of` as a mapping, in which each move is made once."""
        return _MovesByAction(self.move_of)

    def move_of(self, action: int) -> Move:
        """The move of an action; by default a play on a cell, counted from A1 along the rows, or
        the pass.
        """
        if action == self.pass_action:
            return Move.pass_turn()
        if action == self.swap_action:
            return SWAP
        row, col = divmod(int(action), self.board_cols)
        return Move.play(Point(row + 1, col + 1))

    def action_of(self, move: Move) -> int | None:
        """The action of a play, pass or swap, or None if no such move exists in this game."""
        if move.is_pass or move == SWAP:
            action = self.pass_action if move.is_pass else self.swap_action
            return action if action >= 0 else None
        point = move.point
        if point is None or not (
            1 <= point.row <= self.board_rows and 1 <= point.col <= self.board_cols
        ):
            return None
        return (point.row - 1) * self.board_cols + point.col - 1

    def move_text(self, move: Move) -> str:
        """The move in the game's notation, as `parse_move` reads it; by default `str(move)`."""
        return str(move)

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

    def whole_moves(self, moves: list[Move]) -> list[str]:
        """Successive moves as texts: one each, or one for a whole turn that notation joins."""
        return [self.move_text(move) for move in moves]

    def map_move(self, move: Move, to: Callable[[Point], Point]) -> Move:
        """The move in the board's image under the symmetry that carries points `to` others.

        By default the points of a place are moved, and anything else (a pass) is its own image.
        """
        if move.point:
            return Move.play(to(move.point))
        if not isinstance(move.place, tuple):
            return move
        return Move.play(tuple(to(p) if isinstance(p, Point) else p for p in move.place))

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

    def row_label(self, row: int) -> str:
        """The label to the left of a row."""
        return str(row)

    def col_label(self, col: int) -> str:
        """The label below a column."""
        return COLUMN_LETTERS[col - 1]

    def cell_label(self, row: int, col: int) -> str:
        """The name of a cell in notation, if it is not a point of row and column."""
        return ""

    def render(self, state: GameState) -> str:
        """The board as text; the last play, or the stones that won, in brackets."""
        return board_text(state)

    def last_cell(self, state: GameState) -> Point | None:
        """The cell of the last play, to be marked; by default the last point of its place."""
        place = state.last_move.place if state.last_move else None
        points = place if isinstance(place, tuple) and not isinstance(place, Point) else (place,)
        return next((point for point in reversed(points) if isinstance(point, Point)), None)

    def piece_symbol(self, piece: int) -> str:
        """The character that stands for a piece in text.

        Where there are several kinds, a letter of the kind's name, a capital for black.
        """
        player, kind = piece % 2, piece // 2
        if len(self.piece_kinds) == 1:
            return self.symbols[player]
        letters: list[str] = []
        for name in self.piece_kinds:
            free = [char for char in f"{name}{string.ascii_lowercase}" if char not in letters]
            letters.append(free[0])
        return letters[kind] if player else letters[kind].upper()

    def piece_mark(self, piece: int) -> str:
        """The text that an image writes on a piece; "" if there is only one kind."""
        return self.piece_symbol(piece).upper() if len(self.piece_kinds) > 1 else ""


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


class _MovesByAction(dict[int, Move]):
    """A game's moves by their actions, each made when it is first asked for."""

    def __init__(self, move_of: Callable[[int], Move]) -> None:
        super().__init__()
        self._move_of = move_of

    def __missing__(self, action: int) -> Move:
        move = self[action] = self._move_of(action)
        return move


def _unpickled_spec(
    cls: type[GameSpec], settings: Mapping[str, OptionValue], spec_name: str, spec_digest: str
) -> GameSpec:
    if spec_name:
        cls.spec_name, cls.spec_digest = spec_name, spec_digest
    options = {key: value for key, value in settings.items() if value is not None}
    return cls(**options)


def _replay(game: GameSpec, fields: tuple[np.ndarray, ...], moves: list[Move]) -> GameState:
    state = GameState(game, type(game.new_kernel_state())(*fields))
    return functools.reduce(GameState.apply_move, moves, state)
