"""Games made of their classes: declarations of a user's class that cannot work are rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlgo.api import COLUMN_LETTERS, GameSpec
from dlgo.errors import DlgoError, SpecError
from dlgo.game_declaration import MOST_ACTIONS


def make_game(cls: type[GameSpec], settings: Mapping[str, Any]) -> GameSpec:
    """A game with these settings. Raises SpecError for a setting that its `__init__` rejects, as by
    a ValueError, and for a class that `check_declaration` rejects."""
    for name in ("name", "title"):
        value = getattr(cls, name, None)
        if not (isinstance(value, str) and value):
            raise SpecError(f"game {cls.__name__}: {name} is {value!r}; set it to a text")
    try:
        game = cls(**settings)
    except DlgoError:
        raise
    except ValueError as error:
        values = ",".join(f"{key}={value}" for key, value in settings.items())
        text = (f"game {cls.spec_name or cls.name}{values and f':{values}'}: "
                f"{error or type(error).__name__}")
        raise SpecError(" ".join(text.split())) from error
    check_declaration(game)
    return game


def check_declaration(game: GameSpec) -> None:
    """Raise SpecError for a size that no board has, and for a text in place of a tuple of texts."""
    for name in ("extra_planes", "piece_kinds", "symmetry_names"):
        if isinstance(text := getattr(game, name), str):
            raise SpecError(
                f"game {game}: {name} is the text {text!r}; write a comma after it, as in "
                f"({text!r},)")
    has_letters = type(game).col_label is GameSpec.col_label
    for name, low, high in (
        ("num_actions", 1, MOST_ACTIONS), ("board_rows", 1, 1000),
        ("board_cols", 1, len(COLUMN_LETTERS) if has_letters else 1000),
        ("opening_plies", 0, 1000), ("pass_action", -1, getattr(game, "num_actions", 1) - 1),
    ):
        value = getattr(game, name, None)
        if type(value) is not int or not low <= value <= high:
            raise SpecError(
                f"game {game}: {name} is {value!r}; set it to a whole number from {low:,} to "
                f"{high:,}"
            )
