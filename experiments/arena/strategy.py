"""How many pairs of each match a tournament plays: a fixed number, or as results demand.

A strategy names the pairs to be played, a step at a time, and is told how the games end. The
`Agenda` makes games of the pairs and keeps track of what has been played. To depend on nothing
but the plan and its seed, a strategy must not look at the order in which games end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from experiments.arena.schedule import Pair, Plan

# A step beyond the sure pairs is this share of what was played: the results are looked at a few
# dozen times, however long the tournament.
STEP = 0.1


class Result(NamedTuple):
    """What a strategy needs to know of a game; `result` is as `first` sees it."""

    game: str
    first: str
    second: str
    pair: int
    moves: str
    result: float


class Strategy:
    """Rounds (one pair of every match) up to `sure_pairs`, then what a subclass asks for.

    Args:
        plan: canonical.
        sure_pairs: pairs of each match that are played whatever the results.

    Attributes:
        headline: what is played, a sentence; "" if the plan says it.
        verdict: how it stands, a sentence; "" if there is nothing to say.
    """

    headline = verdict = ""

    def __init__(self, plan: Plan, sure_pairs: int) -> None:
        self.plan = plan
        self.sure_pairs = sure_pairs
        # How many pairs of (game, one, other) have been asked for, and what each step was.
        self.started: Counter[tuple[str, str, str]] = Counter()
        self.steps: list[list[Pair]] = []
        self._matches = plan.matches()

    def next_step(
        self, open_slots: Collection[str], stopped: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """The pairs to be played next; none if there are none, or if it is too early to say.

        Args:
            open_slots: games that have been asked for and have not ended.
            stopped: (game, entrant) that play no more.
        """
        number = len(self.steps)
        if number < self.sure_pairs:
            step = [Pair(game, *m, number) for m in self._matches for game in self.plan.games]
        else:
            step = self.further_step(open_slots, stopped)
        if step:
            for pair in step:
                self.started[pair.match] = pair.number + 1
            self.steps.append(step)
        return step

    def coming(self) -> Collection[Pair]:
        """Pairs beyond the sure ones that will be asked for, as far as that is known."""
        return ()

    def further_step(
        self, open_slots: Collection[str], stopped: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """Like `next_step`, once the sure pairs have been asked for."""
        return []

    def game_ended(self, slot: str, result: Result) -> None:
        """A game that was asked for has ended, or had before."""

    def is_over(self, game: str) -> bool:
        """Whether games asked for are not wanted any more."""
        return False

    def open_matches(
        self, game: str, stopped: Collection[tuple[str, str]]
    ) -> list[tuple[str, str]]:
        """The matches on a game that may have further pairs."""
        return [
            (one, other) for one, other in self._matches
            if (game, one) not in stopped and (game, other) not in stopped
            and self.started[game, one, other] < self.plan.max_pairs
        ]

    def even_pairs(self, game: str, matches: list[tuple[str, str]]) -> list[Pair]:
        """The same number of further pairs for every match."""
        done = max(self.started[game, *match] for match in matches)
        last = min(done + max(1, int(STEP * done)), self.plan.max_pairs)
        return [Pair(game, *match, k) for k in range(done, last) for match in matches]
