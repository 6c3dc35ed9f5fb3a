"""Finding out whether engines can judge leaves room for the searches that people wait for."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from dlgo import GameState, get_game
from engines.decision import Decision
from experiments.review.reliability import PLACES
from experiments.studio.engines import Engines
from experiments.studio.judging import Judges


class Watched:
    """Engines that prefer the first move; the searches, and how many ran at once."""

    def __init__(self) -> None:
        self.searches: list[str] = []
        self.running = self.most = 0

    async def search(self, owner: str, state: GameState, spec: str, seed: int) -> Decision:
        self.searches.append(spec)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        moves = state.legal_moves()
        return Decision(moves[0], values={move: -float(i) for i, move in enumerate(moves)})


def test_one_engine_is_searched_with_at_a_time_the_last_first() -> None:
    engines, state = Watched(), GameState.new_game(get_game("go:size=5"))

    async def ask() -> list[Any]:
        judges = Judges(cast(Engines, engines))
        return await asyncio.gather(
            *(judges.problem(state, spec) for spec in ("first", "second", "third")))

    assert asyncio.run(ask()) == ["", "", ""]
    assert engines.most == 1
    assert engines.searches == [
        spec for spec in ("third", "second", "first") for _ in range(2 * PLACES)]
