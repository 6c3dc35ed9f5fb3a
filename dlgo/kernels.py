"""The compiled protocol: the functions that every game offers to searches and rollouts.

A kernel state is a `NamedTuple` of NumPy arrays. Its class identifies the game, and the functions
below dispatch on that class: in compiled code while compiling (so a call costs nothing and
inlines), in Python through a table. A search written against them is compiled once for each game
and does not depend on any of them:

    while not terminal(state):
        n = legal_actions(state, actions)
        play(state, actions[below(rng, n)])
    return result(state)

Conventions, for every game:

* An action is an int in `0 .. num_actions - 1`.
* Players are 0 (who moves first, except after a handicap in Go) and 1. Turns need not alternate:
  ask `to_move`.
* Results and values are from the view of player 0: +1 won, 0 drawn, -1 lost. Only `evaluate` is
  from the view of the player to move.
* A batch of states is the same tuple with one more leading axis; `row(batch, i)` is its
  i-th state, sharing memory. Fields that a class names in `shared_fields` (tables that no move
  changes) have no such axis: all states of a batch have the same.

A game registers its functions with `implement`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numba.extending import overload

from dlgo.dispatch import NAMED_TUPLES, ByClass, by_class
from dlgo.jit import kernel
from dlgo.rng import below

P = ParamSpec("P")
R = TypeVar("R")
# A game's NamedTuple, or a batch of them. Any, because each game has fields of its own: its class
# decides which kernels are called.
KernelState: TypeAlias = Any

NOBODY = -1

_implementations: dict[str, dict[type, Any]] = {}
# For each function that a game may omit: the function or kernel that is used instead.
_defaults: dict[str, str | Callable[..., Any]] = {}


def _protocol(stub: Callable[P, R]) -> ByClass[P, R]:
    """Make `stub` callable on any game's state, from Python and from compiled code."""
    dispatch = by_class(stub)
    _implementations[stub.__name__] = dispatch.table
    return dispatch


def _optional(
    standby: str | Callable[..., Any],
) -> Callable[[Callable[P, R]], ByClass[P, R]]:
    """`_protocol` for a function that a game may omit; another function or a kernel is used
    instead."""
    def mark(stub: Callable[P, R]) -> ByClass[P, R]:
        _defaults[stub.__name__] = standby
        return _protocol(stub)

    return mark


@_protocol
def reset(state: KernelState) -> None:
    """Set up the start position. Sizes and other options are in the arrays already.

    (Handicap stones of Go are put down afterwards, by its `GameSpec`.)
    """


@_protocol
def copy_into(target: KernelState, source: KernelState) -> None:
    """Make `target` equal to `source`; both come from the same game with the same options."""


@_protocol
def to_move(state: KernelState) -> int:
    """The player whose turn it is: 0 or 1."""


@_protocol
def legal_actions(state: KernelState, out: np.ndarray) -> int:
    """Write every legal action into `out` (int array, num_actions long); return how many."""


@_protocol
def is_legal(state: KernelState, action: int) -> bool:
    """Whether `action` (in range) may be played. The game must not be over."""


@_optional("legal_actions")
def search_actions(state: KernelState, out: np.ndarray) -> int:
    """Like `legal_actions`, without moves no sensible player makes; never empty unless that is.

    Go excludes moves that fill an own eye. By default: all legal actions.
    """


@_optional("search_actions")
def forced_actions(state: KernelState, out: np.ndarray) -> int:
    """Like `search_actions`, but only the forced ones, the most promising first.

    Excluded actions must not change the value of a search of two plies or more: if a move wins at
    once, that move is enough; a threat to win at once must be answered; a move that lets the
    opponent win at once answers nothing. By default: `search_actions`.
    """


@kernel
def _always(state: KernelState) -> bool:
    return True


@_optional(_always)
def quiet(state: KernelState) -> bool:
    """Whether `evaluate` may judge this position; the game must not be over.

    False in the middle of an exchange: a search then continues, with all actions, until the
    position is quiet. So a game may return False only where moves are forced and few, and where
    the exchange must end. By default: always quiet.
    """


@_protocol
def play(state: KernelState, action: int) -> None:
    """Play a legal action. Does not check it."""


@_protocol
def terminal(state: KernelState) -> bool:
    """Whether the game is over."""


@_protocol
def result(state: KernelState) -> int:
    """Result of a finished game as player 0 sees it: +1, 0 or -1."""


@kernel
def _no_margin(state: KernelState) -> float:
    return 0.0


@_optional(_no_margin)
def margin(state: KernelState) -> float:
    """By how much player 0 has won a finished game, in points; its sign is `result`.

    For games that are decided by counting. By default: 0.
    """


@kernel
def _no_ownership(state: KernelState, out: np.ndarray) -> None:
    for row in range(out.shape[0]):
        for col in range(out.shape[1]):
            out[row, col] = 0


@_optional(_no_ownership)
def ownership(state: KernelState, out: np.ndarray) -> None:
    """Write the owner of each cell of the board at the end: +1 player 0, -1 player 1, 0 none.

    For games in which this tells more than the winner does. The game must be over. By default: 0.

    Args:
        out: int8[rows, cols], row 0 at the bottom.
    """


@_protocol
def key(state: KernelState) -> int:
    """Zobrist key (int64) of the position, the side to move included."""


@_protocol
def rollout(state: KernelState, rng: np.ndarray) -> int:
    """Play to the end at random, changing `state`; return the result as player 0 sees it.

    `rng` is a generator state of `dlgo.rng`.
    """


@kernel
def _forced_rollout(
    state: KernelState, rng: np.ndarray, actions: np.ndarray, first_players: np.ndarray,
) -> int:
    while not terminal(state):
        n = forced_actions(state, actions)
        action = actions[below(rng, n)]
        if first_players[action] == NOBODY:
            first_players[action] = to_move(state)
        play(state, action)
    return result(state)


@_optional(_forced_rollout)
def heavy_rollout(
    state: KernelState, rng: np.ndarray, actions: np.ndarray, first_players: np.ndarray,
) -> int:
    """Like `rollout`, but with moves that a player would consider first; records the actions
    played.

    By default: any of the `forced_actions`, which wins at once where it can and blocks.

    Args:
        actions: int64[num_actions], scratch.
        first_players: int8[num_actions]; an element that is NOBODY becomes the first player who
            plays the action.
    """


@kernel
def _no_hints(
    state: KernelState, actions: np.ndarray, n: int, visits: np.ndarray, wins: np.ndarray,
) -> None:
    for i in range(n):
        visits[i] = 0.0
        wins[i] = 0.0


@_optional(_no_hints)
def hints(
    state: KernelState, actions: np.ndarray, n: int, visits: np.ndarray, wins: np.ndarray,
) -> None:
    """Knowledge about actions before any search, as imagined results.

    Each of `actions[:n]` starts as if it had been tried `visits[i]` times and been won, for
    the player to move, `wins[i]` times. By default: never tried.

    Args:
        visits, wins: float32[num_actions], to be written.
    """


@kernel
def _plain_features(
    state: KernelState, actions: np.ndarray, n: int, scratch: np.ndarray, out: np.ndarray,
) -> None:
    for i in range(n):
        out[actions[i], 0] = 0
    for i in range(forced_actions(state, scratch)):
        out[scratch[i], 0] = 1
    # Row i still says of action i whether it is forced until that has been copied.
    for i in range(n):
        out[i, 1] = out[actions[i], 0]
    for i in range(n):
        out[i, 0] = actions[i]


@_optional(_plain_features)
def move_features(
    state: KernelState, actions: np.ndarray, n: int, scratch: np.ndarray, out: np.ndarray,
) -> None:
    """Features of moves for a linear policy: a value for each slot of `GameSpec.feature_slots`.

    Values are from the view of the player to move, 0 and up. By default: the action's number, and
    whether it is one of the `forced_actions`.

    Args:
        actions: int64[num_actions], of which the first `n` are wanted: all the `search_actions`, or
            some of them, in any order.
        scratch: int64[num_actions], another array than `actions`.
        out: int32[num_actions, slots]; row i is written for `actions[i]`, and the rest is
            overwritten.
    """


@_protocol
def evaluate(state: KernelState) -> int:
    """Static estimate of an unfinished game for the player to move; an int, |value| < 10,000."""


@_protocol
def piece(state: KernelState, cell: int) -> int:
    """The content of a cell: NOBODY, or player + 2 * kind.

    `cell` is row * board_cols + column, row 0 at the bottom. The kinds are numbered in the
    order of the game's `GameSpec.piece_kinds`.
    """


@kernel
def _no_extra_planes(state: KernelState, out: np.ndarray, first: int) -> None:
    pass


@_optional(_no_extra_planes)
def extra_planes(state: KernelState, out: np.ndarray, first: int) -> None:
    """Write planes for the parts of the position that are not on the board, as network input.

    One plane for each line of `GameSpec.extra_planes`, values about 0 to 1. By default: none.

    Args:
        out: float32[rows, cols, planes], row 0 at the bottom, zero where this writes.
        first: the index of the first of the planes to write.
    """


@kernel
def fill_plane(out: np.ndarray, plane: int, value: float) -> None:
    """Set a whole plane of float32[rows, cols, planes] to one value."""
    for row in range(out.shape[0]):
        for col in range(out.shape[1]):
            out[row, col, plane] = value


def implement(state_class: type, **functions: Any) -> None:
    """Register a game's compiled functions for its state class.

    Raises:
        TypeError: if a function of the protocol is missing or unknown.
    """
    for name, standby in _defaults.items():
        functions.setdefault(name, functions.get(standby) if isinstance(standby, str) else standby)
    missing = sorted(set(_implementations) - set(functions))
    unknown = sorted(set(functions) - set(_implementations))
    if missing or unknown:
        raise TypeError(
            f"{state_class.__name__}: missing kernels {missing}, unknown kernels {unknown}"
        )
    for name, function in functions.items():
        _implementations[name][state_class] = function


def offers(state: KernelState, name: str) -> bool:
    """Whether the game of a state defines an optional function of the protocol itself."""
    standby = _defaults[name]
    if isinstance(standby, str):
        standby = _implementations[standby][type(state)]
    return _implementations[name][type(state)] is not standby


def functions_of(state_class: type) -> dict[str, Any]:
    """The functions that a game has registered for the class of its states, or that are used
    instead, by name; {} for another class."""
    return {name: table[state_class] for name, table in _implementations.items()
            if state_class in table}


def row(batch: KernelState, i: int) -> KernelState:
    """State `i` of a batch (one leading axis more), sharing its memory."""
    return _map_fields(batch, lambda field: field[i])


@overload(row, strict=False)  # which would compare annotations, too
def _row(batch: Any, i: Any) -> Any:
    return _for_each_field(batch, "row(batch, i)", "[i]")


def _for_each_field(batch: Any, signature: str, index: str) -> Any:
    # Numba cannot loop over a tuple's fields, so the code that names each one is generated.
    if not isinstance(batch, NAMED_TUPLES):
        return None
    state_class = batch.instance_class
    shared = _shared(state_class)
    fields = ", ".join(
        f"batch.{name}{'' if name in shared else index}" for name in state_class._fields
    )
    scope: dict[str, Any] = {"state_class": state_class}
    exec(f"def {signature}:\n    return state_class({fields})", scope)
    return scope[signature.partition("(")[0]]


def rows(batch: KernelState, start: int, stop: int) -> KernelState:
    """States `start` to `stop` (excluded) of a batch, as a batch that shares its memory."""
    return _map_fields(batch, lambda field: field[start:stop])


@overload(rows, strict=False)
def _rows(batch: Any, start: Any, stop: Any) -> Any:
    return _for_each_field(batch, "rows(batch, start, stop)", "[start:stop]")


def alone(state: KernelState) -> KernelState:
    """A batch of this one state, sharing its memory."""
    return _map_fields(state, lambda field: field[None])


@overload(alone, strict=False)
def _alone(batch: Any) -> Any:
    return _for_each_field(batch, "alone(batch)", "[None, ...]")  # Numba 0.61 cannot compile [None]


def make_batch(state: KernelState, n: int) -> KernelState:
    """A batch of `n` states with the shapes of `state`, all arrays 0. Make them positions with
    `reset` or `copy_into`."""
    # Not `zeros_like`, which writes to all memory.
    return _map_fields(state, lambda field: np.zeros((n, *field.shape), field.dtype))


def _map_fields(
    state: KernelState, function: Callable[[np.ndarray], np.ndarray],
) -> KernelState:
    """The same tuple with a function of each field that is not shared."""
    shared = _shared(type(state))
    return type(state)(*(
        field if name in shared else function(field)
        for name, field in zip(state._fields, state, strict=True)
    ))


def _shared(state_class: type) -> tuple[str, ...]:
    return getattr(state_class, "shared_fields", ())


OVER, ILLEGAL = -1, -2


@kernel
def survey(state: KernelState, out: np.ndarray) -> tuple[int, int]:
    """The legal actions and the player to move, for Python in one call.

    Returns:
        The number of actions written into `out`, or OVER; and the player to move.
    """
    player = to_move(state)
    return (OVER if terminal(state) else legal_actions(state, out)), player


@kernel
def play_and_survey(state: KernelState, action: int, out: np.ndarray) -> tuple[int, int]:
    """Play `action` if it is legal, and `survey`; ILLEGAL in place of the number if it is not.

    The game must not be over.
    """
    if not is_legal(state, action):
        return ILLEGAL, to_move(state)
    play(state, action)
    return survey(state, out)


@kernel
def rollouts(state: KernelState, work: KernelState, rng: np.ndarray, n: int) -> int:
    """Play `n` random games from `state`; return the sum of their results for player 0."""
    total = 0
    for _ in range(n):
        copy_into(work, state)
        total += rollout(work, rng)
    return total
