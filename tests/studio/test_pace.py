"""How looks at a search keep time, and how readers follow what changes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from dlgo import Move, Point
from engines.decision import Budget, Decision
from experiments.studio import pace
from experiments.studio.changes import Changes


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: self.now))

    def answers(self, interval: float, delays: list[float], between: float = 0.004) -> list[float]:
        """When answers come, each of which takes so much longer than its search."""
        keeper, moments = pace.Pace(interval), []
        left = iter(delays)

        def search(budget: Budget) -> Decision:
            self.now += budget.wall + next(left)
            return Decision(Move.play(Point(1, 1)))

        for _ in delays:
            keeper.measure(search)
            moments.append(self.now)
            self.now += between  # until the next one is asked for
        return moments


def test_answers_come_at_their_times_whatever_asking_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = Clock(monkeypatch).answers(1 / 60, [0.003] * 200)
    assert moments[-1] - moments[99] == pytest.approx(100 / 60, rel=1e-3)


def test_one_late_answer_does_not_delay_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = Clock(monkeypatch).answers(1 / 60, [0.003] * 100 + [0.03] + [0.003] * 99)
    assert moments[-1] - moments[99] == pytest.approx(100 / 60, rel=1e-2)


def test_a_long_pause_is_not_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = Clock(monkeypatch).answers(1 / 60, [0.003] * 100 + [2.0] + [0.003] * 99)
    gaps = [after - before for before, after in zip(moments[101:], moments[102:], strict=False)]
    assert min(gaps[5:]) > 0.015


def test_a_slow_reader_misses_views_but_not_the_last_one() -> None:
    async def read() -> list[int]:
        changes, views = Changes(), []
        follower = changes.follow(lambda: changes.version)
        views.append(await anext(follower))
        for _ in range(3):
            changes.tell()
        views.append(await anext(follower))
        waiting = asyncio.ensure_future(anext(follower))
        await asyncio.sleep(0)
        assert not waiting.done()
        changes.tell()
        views.append(await waiting)
        return views

    assert asyncio.run(read()) == [0, 3, 4]
