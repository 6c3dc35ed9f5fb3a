"""Plays games in this process, one after the other: for engines and games that no other one has.

A class of a notebook's cell, or of the script that runs, cannot be found by other processes. So
nothing can end a move that takes for ever, but Ctrl-C; all other limits hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

from dlgo.records.ledger import Check, GameRecord
from dlgo.records.speeds import Speed
from engines.jobs.protocol import Source
from experiments.arena.launch import Launches
from experiments.arena.limits import Limits
from experiments.arena.referee import EngineCache, GameTask, play_game
from experiments.arena.running import Look
from experiments.arena.schedule import Plan


class InProcess:
    """Who plays the games of a tournament; see `tournament.Elsewhere`."""

    def play(
        self, source: Source[GameTask], plan: Plan, warm: list[GameTask], limits: Limits,
        setup: str | None, look: Look, say: Callable[[str], None],
        launches: Launches | None = None,
    ) -> Iterator[list[GameRecord]]:
        """Play all games and yield the record of each."""
        with closing(EngineCache(limits, setup, launches=launches)) as engines:
            while taken := source.take(1):
                records = [play_game(task, engines, limits=limits) for task in taken]
                source.finished(records)
                yield records

    def checks(self) -> list[Check]:
        """No game is played twice."""
        return []

    def speeds(self) -> list[Speed]:
        """No machine is measured."""
        return []
