"""Rates an engine on a scale: chooses anchors, plays them, stops at the interval asked for.

Each step plays the anchors whose games would tell most about the rating, given how well it is known
so far: at first in the middle of the scale, then closer and closer to the engine. Several anchors
are played, since an engine may do well against one in particular.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
class RatingRun:
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
    ) -> RatingRun:
        """With an engine as it is typed. Raises SpecError if it does not exist."""
        run = cls(scale, engine, "", within, seed, max_pairs)
        plan = run.plan
        entrant = plan.challengers[0]
        label = dict(plan.names).get(entrant, split_version(entrant)[0])
        return replace(run, engine=entrant, label=label)

    @property
    def plan(self) -> CanonicalPlan:
        """The engine against all anchors but itself."""
        return Plan(
            (self.scale.game,), self.scale.scale.anchors, pairs=1, seed=self.seed, kind="gauntlet",
            challengers=(self.engine,), target_elo=2 * self.within, max_pairs=self.max_pairs,
        ).canonical()

    @cached_property
    def indices(self) -> dict[str, int]:
        """The players' places on the scale; the engine comes after the anchors, also if it is one
        of them."""
        names = self.scale.scale.anchors
        return {name: i for i, name in enumerate(names)} | {self.engine: len(names)}

    def estimate(self, results: Sequence[Result]) -> Estimate:
        """The rating by these games."""
        place = self.indices
        return self.scale.scale.rated(
            [(place[result.first], place[result.second], result.result) for result in results])

    def opponent_and_points(self, result: Result) -> tuple[str, float]:
        """The anchor in a game, and the points that the engine scored."""
        if result.first == self.engine:
            return result.second, result.result
        return result.first, 1 - result.result

    def check_networks(self, record: GameRecord) -> None:
        """Raise DlgoError if an anchor played with another network than on the scale."""
        for anchor, network in record.network_ids().items():
            if anchor != self.engine:
                self.scale.check_network(anchor, network)


@dataclass(frozen=True)
class AnchorResult:
    """The games against an anchor."""

    anchor: str
    elo: float
    games: int
    score: float  # points a game
    expected: float  # of a player of the estimated rating


@dataclass(frozen=True)
class ScaleRating:
    """A rating on a scale, and what it rests on."""

    run: RatingRun
    estimate: Estimate
    legal: Estimate | None  # by the games that it did not lose by a failure; None without failures
    games: int
    different: int  # of these, games unlike all others
    failures: int
    moves: int
    cpu_ms: float  # mean of its moves
    met: tuple[AnchorResult, ...]  # the weakest anchor first
    answers: str  # what the answers of a language model cost, a sentence; "" for others
    bound: str  # "at least" or "at most" if all games were won or lost, else ""

    @classmethod
    def of(cls, run: RatingRun, records: Sequence[GameRecord]) -> ScaleRating:
        """From the games of a run. Raises DlgoError if an anchor's network has changed."""
        for record in records:
            run.check_networks(record)
        results = different(map(result_of, records))
        failed = {record.slot for record in records
                  if record.failed and (record.result == 0) == (record.first == run.engine)}
        legal = different(
            result_of(record) for record in records if failed and record.slot not in failed)
        points: dict[str, list[float]] = {}
        for opponent, score in map(run.opponent_and_points, results):
            points.setdefault(opponent, []).append(score)
        spent = [record.spent(int(record.second == run.engine)) for record in records]
        moves = sum(cost.moves for cost in spent)
        scale, estimate = run.scale.scale, run.estimate(results)
        expected = scale.score(estimate.value)
        share = sum(map(sum, points.values())) / len(results)
        return cls(
            run, estimate, run.estimate(legal) if legal else None, len(records), len(results),
            len(failed), moves, 1000 * sum(cost.cpu for cost in spent) / max(moves, 1),
            tuple(AnchorResult(name, scale.elo[i], len(points[name]), float(np.mean(points[name])),
                               float(expected[i]))
                  for i, name in enumerate(scale.anchors) if name in points),
            _answers(run, records), {0.0: "at most", 1.0: "at least"}.get(share, ""),
        )

    @property
    def interval(self) -> float:
        """Half the 95% interval, in Elo."""
        return self.estimate.high95 - self.estimate.value

    @property
    def elo_text(self) -> str:
        """The rating, with `bound`."""
        return f"{self.bound} {self.estimate.value:z.0f} ± {self.interval:.0f} Elo".strip()

    @property
    def citation(self) -> str:
        """The line to cite."""
        scale, engine = self.run.scale, self.run.engine
        return (
            f"{self.run.label}: {self.elo_text} on {scale.name} ({scale.digest[:8]}), "
            f"{number_of(self.games, 'game')}, {self.different} different, "
            f"{self.cpu_ms:.3g} CPU ms a move" + f"; engine {engine}" * (engine != self.run.label))


def _answers(run: RatingRun, records: Sequence[GameRecord]) -> str:
    """The sentence on a language model's answers."""
    if not any("usage" in (record.networks or "") for record in records):
        return ""
    from reports.forfeits import answer_frame

    frame = answer_frame(records).set_index("entrant")
    row = frame.loc[run.engine]
    return (f"{row.answers:,.0f} answers, {row.malformed:,.0f} of them malformed and "
            f"{row.illegal:,.0f} illegal; {row.tokens_in:,.0f} tokens in, {row.tokens_out:,.0f} "
            f"out, price {row.money:.4g}, {row.seconds:,.0f} s.")


class NearestAnchors(FromResults):
    """Pairs against the anchors that tell most, until the rating is known within the limit."""

    def __init__(self, run: RatingRun) -> None:
        self._run = run
        super().__init__(run.plan, sure_pairs=0)
        self.headline = f"{run.label} on the scale {run.scale.name}"
        self._done = False

    def decide(
        self, results: Sequence[Result], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        run, counted = self._run, different(results)
        rating = run.estimate(counted)
        half = rating.high95 - rating.value
        if counted:
            self._verdict = (
                f"{rating.value:z.0f} ± {half:.0f} Elo after {len(counted)} different games")
        played = sum(map(len, self.steps))
        scores = {score for _, score in map(run.opponent_and_points, counted)}
        one_sided = scores in ({0.0}, {1.0})  # the interval is that of a virtual game
        enough = (played >= _HOPELESS if one_sided else half <= run.within) and bool(counted)
        excluded = {name for _, name in exclusions}
        if self._done or enough or played >= run.max_pairs or run.engine in excluded:
            self._done = True
            return []
        tells, game = run.scale.scale.information(rating), self.plan.games[0]
        opponents = sorted((other for _, other in self.matches if other not in excluded),
                           key=lambda name: -tells[run.indices[name]])[:_OPPONENTS]
        n_pairs = min(max(len(opponents), int(_STEP * played)), run.max_pairs - played)
        numbers = Counter({name: self._started[game, run.engine, name] for name in opponents})
        step = []
        for name in itertools.islice(itertools.cycle(opponents), n_pairs):
            step.append(Pair(game, run.engine, name, numbers[name]))
            numbers[name] += 1
        return step

    @property
    def slots(self) -> set[str]:
        """The games asked for so far."""
        return {slot for step in self.steps for pair in step for slot in pair.slots}


class _Shown(Reporter):
    """Says how the rating stands."""

    strategy: NearestAnchors

    def text(self) -> str:
        return "; ".join(filter(None, [self.strategy.verdict, super().text()]))


def rate_on_scale(
    run: RatingRun, ledger: Path, workers: int | Executor | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[ScaleRating, list[GameRecord]]:
    """Play until the rating is known; games in the ledger count. Returns the games, too. Raises
    DlgoError if the engine was stopped because it failed in too many games in a row."""
    progress = _Shown(progress=default_progress())
    progress.strategy = strategy = NearestAnchors(run)
    summary = run_tournament(run.plan, ledger, workers, progress, limits, strategy=strategy)
    if summary.stopped:
        raise DlgoError(f"no rating: {summary.stopped[0]}; mend it, or play on with --max-failures")
    with Ledger(ledger, read_only=True) as opened:
        records = [record for record in opened.games() if record.slot in strategy.slots]
    return ScaleRating.of(run, records), records
