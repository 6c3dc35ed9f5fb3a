"""Whether an engine can judge positions of a game, for the views that show its values.

It is found out once for an engine and a board, by searches of the game that is in hand; a short
game is continued with random moves.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import DlgoError, GameState
from dlgo.rng import below, make_rng
from experiments.play.game_file import positions
from experiments.review.game_review import SEED
from experiments.review.reliability import PLACES, Reliability, cannot_judge, places_to_check
from experiments.studio import replies
from experiments.studio.engines import Engines

# Engines and boards of which it is remembered.
_MOST = 500
# Wall seconds of a search: an answer within half a minute is worth more than full searches.
_LONGEST = 1.0


def routes(studio: Any) -> list[Route]:
    """The route that tells it."""

    async def judge(request: Request) -> Response:
        """The `problem` of `?engine=SPEC` with the game, in a sentence, or ""."""
        state = studio.games.of(request).state
        named = request.query_params.get("engine", "")
        spec = await asyncio.to_thread(studio.allowed.engine, named)
        return replies.json_reply({"problem": await studio.judges.problem(state, spec)})

    return [Route("/api/games/{id}/judge", judge)]


class Judges:
    """What is known of engines as judges. It belongs to one event loop."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._tasks: dict[tuple[str, str], asyncio.Task[str]] = {}

    async def problem(self, state: GameState, spec: str) -> str:
        """That an engine cannot judge the game of `state`, in a sentence; "" if it can, or does not
        tell what moves are worth."""
        key = spec, state.game.versioned
        if key not in self._tasks:
            while len(self._tasks) >= _MOST:
                self._tasks.pop(next(iter(self._tasks)))
            self._tasks[key] = asyncio.create_task(self._find(state, spec))
        return await asyncio.shield(self._tasks[key])

    async def _find(self, state: GameState, spec: str) -> str:
        reliability = Reliability()
        with suppress(DlgoError):  # the next request to the engine reports it
            for position in await asyncio.to_thread(_positions, state):
                pair = []
                for seed in (SEED, SEED + 1):
                    owner = f"judge-{secrets.token_hex(8)}"  # a tree of its own
                    await self._turn()
                    pair.append(await self._engines.search(
                        owner, position, spec, seed, longest=_LONGEST))
                    if not pair[0].values:
                        return ""
                reliability.add(*pair)
                if reliability.is_settled:
                    break
        return "" if reliability.can_judge else cannot_judge(spec, state.game, reliability)

    async def _turn(self) -> None:
        """Wait until this is the last of the engines to be found out about: one is searched with at
        a time, so that others' searches do not wait for many, and the one asked for last first."""
        while (last := [one for one in self._tasks.values() if not one.done()][-1]) \
                is not asyncio.current_task():
            await asyncio.wait({last})


def _positions(state: GameState) -> list[GameState]:
    """The positions to search: of the game so far, if it is long enough, else also of a random
    one from there."""
    game, rng = positions(state), make_rng(SEED)
    while len(game) < 2 * PLACES and not state.is_over():
        moves = state.sensible_moves()
        state = state.apply_move(moves[below(rng, len(moves))])
        game.append(state)
    return [position for position in map(game.__getitem__, places_to_check(len(game)))
            if not position.is_over()]
