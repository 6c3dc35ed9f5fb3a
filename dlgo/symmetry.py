"""Symmetries of a board (rotations and mirrors): the same position, seen from another side.

A game names those that preserve its rules (`GameSpec.symmetry_names`) and, where a play is not a
point of the board, maps its moves (`GameSpec.map_move`). `symmetries` makes index arrays, which
permute planes and policies alike. Networks learn every position from all sides (chapter 14; AlphaGo
Zero did the same).

Draughts has none: a mirror or a quarter turn carries dark squares to light ones, and half a
turn makes men move the other way. But half a turn together with a colour flip preserves its rules
(`GameSpec.colour_symmetry`), so an encoder may show both players the board from their own side
(`exchange`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dlgo.moves import Point

if TYPE_CHECKING:
    from dlgo.api import GameSpec

# The image of an array of the board, row 0 at the bottom. Turns are against the clock.
_MAPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda board: board,
    "mirror": lambda board: board[:, ::-1],
    "flip": lambda board: board[::-1],
    "rotate180": lambda board: board[::-1, ::-1],
    "transpose": lambda board: board.T,
    "rotate90": lambda board: board[::-1].T,
    "rotate270": lambda board: board[:, ::-1].T,
    "antitranspose": lambda board: board[::-1, ::-1].T,
}

# The choices of a game: all eight of a square, those of a rectangle, and the left-right mirror.
SQUARE = tuple(_MAPS)
OBLONG = SQUARE[:4]
LEFT_RIGHT = SQUARE[:2]


@dataclass(frozen=True, eq=False)
class Symmetries:
    """The symmetries of a game, the identity first."""

    names: tuple[str, ...]  # a name for each of the K symmetries
    # int64[K, rows * cols]; cell `cells[k, i]` moves to cell i.
    cells: np.ndarray
    # int64[K, num_actions]; the action whose image is action a is `actions[k, a]`.
    actions: np.ndarray
    inverse: np.ndarray  # int64[K], the symmetry that undoes each

    def __len__(self) -> int:
        return len(self.names)

    def planes(self, k: int, planes: np.ndarray) -> np.ndarray:
        """The image of planes [..., rows, cols, planes]."""
        *which, rows, cols, n = planes.shape
        flat = planes.reshape(*which, rows * cols, n)
        return flat[..., self.cells[k], :].reshape(planes.shape)

    def policy(self, k: int, policy: np.ndarray) -> np.ndarray:
        """The image of a policy [..., num_actions], or of any other array with an element for each
        action."""
        return policy[..., self.actions[k]]

    def images(self, k: int, actions: np.ndarray) -> np.ndarray:
        """The images of actions, given by number."""
        images: np.ndarray = self.actions[self.inverse[k]][actions]
        return images

    def action(self, k: int, action: int) -> int:
        """The image of one action."""
        return int(self.actions[self.inverse[k], action])

    def drawn(self, count: int, rng: np.random.Generator) -> Iterator[tuple[int, np.ndarray]]:
        """Draw a symmetry for each of `count` positions: each but the identity, and its rows."""
        return by_symmetry(rng.integers(len(self), size=count))


def by_symmetry(numbers: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Positions sorted by their symmetry, int[n]: each one that occurs but the identity, and its
    rows."""
    for k in np.unique(numbers[numbers > 0]).tolist():
        yield k, np.flatnonzero(numbers == k)


def symmetries(game: GameSpec) -> Symmetries:
    """The symmetries of a game.

    ValueError if the game names an unknown one, or an action's image is not an action.
    """
    return _group(game, game.symmetry_names)


def exchange(game: GameSpec) -> Symmetries:
    """The symmetries for a colour flip: the identity and `colour_symmetry`.

    ValueError as for `symmetries`, or if the game's is the identity.
    """
    return _group(game, ("identity", game.colour_symmetry))


def _group(game: GameSpec, names: tuple[str, ...]) -> Symmetries:
    if not names or names[0] != "identity" or set(names) - set(_MAPS) or (
        len(set(names)) < len(names)
    ):
        raise ValueError(
            f"{game}: symmetries {names} must begin with identity, differ, and be among "
            f"{', '.join(_MAPS)}"
        )
    board = np.arange(game.board_rows * game.board_cols).reshape(game.board_rows, -1)
    cells = np.array([_MAPS[name](board).ravel() for name in names])
    actions = np.array([_action_map(game, *pair) for pair in zip(names, cells, strict=True)])
    inverse = [
        next(j for j in range(len(names)) if (cells[j][cells[k]] == board.ravel()).all())
        for k in range(len(names))
    ]
    return Symmetries(names, cells, actions, np.array(inverse, np.int64))


def _action_map(game: GameSpec, name: str, cells: np.ndarray) -> np.ndarray:
    images = np.arange(game.num_actions)
    if name == "identity":  # some numbers below num_actions may not be moves
        return images
    targets = np.argsort(cells)

    def to(point: Point) -> Point:
        row, col = divmod(int(targets[(point.row - 1) * game.board_cols + point.col - 1]),
                          game.board_cols)
        return Point(row + 1, col + 1)

    indices: set[int] = set()
    for action in range(game.num_actions):
        try:
            move = game.move_of(action)
        except KeyError:  # not a move, so its own image
            continue
        image = game.map_move(move, to)
        index = game.action_of(image)
        if index is None or index in indices:
            raise ValueError(f"{game}: under {name}, {move} becomes {image}")
        indices.add(index)
        images[index] = action
    return images
