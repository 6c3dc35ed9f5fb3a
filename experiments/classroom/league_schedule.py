"""Which games of a league are played, and in which order.

First everybody plays one pair of games with every staff bot. Who is not to play on is then decided,
by these games alone. The others play the rest of their games with staff bots, then each other.
Games of a few entrants follow each other, so that their processes can be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from experiments.arena.schedule import Pair, Plan
from experiments.arena.strategy import Strategy

# Students in a block: so many meet so many others, and a worker keeps the processes of both.
_BLOCK = 4


class LeagueSchedule(Strategy):
    """The games of a league.

    Args:
        plan: canonical; its matches are those of students with staff bots, if there are any.
        students, staff: entrants.
        staff_pairs, pairs: of a student with a staff bot, and of two students.
        excluded: says who is not to play on, once the first games are in the ledger.
    """

    def __init__(
        self, plan: Plan, students: Sequence[str], staff: Sequence[str], staff_pairs: int,
        pairs: int, excluded: Callable[[], Collection[str]],
    ) -> None:
        super().__init__(plan, 1 if staff else 0)
        self._students, self._staff = students, staff
        self._staff_pairs, self._pairs = staff_pairs, pairs
        self._excluded = excluded
        self._steps = [
            self._pairs_of(_product(block, staff), range(1))
            for block in (_blocks(students) if staff else [])
        ]
        self._decided = False

    @property
    def headline(self) -> str:
        """What is played, in a sentence."""
        return (
            f"a league of {len(self._students)} students and {len(self._staff)} staff bots on "
            f"{self.plan.games[0]}"
        )

    def next_step(
        self, open_slots: Collection[str], stopped: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """The next block; none as long as the first games are played."""
        if not self._steps and not self._decided:
            if open_slots:
                return []
            self._steps, self._decided = self._others(), True
        if not self._steps:
            return []
        self.steps.append(self._steps.pop(0))
        return self.steps[-1]

    def coming(self) -> list[Pair]:
        """What follows the first games; until these have ended, for those who play on so far."""
        steps = self._steps if self._decided else self._others()
        return [pair for step in steps for pair in step]

    def _others(self) -> list[list[Pair]]:
        excluded = self._excluded()
        students = [student for student in self._students if student not in excluded]
        blocks = _blocks(students)
        steps = [
            self._pairs_of(_product(block, self._staff), range(1, self._staff_pairs))
            for block in blocks
        ]
        for number, block in enumerate(blocks):
            for other in blocks[number:]:
                matches = [
                    (one, two) for one, two in _product(block, other)
                    if block is not other or block.index(one) < block.index(two)
                ]
                steps.append(self._pairs_of(matches, range(self._pairs)))
        return [step for step in steps if step]

    def _pairs_of(self, matches: list[tuple[str, str]], numbers: range) -> list[Pair]:
        [game] = self.plan.games
        return [Pair(game, *match, number) for number in numbers for match in matches]


def _blocks(students: Sequence[str]) -> list[Sequence[str]]:
    return [students[k : k + _BLOCK] for k in range(0, len(students), _BLOCK)]


def _product(ones: Sequence[str], others: Sequence[str]) -> list[tuple[str, str]]:
    return [(one, other) for one in ones for other in others]
