"""Finding out whether engines can judge takes little time, and leaves room for the searches that
people wait for."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from dlgo import GameState, get_game
from engines.decision import Decision
from experiments.studio.engines import Engines
from experiments.studio.judging import Judges


class Watched:
    """Engines that prefer the first move, or, if `erratic`, another one with each seed; the
    searches, how many ran at once, and the longest one that was allowed."""

    def __init__(self, erratic: bool = False) -> None:
        self.searches: list[str] = []
        self.running = self.most = 0
        self.longest = 0.0
        self._erratic = erratic

    async def search(
        self, owner: str, state: GameState, spec: str, seed: int, longest: float
    ) -> Decision:
        self.searches.append(spec)
        self.longest = max(self.longest, longest)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        moves = state.legal_moves()
        values = {move: -float(i) for i, move in enumerate(moves)}
        return Decision(moves[seed % 2 if self._erratic else 0], values=values)


def test_one_engine_is_searched_with_at_a_time_the_last_first() -> None:
    engines, state = Watched(), GameState.new_game(get_game("go:size=5"))

    async def ask() -> list[Any]:
        judges = Judges(cast(Engines, engines))
        return await asyncio.gather(
            *(judges.problem(state, spec) for spec in ("first", "second", "third")))

    assert asyncio.run(ask()) == ["", "", ""]
    assert engines.most == 1
    assert engines.searches == [
        spec for spec in ("third", "second", "first") for _ in range(2 * 3)]


def test_no_pair_is_searched_that_cannot_change_the_answer() -> None:
    state = GameState.new_game(get_game("go:size=5"))

    async def ask(engines: Watched) -> str:
        return await Judges(cast(Engines, engines)).problem(state, "dice")

    steady, erratic = Watched(), Watched(erratic=True)
    assert asyncio.run(ask(steady)) == "" and len(steady.searches) == 2 * 3
    assert "other moves in 10 of 10 positions" in asyncio.run(ask(erratic))
    assert len(erratic.searches) == 2 * 10 and erratic.longest <= 1
