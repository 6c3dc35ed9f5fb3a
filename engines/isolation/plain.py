"""Plain values between processes that do not trust each other: as JSON, and nothing that runs.

Numbers, text, lists, tuples, sets, dicts and arrays arrive as what they were, moves and positions
of `dlgo` as well. Functions travel one way: the other side can call them, and we compute. Any other
returned value arrives as an `Other`, which equals nothing. A hand-in's process loads `dlgo` and
NumPy only if it uses them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Characters of the description of what is not plain.
_SHOWN = 80


@dataclass(frozen=True, eq=False)
class Other:
    """A placeholder for an object that is not plain; `text` is its description."""

    text: str

    def __repr__(self) -> str:
        return self.text


def to_plain(value: Any, functions: list[Callable[..., Any]] | None = None) -> Any:
    """A value as JSON can hold it; functions in it go to `functions` (None: they are not plain)."""
    def plain(parts: Any) -> list[Any]:
        return [to_plain(part, functions) for part in parts]

    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return plain(value)
    module = kind.__module__.partition(".")[0]
    if module == "dlgo":
        from dlgo.api import GameState, Move

        if isinstance(value, Move):
            return {"move": [str(value.kind), to_plain(value.place)]}
        if isinstance(value, GameState) and functions is not None:
            return {"state": [str(value.game), to_plain(value.moves())]}
    if isinstance(value, tuple):
        return {"tuple": plain(value)}
    if kind in (set, frozenset):
        return {"set": plain(value)}
    if isinstance(value, dict):
        return {"dict": list(map(plain, value.items()))}
    if module == "numpy" and hasattr(value, "tolist") and value.dtype != object:
        if value.ndim:
            return {"array": [value.dtype.str, list(value.shape), value.ravel().tolist()]}
        return to_plain(value.tolist(), functions)
    if functions is not None and callable(value):
        functions.append(value)
        return {"function": len(functions) - 1}
    return {"other": f"{kind.__name__}: {str(value)[:_SHOWN]}"}


def from_plain(value: Any, function: Callable[[int], Callable[..., Any]] | None = None) -> Any:
    """What `to_plain` was given; `function` makes a function of the number of one. Raises
    ValueError, TypeError or KeyError for something else. Code never runs."""
    if isinstance(value, list):
        return [from_plain(part, function) for part in value]
    if not isinstance(value, dict):
        return value
    [(kind, content)] = value.items()
    match kind:
        case "tuple":
            return tuple(from_plain(content, function))
        case "set":
            return frozenset(from_plain(content, function))
        case "dict":
            return {from_plain(k, function): from_plain(v, function) for k, v in content}
        case "array":
            import numpy as np

            dtype, shape, numbers = content
            return np.array(numbers, dtype=np.dtype(str(dtype))).reshape(shape)
        case "move":
            from dlgo.api import Move, Point

            place = from_plain(content[1])
            return Move(str(content[0]), Point(*place) if isinstance(place, tuple) else place)
        case "state" if function is not None:
            from dlgo.api import GameState
            from dlgo.games import get_game

            state = GameState.new_game(get_game(content[0]))
            for move in from_plain(content[1]):
                state = state.apply_move(move)
            return state
        case "function" if function is not None:
            return function(content)
        case "other":
            return Other(str(content))
    raise ValueError(kind)
