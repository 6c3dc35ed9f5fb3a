"""The view Inside: a search from its first step to its last, on any position.

A textbook engine searches once, in a process of its own, and its events are sent in parts; the
page plays them back, forwards and backwards. What belongs to a search (position, engine, seed)
stands in the request, so that an address can hold it; nothing is kept here.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import DlgoError, GameState
from engines.registry import EngineSpec
from experiments.play.analyze import play_texts
from experiments.studio import replies
from experiments.studio.engines import Watched
from experiments.studio.errors import EngineFailed, StudioError
from experiments.studio.games import LONGEST_GAME
from experiments.studio.inside_choices import ALGORITHMS, MOST_DEPTH, MOST_SIMULATIONS, PRESETS
from experiments.studio.position import board_view, decision_view, position_view
from experiments.studio.replies import event_stream, json_reply, number_of, text_of

_LARGEST_SEED = 2**31
# Positions that are told at once, and moves that lead to all of them together.
_MOST_POSITIONS, _MOST_MOVES = 100, 5000
# Characters of a list of moves.
_LONGEST = 20_000

Event = dict[str, Any]


def routes(studio: Any) -> list[Route]:
    """What the browser asks for in this view."""
    view = _Inside(studio)
    return [
        Route("/api/inside", view.choices),
        Route("/api/inside/position", view.position, methods=["POST"]),
        Route("/api/inside/positions", view.positions, methods=["POST"]),
        Route("/api/inside/search", view.search, methods=["POST"]),
    ]


class _Inside:
    def __init__(self, studio: Any) -> None:
        self._studio = studio
        self._offer: Event | None = None

    async def choices(self, _: Request) -> Response:
        """The algorithms, and searches to begin with."""
        if self._offer is None:
            self._offer = await asyncio.to_thread(self._choices)
        return json_reply(self._offer)

    def _choices(self) -> Event:
        presets = []
        for preset in PRESETS:
            state = self._state(asdict(preset))
            position = position_view(state, with_moves=False)
            presets.append({**asdict(preset), "info": board_view(state.game), "position": position})
        return {
            "algorithms": [asdict(algorithm) for algorithm in ALGORITHMS], "presets": presets,
            "mostSimulations": MOST_SIMULATIONS, "mostDepth": MOST_DEPTH,
        }

    async def position(self, request: Request) -> Response:
        """The position that a request names, and its legal moves."""
        given = await replies.read_object(request)

        def look() -> Event:
            state = self._state(given)
            return {
                "info": board_view(state.game), "position": position_view(state),
                "moves": " ".join(state.game.move_text(move) for _, move in state.history()[1]),
            }

        return json_reply(await asyncio.to_thread(look))

    async def positions(self, request: Request) -> Response:
        """The positions at the ends of `paths`, lists of moves that begin where `position` is."""
        given = await replies.read_object(request)
        paths = given.get("paths")
        if (
            not isinstance(paths, list) or len(paths) > _MOST_POSITIONS
            or not all(isinstance(path, list) for path in paths)
            or sum(map(len, paths)) > _MOST_MOVES
            or not all(isinstance(move, str) for path in paths for move in path)
        ):
            raise StudioError(
                f"paths are at most {_MOST_POSITIONS} lists of moves, "
                f"{_MOST_MOVES} moves in all"
            )
        return json_reply({"positions": await asyncio.to_thread(self._ends, given, paths)})

    def _ends(self, given: Event, paths: list[list[str]]) -> list[Event]:
        states: dict[tuple[str, ...], GameState] = {(): self._state(given)}

        def at(path: tuple[str, ...]) -> GameState:
            known = len(path)
            while path[:known] not in states:
                known -= 1
            state = states[path[:known]]
            for length in range(known, len(path)):
                state = states[path[: length + 1]] = state.apply_move(path[length])
            return state

        return [position_view(at(tuple(path)), with_moves=False) for path in paths]

    async def search(self, request: Request) -> Response:
        """A search: its position and settings, then its events in parts, then its choice."""
        given = await replies.read_object(request)
        state, spec = await asyncio.to_thread(lambda: (self._state(given), self._spec(given)))
        if state.is_over():
            raise StudioError("the game is over here: there is nothing to search")
        seed = int(number_of(given, "seed", 1, 0, _LARGEST_SEED))
        return event_stream(self._steps(state, spec, seed), self._studio.closing)

    async def _steps(
        self, state: GameState, spec: EngineSpec, seed: int
    ) -> AsyncIterator[Event | None]:
        position = await asyncio.to_thread(position_view, state)
        yield {
            "info": board_view(state.game), "position": position, "engine": spec.text,
            "name": spec.name, "settings": dict(spec.settings), "seed": seed,
            "mover": state.next_player.name,
        }
        owner = f"inside-{secrets.token_hex(8)}"
        task = asyncio.create_task(self._studio.engines.watch(owner, state, spec.text, seed))
        try:
            while not (await asyncio.wait((task,), timeout=0.5))[0]:
                yield {"waiting": self._studio.engines.waiting_before(owner)}
            watched: Watched = task.result()
        except EngineFailed as error:
            yield {"error": str(error)}
            return
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, DlgoError):
                await task
        for part in watched.transcript.parts:
            yield {"part": part}  # a text in a text: it is long, and need not be understood here
        decision = watched.transcript.decision
        yield {
            "steps": watched.transcript.steps, "hasNetwork": watched.has_network,
            "decision": None if decision is None
            else await asyncio.to_thread(decision_view, state, decision),
        }

    def _state(self, given: Event) -> GameState:
        """The position that a request names: `game`, or `from` and `plies`; then `moves`.

        Raises:
            DlgoError: if there is no such game, or a move is illegal.
        """
        if "from" in given:
            game = self._studio.games.find(text_of(given, "from"))
            state = game.state_at(int(number_of(given, "plies", game.plies, 0, LONGEST_GAME)))
        else:
            state = GameState.new_game(self._studio.allowed.game(text_of(given, "game")))
        moves = given.get("moves", "")
        if not isinstance(moves, str) or len(moves) > _LONGEST:
            raise StudioError(f"moves are a text of at most {_LONGEST} characters")
        texts = moves.replace(",", " ").split()
        if len(texts) > LONGEST_GAME:
            raise StudioError(f"a game here has at most {LONGEST_GAME} moves")
        return play_texts(state, texts)

    def _spec(self, given: Event) -> EngineSpec:
        """The engine that a request names, if it can be watched and its search is short enough."""
        text = text_of(given, "engine")
        name = text.partition(":")[0].strip()
        if name not in {algorithm.engine for algorithm in ALGORITHMS}:
            names = ", ".join(algorithm.engine for algorithm in ALGORITHMS)
            raise StudioError(f"engine {name[:60]!r} cannot be watched; these can: {names}")
        spec = EngineSpec.parse(self._studio.allowed.engine(text))
        limits = spec.budget.given()
        for kind, most in (("sims", MOST_SIMULATIONS), ("depth", MOST_DEPTH)):
            if limits.keys() == {kind} and limits[kind] <= most:
                return spec
        raise StudioError(
            f"a search that is watched is limited by sims, up to {MOST_SIMULATIONS}, or by depth, "
            f"up to {MOST_DEPTH}; not {spec.text}"
        )
