"""A class's league: students' bots against staff bots and each other, as tournaments of the arena.

The ledger holds every game that has ended, so that the same command goes on where it was: after a
kill, after the clock has stopped it, or when somebody has handed in again. Each bot first plays
one pair of games with every staff bot. One that fails in half of them or more plays no others: a
bot that hangs would take everybody's time. That depends on nothing but these games.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from dlgo.records.ledger import GameRecord, Ledger
from engines.jobs import Jobs
from experiments.arena.limits import Limits
from experiments.arena.progress import Reporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.classroom.league_bots import Bot, Entry
from experiments.classroom.league_plan import LeaguePlan
from experiments.classroom.league_schedule import LeagueSchedule

# Share of its first games that a bot may lose by failures and still play on.
_FAILING = 0.5
# Wall seconds that a bot may take for each CPU second: one that sleeps takes time as well.
_WALL_PER_CPU = 2.0


@dataclass(frozen=True)
class League:
    """A league as far as it has been played.

    Attributes:
        plan: the rules.
        bots: of all students.
        ledger: the file of all games, also of bots that were handed in before.
        trusted: whether bots ran without a sandbox.
        excluded: entrants that play their first games only, and why.
        complete: whether all games have been played.
    """

    plan: LeaguePlan
    bots: list[Bot]
    ledger: Path
    trusted: bool
    excluded: dict[str, str] = field(default_factory=dict)
    complete: bool = True

    @property
    def playing(self) -> list[str]:
        """The entrants: students, then staff."""
        students = [bot.entrant for bot in self.bots if bot.entrant]
        return students + [bot.entrant for bot in self.plan.staff]

    def games(self) -> list[GameRecord]:
        """Those that the entrants have played with each other, in the order of their slots."""
        if not self.ledger.exists():
            return []
        playing = set(self.playing)
        with Ledger(self.ledger, read_only=True) as ledger:
            return [
                game for game in ledger.games() if game.game == self.plan.game
                and game.first in playing and game.second in playing
            ]


def play_league(
    plan: LeaguePlan, sources: dict[str, Path], out: Path, progress: Reporter,
    trust: bool = False, minutes: float | None = None, workers: int | None = None,
    elsewhere: Jobs | None = None,
) -> League:
    """Take the class in and play what has not been played.

    Args:
        plan: the rules.
        sources: what each student has handed in.
        out: the league's folder; the same one goes on.
        progress: tells people how it goes.
        trust: whether bots run without a sandbox.
        minutes: after which no further game begins; None: all are played.
        workers: processes; by default one for each core.
        elsewhere: who plays the games, instead of processes of this machine.

    Raises:
        DlgoError: if the ledger cannot be used, or there is nobody to play.
        SandboxError: if there is no working sandbox here, and code is not trusted.
        KeyboardInterrupt: after Ctrl-C; the finished games are kept.
    """
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    entry = Entry(plan, out, trust)
    bots = [entry.bot_of(student, path, progress.say) for student, path in sources.items()]
    ledger = out / "games.sqlite"
    league = League(plan, bots, ledger, trust)
    launches = {bot.entrant: entry.launch(bot.folder) for bot in bots if bot.folder is not None}
    names = [(bot.entrant, bot.student) for bot in bots if bot.entrant]
    names += [(bot.entrant, bot.label) for bot in plan.staff]
    limits = Limits(
        move_timeout=plan.move_seconds, game_cpu=plan.game_seconds,
        game_wall=_WALL_PER_CPU * plan.game_seconds, max_failures=0,
    )

    students, staff = list(launches), [bot.entrant for bot in plan.staff]
    if not students or len(students) + len(staff) < 2:
        return league  # nobody has an opponent

    def excluded() -> dict[str, str]:
        return _excluded(league.games(), students, staff)

    arena_plan = Plan(
        games=(plan.game,), entrants=tuple(students + staff), pairs=plan.staff_pairs,
        kind="gauntlet" if staff else "round-robin", challengers=tuple(students) if staff else (),
        opening_plies=plan.opening_plies, seed=plan.seed, names=tuple(names),
    )
    done = run_tournament(
        arena_plan, ledger, workers, progress, limits, launches=launches, deadline=deadline,
        elsewhere=elsewhere,
        strategy=lambda canonical: LeagueSchedule(
            canonical, students, staff, plan.staff_pairs, plan.pairs, excluded
        ),
    )
    return League(plan, bots, ledger, trust, excluded(), not done.out_of_time)


def _excluded(
    games: list[GameRecord], students: list[str], staff: list[str]
) -> dict[str, str]:
    """Who has failed in too many of the first games with staff bots."""
    failed: Counter[str] = Counter()
    for game in games:
        loser = game.second if game.result == 1 else game.first
        if game.failed and game.pair == 0 and {game.first, game.second} & set(staff):
            failed[loser] += 1
    first = 2 * len(staff)
    return {
        entrant: f"it failed in {failed[entrant]} of its first {first} games, and plays no others"
        for entrant in students if first and failed[entrant] >= _FAILING * first
    }
