"""The ways in which an engine loses a game by a fault of its own instead of by the rules.

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
    TIMEOUT = "timeout"  # no move: it was killed
    OVER_CPU = "over cpu"  # a move came, but cost more than allowed
    OVER_WALL = "over wall"
    OVER_COUNT = "over count"  # simulations, nodes or evaluations
    OVER_MEMORY = "over memory"


# How the sentences begin. Format 2 of the ledger had nothing but the sentence.
_FIRST_WORDS = {
    "illegal move by ": Failure.ILLEGAL_MOVE,
    "crash of ": Failure.CRASH,
    "process died ": Failure.DIED,
    "process sent nonsense ": Failure.NONSENSE,
    "no move from ": Failure.TIMEOUT,
    "overrun by ": Failure.OVER_COUNT,
    "out of memory: ": Failure.OVER_MEMORY,
}


def failure_of_sentence(reason: str) -> Failure | None:
    """The kind of failure that a sentence of an old ledger tells of; None if of none."""
    kinds = (kind for words, kind in _FIRST_WORDS.items() if reason.startswith(words))
    kind = next(kinds, None)
    if kind is Failure.OVER_COUNT:
        for words, timed in ((" s of CPU time ", Failure.OVER_CPU),
                             (" s of wall time ", Failure.OVER_WALL)):
            if words in reason:
                return timed
    return kind
