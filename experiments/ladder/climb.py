"""Rates an engine on a scale: chooses anchors, plays them, stops at the interval asked for.

Each step plays the anchors whose games would tell most about the rating, given how well it is known
so far: at first in the middle of the scale, then closer and closer to the engine. Several anchors
are played, since an engine may do well against one in particular.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dlgo.errors import DlgoError
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from dlgo.specs import split_version
from dlgo.text import number_of
from engines.jobs import Executor
from experiments.arena.agenda import result_of
from experiments.arena.plan_keys import DEFAULT_LIMITS, Limits
from experiments.arena.reporter import Reporter
from experiments.arena.schedule import CanonicalPlan, Pair, Plan
from experiments.arena.strategy import FromResults, Result, different
from experiments.arena.tournament import run_tournament
from experiments.ladder.scales import GameScale
from experiments.progress import default_progress
from reports.rating_table import Estimate

# Anchors in a step; a step is this share of what was played.
_OPPONENTS, _STEP = 3, 0.1
# Pairs without a point, or without losing one, after which the rating is a bound.
_HOPELESS = 30


@dataclass(frozen=True)
class Climb:
    """What is played for a rating; the same values give the same games."""

    scale: GameScale
    engine: str  # the entrant, as the ledger names it
    label: str  # its name for people
    within: float  # Elo: half the 95% interval at which games end
    seed: int
    max_pairs: int

    @classmethod
    def of(
        cls, scale: GameScale, engine: str, within: float, seed: int, max_pairs: int
    ) -> Climb:
        """With an engine as it is typed. Raises SpecError if it does not exist."""
        plan = _plan(scale, engine, within, seed, max_pairs)
        entrant = plan.challengers[0]
        label = dict(plan.names).get(entrant, split_version(entrant)[0])
        return cls(scale, entrant, label, within, seed, max_pairs)

    @property
    def plan(self) -> CanonicalPlan:
        """The engine against all anchors but itself."""
        return _plan(self.scale, self.engine, self.within, self.seed, self.max_pairs)

    def check_networks(self, record: GameRecord) -> None:
        """Raise DlgoError if an anchor played with another network than on the scale."""
        for anchor, network in record.network_ids().items():
            known = self.scale.networks.get(anchor, network)
            if anchor != self.engine and network != known:
                raise DlgoError(
                    f"anchor {anchor} played with network {network[:8]}, and {self.scale.name} has "
                    f"{known[:8]}; use the version of dlgo that the scale belongs to")


def _plan(
    scale: GameScale, engine: str, within: float, seed: int, max_pairs: int
) -> CanonicalPlan:
    return Plan(
        (scale.game,), scale.scale.anchors, pairs=1, seed=seed, kind="gauntlet",
        challengers=(engine,), target_elo=2 * within, max_pairs=max_pairs,
    ).canonical()


@dataclass(frozen=True)
class Met:
    """The games against an anchor."""

    anchor: str
    elo: float
    games: int
    score: float  # points a game
    expected: float  # of a player of the estimated rating


@dataclass(frozen=True)
class Placed:
    """A rating on a scale, and what it rests on."""

    climb: Climb
    rating: Estimate
    legal: Estimate | None  # by the games that it did not lose by a failure; None without failures
    games: int
    different: int  # of these, games unlike all others
    failures: int
    moves: int
    cpu_ms: float  # mean of its moves
    met: tuple[Met, ...]  # the weakest anchor first
    bound: str  # "at least" or "at most" if all games were won or lost, else ""

    @classmethod
    def of(cls, climb: Climb, records: Sequence[GameRecord]) -> Placed:
        """From the games of a climb. Raises DlgoError if an anchor's network has changed."""
        for record in records:
            climb.check_networks(record)
        scale, place = climb.scale.scale, places(climb)
        results = different(map(result_of, records))
        rating = rated(climb, results)
        failed = [r for r in records if r.failed and (r.result == 0) == (r.first == climb.engine)]
        legal = [result for result in map(result_of, records)
                 if not any(result == result_of(record) for record in failed)] if failed else []
        spent = [record.spent(int(record.second == climb.engine)) for record in records]
        moves = sum(cost.moves for cost in spent)
        points: dict[str, list[float]] = {}
        for result in results:
            won = result.result if result.first == climb.engine else 1 - result.result
            points.setdefault(opponent(climb, result), []).append(won)
        expected = scale.score(rating.value)
        met = tuple(
            Met(name, scale.elo[place[name]], len(won), float(np.mean(won)),
                float(expected[place[name]]))
            for name, won in sorted(points.items(), key=lambda item: place[item[0]]))
        share = sum(map(sum, points.values())) / len(results)
        return cls(
            climb, rating, rated(climb, different(legal)) if legal else None, len(records),
            len(results), len(failed), moves,
            1000 * sum(cost.cpu for cost in spent) / max(moves, 1), met,
            {0.0: "at most", 1.0: "at least"}.get(share, ""),
        )

    @property
    def interval(self) -> float:
        """Half the 95% interval, in Elo."""
        return self.rating.high95 - self.rating.value

    @property
    def elo_text(self) -> str:
        """The rating, with `bound`."""
        return f"{self.bound} {self.rating.value:z.0f} ± {self.interval:.0f} Elo".strip()

    @property
    def citation(self) -> str:
        """The line to cite."""
        scale = self.climb.scale
        engine = self.climb.engine if self.climb.engine != self.climb.label else ""
        return (
            f"{self.climb.label}: {self.elo_text} on {scale.name} ({scale.digest[:8]}), "
            f"{number_of(self.games, 'game')}, {self.different} different, "
            f"{self.cpu_ms:.3g} CPU ms a move{engine and '; engine '}{engine}")


def places(climb: Climb) -> dict[str, int]:
    """The places of the players on the scale; the engine has the one after the anchors. As an
    anchor it is that, and not rated against itself."""
    names = climb.scale.scale.anchors
    return {name: i for i, name in enumerate(names)} | {climb.engine: len(names)}


def opponent(climb: Climb, result: Result) -> str:
    """The anchor in a game."""
    return result.second if result.first == climb.engine else result.first


def rated(climb: Climb, results: Sequence[Result]) -> Estimate:
    """The rating by these games."""
    place = places(climb)
    return climb.scale.scale.rated(
        [(place[result.first], place[result.second], result.result) for result in results])


class Climbing(FromResults):
    """Pairs against the anchors that tell most, until the rating is known within the limit."""

    def __init__(self, climb: Climb) -> None:
        self._climb = climb
        super().__init__(climb.plan, sure_pairs=0)
        self.headline = f"{climb.label} on the scale {climb.scale.name}"
        self._done = False

    def decide(
        self, results: Sequence[Result], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        climb, new = self._climb, different(results)
        rating = rated(climb, new)
        half = rating.high95 - rating.value
        if new:
            self._verdict = f"{rating.value:z.0f} ± {half:.0f} Elo after {len(new)} different games"
        played = sum(map(len, self.steps))
        points = {result.result if result.first == climb.engine else 1 - result.result
                  for result in new}
        bounded = len(points) > 1 or 0.5 in points
        enough = bounded and half <= climb.within or not bounded and len(results) >= 2 * _HOPELESS
        excluded = {name for _, name in exclusions}
        if self._done or enough or played >= climb.max_pairs or climb.engine in excluded:
            self._done = True
            return []
        tells = climb.scale.scale.information(rating)
        place, game = places(climb), self.plan.games[0]
        opponents = sorted((other for _, other in self.matches if other not in excluded),
                           key=lambda name: -tells[place[name]])[:_OPPONENTS]
        wanted = max(len(opponents), int(_STEP * played))
        numbers = Counter({name: self._started[game, climb.engine, name] for name in opponents})
        step = []
        for k in range(min(wanted, climb.max_pairs - played)):
            name = opponents[k % len(opponents)]
            step.append(Pair(game, climb.engine, name, numbers[name]))
            numbers[name] += 1
        return step


    @property
    def slots(self) -> set[str]:
        """The games asked for so far."""
        return {slot for step in self.steps for pair in step for slot in pair.slots}


class _Shown(Reporter):
    """Says how the rating stands."""

    strategy: Climbing

    def text(self) -> str:
        return "; ".join(filter(None, [self.strategy.verdict, super().text()]))


def climb_scale(
    climb: Climb, ledger: Path, workers: int | Executor | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Placed, list[GameRecord]]:
    """Play until the rating is known; games in the ledger count. Returns the games, too. Raises
    DlgoError if the engine was stopped because it failed in too many games in a row."""
    progress = _Shown(progress=default_progress())
    progress.strategy = strategy = Climbing(climb)
    summary = run_tournament(climb.plan, ledger, workers, progress, limits, strategy=strategy)
    if summary.stopped:
        raise DlgoError(f"no rating: {summary.stopped[0]}; mend it, or play on with --max-failures")
    with Ledger(ledger, read_only=True) as opened:
        records = [record for record in opened.games() if record.slot in strategy.slots]
    return Placed.of(climb, records), records
