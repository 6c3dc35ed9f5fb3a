"""A broken rule, as an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from dlgo.api import GameState
from dlgo.errors import DlgoError
from dlgo.tracebacks import describe


class Kind(StrEnum):
    """The kind of fault, for rules whose name alone does not determine the remedy."""

    # Exceptions, by their names.
    INDEX = "IndexError"
    NAME = "NameError"
    OVERFLOW = "OverflowError"
    NO_VALUE = "a kernel returns nothing"
    NO_ACTION = "no action is listed in an unfinished game"
    ACTION_RANGE = "an action is num_actions or more"
    ENDLESS = "a loop does not end"
    LENGTH = "a game does not end"
    NEW_STATE = "a new state is not reset"
    SAME_KEY = "different positions have the same key"
    ARITHMETIC = "plain Python computes something else than compiled code"
    CHANGED_STATE = "an engine changes the position"
    UNEVEN = "a rollout does not choose evenly"
    ROLLOUT_ACTION = "a rollout plays what it must not"


_EXCEPTIONS = {str(kind): kind for kind in (Kind.INDEX, Kind.NAME, Kind.OVERFLOW)}


class RuleBroken(AssertionError):
    """A game or engine breaks a rule: `rule: what is wrong (game, after which moves)`.

    Attributes:
        rule: the name of the rule.
        text: what is wrong.
        kind: what is wrong, for programs; None if the rule says it.
        line: the line of the user's file that caused it in another process; 0 elsewhere.
        states: the positions that show it: that of the text first, if there is one.
        again: raises the same fault if other states show it, too; None: the rule does.
    """

    states: tuple[GameState, ...] = ()
    again: Callable[[Sequence[GameState]], None] | None = None

    def __init__(self, rule: str, text: str, kind: Kind | None = None, line: int = 0) -> None:
        super().__init__(rule, text, kind, line)
        self.rule, self.text, self.kind, self.line = rule, text, kind, line

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}"


def broken(
    rule: str, text: str, state: GameState | None = None, kind: Kind | None = None,
    twin: GameState | None = None,
    again: Callable[[Sequence[GameState]], None] | None = None,
) -> RuleBroken:
    """The error to raise, with the moves to the position in which the rule was broken.

    Args:
        twin: the position that it is compared with, if there is one.
        again: see `RuleBroken`.
    """
    error = RuleBroken(rule, text + (f" ({_way_to(state)})" if state else ""), kind)
    error.states, error.again = tuple(one for one in (state, twin) if one), again
    return error


def _way_to(state: GameState) -> str:
    game, moves = state.game, state.moves()
    try:
        texts = [game.move_text(move) for move in moves]
    except Exception:  # the notation is a check of its own
        texts = [str(move.place) for move in moves]
    return f"{game}, " + (f"after {' '.join(texts)}" if texts else "at the start")


def explain(
    error: BaseException, is_own: Callable[[str], bool]
) -> tuple[Kind | None, int]:
    """The kind of an exception, and the line of the user's file that raised it (0 if unknown).

    What the exception itself does not tell is looked for in those that led to it.

    Args:
        is_own: whether the file of a name is the user's.
    """
    kind, line, raised_from = None, 0, True
    cause: BaseException | None = error
    while cause is not None:
        fault = describe(cause, is_own)
        if raised_from and kind is None:
            kind = cause.kind if isinstance(cause, RuleBroken) else _EXCEPTIONS.get(fault.kind)
        line = line or fault.line or (cause.line if isinstance(cause, RuleBroken) else 0)
        wrapped = isinstance(cause, RuleBroken | DlgoError) and cause.__cause__ is not None
        raised_from = raised_from and wrapped
        cause = cause.__cause__ or cause.__context__
    return kind, line
