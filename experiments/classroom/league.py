"""A class's league: students' bots against staff bots and each other, as tournaments of the arena.

The ledger holds every game that has ended, so that the same command continues where it was: after a
kill, after the time limit, or after new hand-ins. It also holds the seed from which openings and
bots draw, and all versions of a bot that have ever played: a student cannot play on until they are
lucky (`evidence.py`).

Each bot first plays one pair of games with every staff bot. One that fails in half of them or more
plays no others: a bot that hangs would take the time of all. This depends only on these games.
Whoever scores more than half against a staff bot plays on until the result is sure.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from dlgo.rng import derive_seed
from dlgo.specs import split_version
from dlgo.text import number_of
from engines.jobs import Executor
from experiments.arena.plan_keys import Limits
from experiments.arena.referee import GameTask
from experiments.arena.reporter import Reporter
from experiments.arena.schedule import CanonicalPlan, Openings, Pair, Plan
from experiments.arena.strategy import Strategy
from experiments.arena.tournament import run_tournament, seed_of
from experiments.classroom.evidence import best, version_numbers, versions_of
from experiments.classroom.hand_ins import Source
from experiments.classroom.league_bots import Bot, Entry
from experiments.classroom.league_plan import LeaguePlan
from experiments.classroom.variants import keep_private

# Share of its first games that a bot may lose by failures and still play on.
_FAILING = 0.5
# Wall seconds that a bot may take for each CPU second: sleeping takes time, too.
_WALL_PER_CPU = 2.0
_SEED_BITS = 62
# Students in a block: a worker plays the games between two blocks and keeps the processes of both.
_BLOCK = 4
# Pairs of games with a staff bot before the result is looked at again.
_FURTHER = 5


@dataclass(frozen=True)
class League:
    """A league and its games so far."""

    plan: LeaguePlan
    bots: list[Bot]  # of all students
    ledger: Path  # the file of all games, also of bots that were handed in before
    seed: int  # from which openings and bots draw
    trusted: bool  # whether bots ran without a sandbox
    excluded: dict[str, str] = field(default_factory=dict)  # bots with first games only: why
    complete: bool = True  # whether all games have been played

    @property
    def playing(self) -> list[str]:
        """The entrants: students, then staff."""
        students = [bot.entrant for bot in self.bots if bot.entrant]
        return students + [bot.entrant for bot in self.plan.staff]

    def all_games(self) -> list[GameRecord]:
        """All games in the ledger, those of earlier versions too, in the order of their slots."""
        if not self.ledger.exists():
            return []
        with Ledger(self.ledger, read_only=True) as ledger:
            return [game for game in ledger.games() if game.game == self.plan.game]

    def games(self) -> list[GameRecord]:
        """The games of the entrants with each other, in the order of their slots."""
        playing = set(self.playing)
        return [game for game in self.all_games()
                if game.first in playing and game.second in playing]


class _Openings(Openings):
    """Openings and seeds of a version against the staff are its own: games of earlier versions, and
    of friends, are no help."""

    def __init__(self, plan: CanonicalPlan, numbers: Mapping[str, int]) -> None:
        """`numbers`: of versions, by entrant."""
        super().__init__(plan)
        self._own = {
            entrant: Openings(replace(
                plan, seed=derive_seed(plan.seed, split_version(entrant)[0], number)))
            for entrant, number in numbers.items()
        }

    def tasks(self, pair: Pair) -> Iterator[GameTask]:
        if pair.opponent in self._own:  # another student
            return super().tasks(pair)
        return self._own[pair.entrant].tasks(pair)


class _Schedule(Strategy):
    """One pair of games with every staff bot first; then all others, without excluded bots; then
    further ones with staff bots."""

    def __init__(self, plan: CanonicalPlan, league: League, numbers: Mapping[str, int]) -> None:
        self._students, self._staff = list(numbers), [bot.entrant for bot in league.plan.staff]
        super().__init__(plan, 1 if self._staff else 0)
        self._league, self._decided = league, False
        self._excluded: dict[str, str] = {}
        self._n_pairs = dict.fromkeys(
            product(self._students, self._staff), league.plan.staff_pairs)
        self.openings = _Openings(plan, numbers)
        self.headline = (f"a league of {number_of(len(numbers), 'student')} and "
                         f"{number_of(len(self._staff), 'staff bot')} on {plan.games[0]}")

    def next_step(
        self, open_slots: Collection[str], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        if open_slots:
            return []  # these games decide which others are played
        if self._staff and not self.steps:
            step = self._pairs(self._students, self._staff, range(1))
        elif not self._decided:
            self._excluded = excluded(self._league.games(), self._students, self._staff)
            self._decided = True
            step = self._others() or self._further()
        else:
            step = self._further()
        if step:
            self.steps.append(step)
        return step

    def coming(self) -> list[Pair]:
        return [] if self._decided else self._others()

    def _others(self) -> list[Pair]:
        """Games of a few entrants follow each other, so that their processes can be kept."""
        league = self._league.plan
        students = [student for student in self._students if student not in self._excluded]
        blocks = [students[k : k + _BLOCK] for k in range(0, len(students), _BLOCK)]
        pairs: list[Pair] = []
        for block in blocks:
            pairs += self._pairs(block, self._staff, range(1, league.staff_pairs))
        for number, block in enumerate(blocks):
            for opponents in blocks[number:]:
                pairs += self._pairs(block, opponents, range(league.pairs))
        return pairs

    def _further(self) -> list[Pair]:
        """A few more pairs of each bot that has more than half of the points against a staff bot,
        until it is sure that it is stronger."""
        games, pairs = self._league.all_games(), list[Pair]()
        for student, staff in product(self._students, self._league.plan.staff):
            match = student, staff.entrant
            n_pairs = self._n_pairs[match]
            n_further = min(_FURTHER, self._league.plan.most_pairs - n_pairs)
            if student in self._excluded or n_further <= 0:
                continue
            versions = [
                replace(version, games=[game for game in version.games if game.pair < n_pairs])
                if version.entrant == student else version
                for version in versions_of(games, split_version(student)[0], staff.entrant)
            ]
            [current] = [version for version in versions if version.entrant == student]
            unsure = best(versions).confidence() < staff.confidence
            if unsure and current.points > len(current.games) / 2:
                self._n_pairs[match] += n_further
                pairs += self._pairs([student], [staff.entrant],
                                     range(n_pairs, n_pairs + n_further))
        return pairs

    def _pairs(
        self, students: Sequence[str], opponents: Sequence[str], numbers: range
    ) -> list[Pair]:
        """All of `students` against all of `opponents`; within a block all meet once."""
        matches = [(student, opponent) for i, student in enumerate(students)
                   for j, opponent in enumerate(opponents)
                   if students is not opponents or i < j]
        return [Pair(self.plan.games[0], *match, number) for number in numbers for match in matches]


def play_league(
    plan: LeaguePlan, sources: dict[str, Source], out: Path, progress: Reporter,
    trust: bool = False, minutes: float | None = None, workers: int | Executor | None = None,
) -> League:
    """Collect the hand-ins and play the missing games.

    Args:
        sources: what each student has handed in.
        out: the league's folder; the same folder continues.
        trust: whether bots run without a sandbox.
        minutes: after which no further game begins; None: all are played.
        workers: the number of processes, by default one for each core; or an executor.

    Raises:
        DlgoError: if the ledger cannot be used, or there is no worker.
        SandboxError: if there is no working sandbox here, and code is not trusted.
        KeyboardInterrupt: after Ctrl-C; the finished games are kept.
    """
    deadline = math.inf if minutes is None else time.monotonic() + 60 * minutes
    ledger = out / "games.sqlite"
    entry = Entry(plan, out, trust, ledger)
    bots = [entry.bot_of(student, source, progress.log) for student, source in sources.items()]
    seed = plan.seed if plan.seed is not None else seed_of(ledger)
    league = League(plan, bots, ledger, secrets.randbits(_SEED_BITS) if seed is None else seed,
                    trust)
    launches = {bot.entrant: entry.launch(bot.folder) for bot in bots if bot.folder is not None}
    students, staff = list(launches), [bot.entrant for bot in plan.staff]
    if not students or len(students) + len(staff) < 2:
        return league  # no bot has an opponent
    names = [(bot.entrant, bot.student) for bot in bots if bot.entrant]
    names += [(bot.entrant, bot.name) for bot in plan.staff]
    arena_plan = Plan(
        games=(plan.game,), entrants=tuple(students + staff), pairs=plan.staff_pairs,
        kind="gauntlet" if staff else "round-robin", challengers=tuple(students) if staff else (),
        opening_plies=plan.opening_plies, seed=league.seed, names=tuple(names), launches=launches,
    ).canonical()
    strategy = _Schedule(arena_plan, league, version_numbers(league.all_games(), students))
    strategy.deadline = deadline
    keep_private(ledger)
    summary = run_tournament(
        arena_plan, ledger, workers, progress, limits_of(plan), strategy=strategy)
    return replace(league, excluded=excluded(league.games(), students, staff),
                   complete=not summary.out_of_time)


def limits_of(plan: LeaguePlan) -> Limits:
    """The limits of each game."""
    return Limits(
        move_timeout=plan.move_seconds, game_cpu=plan.game_seconds,
        game_wall=_WALL_PER_CPU * plan.game_seconds, max_failures=0,
    )


def excluded(
    games: list[GameRecord], students: list[str], staff: list[str]
) -> dict[str, str]:
    """Bots that failed in too many of the first games with staff bots."""
    failed = Counter(
        game.second if game.result == 1 else game.first for game in games
        if game.failed and game.pair == 0 and {game.first, game.second} & set(staff)
    )
    first = 2 * len(staff)
    return {
        entrant: f"it failed in {failed[entrant]} of its first {first} games and plays no more"
        for entrant in students if first and failed[entrant] >= _FAILING * first
    }
