"""A quick series between two engines: what the chapter scripts print.

Engines given by specifications play as in a tournament, external ones in their own processes.
Classes and objects play in this process.

For anything that is to be kept or rated, use a tournament: it stores every game, and uses
all cores.
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dlgo.api import GameSpec
from dlgo.games import get_game
from dlgo.records.game_record import slot_of
from dlgo.rng import derive_seed
from engines.registry import EngineSpec, spec_text
from experiments.arena.engine_cache import EngineCache
from experiments.arena.referee import GameTask, play_game
from experiments.arena.schedule import Plan, tasks
from reports.intervals import share_margin


@dataclass(frozen=True)
class Series:
    """The outcome of a series, as the first named engine sees it."""

    engine: str
    opponent: str
    games: int
    points: float  # a draw is half a point
    cpu_ms: tuple[float, float]  # mean CPU milliseconds a move, of `engine` and of `opponent`
    failures: tuple[str, ...] = ()  # reasons of the games that an engine lost by a failure

    @property
    def share(self) -> float:
        """Points per game, 0 to 1."""
        return self.points / self.games

    @property
    def margin(self) -> float:
        """Half the 95% interval of `share`."""
        return share_margin(self.share, self.games)

    def __str__(self) -> str:
        low, high = max(self.share - self.margin, 0), min(self.share + self.margin, 1)
        failed = "".join(f"; {len(self.failures)} failed, such as by {reason}"
                         for reason in self.failures[:1])
        return (f"{self.engine} against {self.opponent}: {self.share:.1%} ({low:.1%} to "
                f"{high:.1%}) of {self.games} games; {self.cpu_ms[0]:.2f} and "
                f"{self.cpu_ms[1]:.2f} CPU ms a move{failed}")


def play_series(
    game: GameSpec | str, engine: Any, opponent: Any, pairs: int, seed: int = 0
) -> Series:
    """Play `pairs` random openings, each with both colours, between whatever `EngineSpec.of` takes.
    Raises SpecError for an engine that does not exist or options it does not have."""
    contestants = (engine, opponent)
    entrants = tuple(map(spec_text, contestants))
    in_process = {EngineSpec.of(contestant).text for contestant in contestants
                  if not isinstance(contestant, str | Path)}
    plan = Plan(games=(str(get_game(game)),), entrants=entrants, pairs=pairs, seed=seed).canonical()
    points, seconds, moves, schedule = 0.0, [0.0, 0.0], [0, 0], tasks(plan)
    failures = []
    with closing(EngineCache(in_process=in_process)) as engines:
        for task in schedule:
            record = play_game(replace(task, seed=_seed(seed, task)), engines)
            failures += [record.reason] if record.failed else []
            swapped = int(task.first != plan.entrants[0])
            points += 1 - record.result if swapped else record.result
            for cost in record.costs:
                seconds[cost.player ^ swapped] += cost.cpu
                moves[cost.player ^ swapped] += 1
    names = dict(plan.names)
    first, second = (1000 * s / max(n, 1) for s, n in zip(seconds, moves, strict=True))
    engine, opponent = (names.get(entrant, entrant) for entrant in plan.entrants)
    return Series(engine, opponent, games=len(schedule), points=points, cpu_ms=(first, second),
                  failures=tuple(failures))


def _seed(seed: int, task: GameTask) -> int:
    """As in a tournament, but the same in whatever folder a network or an engine stands."""
    first, second = (re.sub(r"[^=,:]*[/\\]", "", text) for text in (task.first, task.second))
    return derive_seed(seed, slot_of(task.game, first, second, task.pair))
