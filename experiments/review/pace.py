"""How long a review takes: promised before the first search, and kept by the size of the searches.

A third of the time is for one search of each position, the rest for comparisons of moves, the
largest drops first. A few trial searches measure the engine's speed in this game; then searches of
one kind have equally many simulations, so that values can be compared. An engine that counts no
simulations keeps its own budget, and the time it takes is an estimate.
"""

from __future__ import annotations

from statistics import fmean

from dlgo import GameState
from dlgo.text import number_of
from engines.base import Budget, Decision
from engines.registry import EngineSpec, engine_class, is_outside
from experiments.review.comparison import SAMPLES
from experiments.review.game_review import GameReview, Question

# Wall seconds of a trial search; positions after which an engine's own budget is timed.
_TRIAL, _TIMED = Budget(wall=0.2), 3
# Simulations of a search: fewer say nothing; more than that for a second of the whole review are
# not needed in short games. A comparison has at most so many times those of a position.
_LEAST, _MOST_A_SECOND, _MOST_TIMES = 50, 300, 8
_SEARCHES = 2 * SAMPLES  # of a comparison


class Pace:
    """The budget of each search of a review, and the time that is left.

    Args:
        spec: the engine. Ask `engine` instead: the same with room for larger searches.
        seconds: for the whole review without proofs; 0: searches have the engine's own budget.
    """

    def __init__(self, review: GameReview, spec: str, seconds: float = 0.0) -> None:
        self.review, self.engine, self.seconds = review, spec, seconds
        self.simulations = [0, 0]  # of a search of a position, and in a comparison
        self.spent = 0.0  # wall seconds
        self._places, self._speed = 0, 0.0  # positions searched; simulations a second
        self._samples: list[float] = []  # seconds of each search of a comparison
        self._most = 0  # turns to compare at the speed of the searches of positions
        self._promise: float | None = None
        self._trials: list[GameState] = []
        review.most_compared = max(_SEARCHES, len(review.states) // 4)
        if not seconds or is_outside(spec):
            return
        parsed = EngineSpec.parse(spec)
        if "sims" in engine_class(parsed.name).budgets:
            most = int(_MOST_TIMES * _MOST_A_SECOND * seconds)
            self.engine = f"{parsed.family}{',' if ':' in parsed.family else ':'}sims={most}"
            self._promise = seconds
            last = len(review.states) - 1
            self._trials = [review.states[last * part // 4] for part in (0, 1, 2)]

    def trials(self) -> list[tuple[GameState, Budget]]:
        """The searches that measure the speed, before the first one that is not exact."""
        states, self._trials = self._trials, []
        return [(state, _TRIAL) for state in states if not state.is_over()]

    def learn_speed(self, decisions: list[Decision]) -> None:
        """Plan the searches of positions by the trials."""
        seconds = sum(decision.cost.wall_seconds for decision in decisions)
        total = sum(decision.cost.simulations for decision in decisions)
        self._speed = max(total, 1) / max(seconds, 1e-3)
        self.simulations[0] = self._planned(self.seconds / 3 / max(self._open(), 1))
        self._promise = max(self.seconds, self._shortest())

    def _shortest(self) -> float:
        """The seconds spent by the time all positions have been searched once."""
        return self.spent + self.simulations[0] * self._open() / self._speed

    def _planned(self, seconds: float) -> int:
        """The simulations of a search that may take so long, two digits of them."""
        most = _MOST_A_SECOND * self.seconds
        return max(_LEAST, int(float(f"{min(seconds * self._speed, most):.1e}")))

    def _open(self) -> int:
        return len(self.review.states) - self.review.done

    def budget(self, question: Question) -> Budget | None:
        """The budget of a search that is not exact; None: the engine's own."""
        if not self._speed:
            return None
        if not question.sample:
            return Budget(sims=self.simulations[0])
        if not self.simulations[1]:
            count = max(len(self.review.suspects()), 1)
            seconds = max(self.seconds - self.spent, 0.1 * self.seconds)
            simulations = self._planned(seconds / _SEARCHES / count)
            few, many = self.simulations[0], _MOST_TIMES * self.simulations[0]
            self.simulations[1] = simulations = min(max(simulations, few), many)
            self._most = min(count, max(1, int(seconds * self._speed / _SEARCHES / simulations)))
            self.review.most_compared = self._most
            self._promise = self.spent + _SEARCHES * self._most * simulations / self._speed
        return Budget(sims=self.simulations[1])

    def spend(self, question: Question, seconds: float) -> None:
        """Count the wall seconds of a search that is not exact, and of all that goes with it."""
        self.spent += seconds
        self._places += not question.sample
        if self._speed and not question.sample:
            self._speed = self._places * self.simulations[0] / max(self.spent, 1e-3)
            self._promise = max(self.seconds, self._shortest())
        elif self._speed:  # the machine may have become slower: fewer moves are compared then
            self._samples.append(seconds)
            each, begun = _SEARCHES * fmean(self._samples), self.review.begun
            more = min(self._most - begun, int(max(self.seconds - self.spent, 0.0) / each))
            if len(self._samples) >= _SEARCHES:
                self.review.most_compared, self._promise = begun + more, self.spent + more * each

    @property
    def promise(self) -> float | None:
        """The seconds of all searches without proofs; None if not known yet."""
        if self._promise is not None or self._places < _TIMED:
            return self._promise
        searches = self._places + self._open() + _SEARCHES * self.review.most_compared
        return searches * self.spent / self._places

    def left(self) -> str:
        """`about 2 minutes left`; after the promised time, `longer than planned`."""
        if self.promise is not None and self.promise - self.spent < 1:
            return "longer than planned"
        return self.words() + (" left" if self.promise is not None else "")

    def words(self) -> str:
        """`about 2 minutes`: what is left of the promise."""
        if self.promise is None:
            return "the first positions show how long it takes"
        seconds = max(self.promise - self.spent, 1.0)
        if seconds < 55:
            return f"about {seconds:.0f} s"
        return f"about {number_of(round(seconds / 60) or 1, 'minute')}"
