"""The view Inside: a search from its first step to its last, on any position.

A textbook engine searches once, in a process of its own, and its events are sent in parts; the
page plays them back, forwards and backwards. The request contains everything
that defines a search (position, engine, seed), so an address can hold it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from contextlib import aclosing
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dlgo import GameState
from engines.isolation.pool import EngineFailed
from engines.registry import EngineSpec
from engines.watching.recording import MOST_BYTES, MOST_SECONDS, MOST_STEPS, Transcript
from experiments.studio import opponents, replies
from experiments.studio.analyse import position_of
from experiments.studio.course import PRESETS, Preset
from experiments.studio.position import board_view, decision_view, position_view
from experiments.studio.sockets import stream_route

# The longest searches that are recorded.
MOST_SIMULATIONS, MOST_DEPTH = 500, 20
_LARGEST_SEED = 2**31
# The limits of a recording, as people read them.
_LIMITS = {"steps": f"{MOST_STEPS:,} steps", "bytes": f"{MOST_BYTES // 10**6} MB",
           "seconds": f"{MOST_SECONDS:g} seconds"}
# Positions in one answer, and moves that lead to all of them together.
_MOST_POSITIONS, _MOST_MOVES = 100, 5000

Event = dict[str, Any]


# By the name of the engine; the keys are explained in `engines.toml`.
ALGORITHMS = {algorithm["engine"]: algorithm for algorithm in opponents.FILE["algorithm"]}


def routes(studio: Any) -> list[BaseRoute]:
    """The routes of this view."""
    view = _Inside(studio)
    return [
        Route("/api/inside", view.choices),
        Route("/api/inside/position", view.position, methods=["POST"]),
        Route("/api/inside/positions", view.positions, methods=["POST"]),
        stream_route("/api/inside/search", view.search),
    ]


def choices_view(presets: Iterable[Preset]) -> Event:
    """The algorithms that can be watched, and those of the presets that are of this view."""
    return {
        "algorithms": [*ALGORITHMS.values()],
        "presets": [preset._asdict() for preset in presets if preset.view == "inside"],
        "mostSimulations": MOST_SIMULATIONS, "mostDepth": MOST_DEPTH,
    }


def search_view(state: GameState, spec: EngineSpec, seed: int) -> Event:
    """What is known of a search before it begins."""
    return {
        "info": board_view(state.game), "position": position_view(state), "engine": spec.text,
        "name": spec.name, "settings": dict(spec.settings), "seed": seed,
        "mover": state.next_player.name,
    }


def result_view(state: GameState, record: Transcript, has_network: bool) -> Event:
    """What is known of a search at its end."""
    decision = record.decision
    return {
        "steps": record.steps, "limit": _LIMITS.get(record.limit, ""), "hasNetwork": has_network,
        "decision": None if decision is None else decision_view(state, decision),
    }


class _Inside:
    def __init__(self, studio: Any) -> None:
        self._studio = studio

    async def choices(self, _: Request) -> Response:
        """The algorithms that can be watched, and the presets of this view."""
        return replies.json_reply(choices_view(PRESETS))

    async def position(self, request: Request) -> Response:
        """The position of a request, its legal moves, and the moves from the start of the game.

        `moves` is null if the game began with another position, as some records do.
        """
        fields = await replies.read_object(request)

        def look() -> Event:
            state = position_of(self._studio, fields)
            start, moves = state.history()
            usual = start == GameState.new_game(state.game)
            return {
                "info": board_view(state.game), "position": position_view(state), "moves":
                " ".join(state.game.move_text(move) for _, move in moves) if usual else None,
            }

        return replies.json_reply(await asyncio.to_thread(look))

    async def positions(self, request: Request) -> Response:
        """The positions at the ends of `paths`, lists of moves that begin where `position` is."""
        fields = await replies.read_object(request)
        paths = fields.get("paths")
        if (
            not isinstance(paths, list) or len(paths) > _MOST_POSITIONS
            or not all(isinstance(path, list) for path in paths)
            or sum(map(len, paths)) > _MOST_MOVES
            or not all(isinstance(move, str) for path in paths for move in path)
        ):
            raise replies.StudioError(
                f"paths must be at most {_MOST_POSITIONS} lists of moves with "
                f"{_MOST_MOVES} moves in total"
            )

        def ends() -> list[Event]:
            root, views = position_of(self._studio, fields), []
            for path in paths:
                state = root
                for move in path:
                    state = state.apply_move(move)
                views.append(position_view(state, with_moves=False))
            return views

        return replies.json_reply({"positions": await asyncio.to_thread(ends)})

    async def search(self, _: HTTPConnection, body: Event) -> replies.Events:
        """A search: its position and settings, then its events in parts, then its choice."""
        state = await asyncio.to_thread(position_of, self._studio, body)
        spec = await asyncio.to_thread(self._spec, body)
        if state.is_over():
            raise replies.StudioError("the game is over here; take back a move to search")
        seed = replies.whole_of(body, "seed", 1, _LARGEST_SEED)
        return self._steps(state, spec, seed)

    async def _steps(self, state: GameState, spec: EngineSpec, seed: int) -> replies.Events:
        yield await asyncio.to_thread(search_view, state, spec, seed)
        owner = f"inside-{secrets.token_hex(8)}"
        engines = self._studio.engines
        task = asyncio.create_task(engines.watch(owner, state, spec.text, seed))
        try:
            async with aclosing(engines.progress_until(owner, task)) as progress:
                async for news in progress:
                    yield news
            record, has_network = task.result()
        except EngineFailed as error:
            yield {"error": replies.error_words(error)}
            return
        for part in record.parts:
            yield {"part": part}  # a text in a text: it is long, and need not be understood here
        yield await asyncio.to_thread(result_view, state, record, has_network)

    def _spec(self, fields: Event) -> EngineSpec:
        """The engine of a request, if it can be watched and its search is short enough."""
        text = replies.text_of(fields, "engine")
        name = text.partition(":")[0].strip()
        if name not in ALGORITHMS:
            raise replies.StudioError(
                f"engine {name[:60]!r} cannot be watched; these can: {', '.join(ALGORITHMS)}"
            )
        spec = EngineSpec.parse(self._studio.allowed.engine(text))
        limits = spec.budget.given()
        for kind, most in (("sims", MOST_SIMULATIONS), ("depth", MOST_DEPTH)):
            if limits.keys() == {kind} and limits[kind] <= most:
                return spec
        raise replies.StudioError(
            f"engine {spec.text} cannot be watched with this budget: write sims, at most "
            f"{MOST_SIMULATIONS}, or depth, at most {MOST_DEPTH}"
        )
