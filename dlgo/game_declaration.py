"""What a game declares, whatever the position: its name and options, its board, its moves and how
they are written. Most of it has a default that a game can override.
"""

from __future__ import annotations

import functools
import string
from abc import ABC
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

import dlgo.plugins  # noqa: F401 (finds games of files, in processes that unpickle them, too)
from dlgo.moves import COLUMN_LETTERS, SWAP, Move, Point
from dlgo.specs import Option, OptionValue, check_settings, format_spec, with_version
from dlgo.text import file_slug

# Searches store actions in 16 bits or in 32 bits. Several arrays have an element for each action.
MOST_ACTIONS = 1 << 24


def action_type(num_actions: int) -> type[np.signedinteger]:
    """The integers that hold every action of a game, their number, and -1 for none."""
    return np.int16 if num_actions <= np.iinfo(np.int16).max else np.int32


class GameDeclaration(ABC):
    """The part of a `GameSpec` that needs neither compiled rules nor a position.

    Two are equal if they describe the same game with the same options.
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
    history_matters: bool = False
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
        self.called = self.spec_name  # the class may be called otherwise later

    @property
    def called(self) -> str:
        """The name of an external game in specifications; "" for others."""
        return self._called

    @called.setter
    def called(self, name: str) -> None:
        self._called = name
        self._text = format_spec(name or self.name, self.options, self.settings)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"dlgo.game({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, GameDeclaration) and (
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
    def of(cls, game: GameDeclaration) -> Self:
        """`game`, for what only games of this class have: `Go.of(state.game).komi`.

        Raises TypeError for a game of another class.
        """
        if not isinstance(game, cls):
            raise TypeError(f"{game} is not a game of {cls.__name__}")
        return game

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

    def row_label(self, row: int) -> str:
        """The label to the left of a row."""
        return str(row)

    def col_label(self, col: int) -> str:
        """The label below a column."""
        return COLUMN_LETTERS[col - 1]

    def cell_label(self, row: int, col: int) -> str:
        """The name of a cell in notation, if it is not a point of row and column."""
        return ""

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


class _MovesByAction(dict[int, Move]):
    """A game's moves by their actions, each made when it is first asked for."""

    def __init__(self, move_of: Callable[[int], Move]) -> None:
        super().__init__()
        self._move_of = move_of

    def __missing__(self, action: int) -> Move:
        move = self[action] = self._move_of(action)
        return move


def _unpickled_spec(
    cls: type[GameDeclaration], settings: Mapping[str, OptionValue], spec_name: str,
    spec_digest: str,
) -> GameDeclaration:
    if spec_name:
        cls.spec_name, cls.spec_digest = spec_name, spec_digest
    options = {key: value for key, value in settings.items() if value is not None}
    return cls(**options)
