"""Games for the tests of reports: records written by hand, simulated tournaments."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dlgo.records.failures import Failure
from dlgo.records.ledger import GameRecord

# How the reasons begin that tests give, and what they tell of.
FAILURES = {"illegal move by ": Failure.ILLEGAL_MOVE, "crash of ": Failure.CRASH,
            "no move from ": Failure.TIMEOUT, "process died ": Failure.DIED}

Played = tuple[list[str], list[str], list[float]]


def simulate(
    strengths: dict[str, float], rounds: int, gamma: float, nu: float, rng: np.random.Generator,
    cycle: float = 0.0,
) -> Played:
    """A double round robin played `rounds` times; strengths in Elo. The first entrant is `cycle`
    better against the second than that, the second against the third, and the third against the
    first."""
    names = list(strengths)
    ahead_of = dict(zip(names[:3], [*names[1:3], names[0]], strict=False))
    first, second, result = [], [], []
    for mover, opponent in itertools.permutations(strengths, 2):
        extra = cycle * ((ahead_of.get(mover) == opponent) - (ahead_of.get(opponent) == mover))
        ahead = gamma * 10 ** ((strengths[mover] + extra) / 400)
        behind = 10 ** (strengths[opponent] / 400)
        weights = np.array([ahead, nu * math.sqrt(ahead * behind), behind])
        first += [mover] * rounds
        second += [opponent] * rounds
        result += rng.choice([1.0, 0.5, 0.0], size=rounds, p=weights / weights.sum()).tolist()
    return first, second, result


def game_record(
    number: int, first: str, second: str, result: float, *, reason: str = "",
    game: str = "connect4", **fields: object,
) -> GameRecord:
    """A game of a ledger; what is not given is the same in all."""
    given = {
        "slot": f"{game}|{first}|{second}|{number}", "pair": number, "opening": "",
        "seed": number, "moves": f"{number}", "started": "2025-01-01T00:00:00",
        "finished": "2025-01-01T00:01:00", "machine": "m", "version": "1", **fields,
    }
    return GameRecord(
        game=game, first=first, second=second, result=result, reason=reason,
        failure=next((kind for words, kind in FAILURES.items() if reason.startswith(words)), None),
        **given,
    )
