"""The ways in which an engine loses a game by a failure instead of by the rules, and those in which
an answer of a language model has no move.

The ledger keeps the kind in a column (`failure`), for programs; the sentence beside it
(`reason`) tells people what happened.
"""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    """A kind of failure; the value is what the ledger stores."""

    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"  # an exception; an external program that died or answered nonsense
    DIED = "process died"
    NONSENSE = "nonsense"  # something other than a message came through the pipe
    MALFORMED = "malformed answer"  # of a language model: no move can be read in it
    UNREACHABLE = "unreachable"  # the server of a language model: no connection, an HTTP error
    TIMEOUT = "timeout"  # no move: it was killed
    OVER_CPU = "over cpu"  # a move came, but cost more than allowed
    OVER_WALL = "over wall"
    OVER_COUNT = "over count"  # simulations, nodes or evaluations
    OVER_MEMORY = "over memory"


class AnswerKind(StrEnum):
    """What an answer of a language model is instead of a move; the ledger counts them."""

    EMPTY = "empty"
    NO_MOVE = "no move"  # nothing in it is marked as the move
    NOT_A_MOVE = "not a move"  # what is marked cannot be read
    TWO_MOVES = "two moves"
    REFUSAL = "refusal"  # also by a filter
    TOOL_CALL = "tool call"
    CUT_OFF = "cut off"  # `finish_reason` is `length`
    THINKING_ONLY = "thinking only"
    TOO_LONG = "too long"
    OTHER_FORM = "other form"  # a move, but not in the form that was asked for

    @property
    def column(self) -> str:
        """Its name in tables and in the ledger."""
        return self.value.replace(" ", "_")
