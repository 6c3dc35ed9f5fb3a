"""The view Analyse: what engines see of a position while they search, and exact values.

The position is that of a game (`games.py`) in which people make the moves of both sides.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import GameSpec, GameState, Move, Player, Point
from dlgo.games.draughts.notation import square_number
from experiments.review.exact import exact_engine
from experiments.studio import replies
from experiments.studio.changes import silence
from experiments.studio.errors import EngineFailed, StudioError
from experiments.studio.game import Game
from experiments.studio.position import black_share, decision_view, moves_view
from experiments.studio.replies import event_stream, json_reply, number_of, query_number, text_of
from experiments.studio.specs import HUMAN

# Looks a second at a search; a screen shows 60.
_RATE, _HIGHEST_RATE = 20, 60
# The share of the time between two looks after which the next one comes: on a screen that is a
# little quicker than our clock, no frame goes without.
_AHEAD = 0.99

Event = dict[str, Any]


def routes(studio: Any) -> list[Route]:
    """What the browser asks for in this view."""
    view = _Analyse(studio)
    return [
        Route("/api/positions", view.set_up, methods=["POST"]),
        Route("/api/games/{id}/copy", view.copy, methods=["POST"]),
        Route("/api/games/{id}/analysis", view.analysis),
        Route("/api/games/{id}/exact", view.exact),
    ]


class _Analyse:
    def __init__(self, studio: Any) -> None:
        self._studio = studio

    async def set_up(self, request: Request) -> Response:
        """A game that begins at a position: `game`, the pieces of all `cells`, whose `turn`."""
        given = await replies.read_object(request)
        spec, cells, turn = text_of(given, "game"), given.get("cells"), given.get("turn")

        def make() -> GameState:
            return position_of(self._studio.allowed.game(spec), cells, turn)

        return await self._open(make)

    async def copy(self, request: Request) -> Response:
        """The same game up to `plies`, played on by people."""
        game, given = self._game(request), await replies.read_object(request)
        state = game.state_at(int(number_of(given, "plies", game.plies, 0, game.plies)))
        return await self._open(lambda: state)

    async def _open(self, make: Any) -> Response:
        game = await self._studio.games.start(make, (HUMAN, HUMAN), 0, 0.0)
        return json_reply({"id": game.id})

    def _game(self, request: Request) -> Game:
        return self._studio.games.find(request.path_params["id"])

    def _state(self, request: Request) -> GameState:
        """The position that is asked about: `?plies=N`, or the last one."""
        game = self._game(request)
        state = game.state_at(query_number(request, "plies", game.plies))
        if state.is_over():
            raise StudioError("the game is over: there is no move to analyse")
        return state

    async def analysis(self, request: Request) -> Response:
        """What `?engine=SPEC` sees, `?rate=` times a second, as long as this is read.

        Each look has a number, from 1 on: a page knows which ones it has missed.
        """
        state, asked = self._state(request), request.query_params
        spec = await asyncio.to_thread(self._studio.allowed.engine, asked.get("engine", ""))
        rate = query_number(request, "rate", _RATE)
        if not 1 <= rate <= _HIGHEST_RATE:
            raise StudioError(f"rate must be a whole number from 1 to {_HIGHEST_RATE}")
        events = self._looks(state, spec, _AHEAD / rate)
        return event_stream(events, self._studio.closing)

    async def _looks(
        self, state: GameState, spec: str, interval: float
    ) -> AsyncIterator[Event | None]:
        owner = f"analysis-{secrets.token_hex(8)}"
        steps = self._studio.engines.steps(owner, state, spec, interval=interval)
        views: dict[Move, Event] = {}
        look = 0
        try:
            async with aclosing(steps):
                async for step in steps:
                    look += 1
                    view = await asyncio.to_thread(
                        decision_view, state, step.decision, None, views
                    )
                    black = black_share(step.decision, state.next_player)
                    yield {
                        **view, "look": look, "who": spec, "black": black, "final": step.final,
                    }
        except EngineFailed as error:
            yield {"problem": str(error), "final": True}
        async for sign in silence():
            yield sign

    async def exact(self, request: Request) -> Response:
        """The exact value of every move, one after the other, where the game can be solved."""
        state = self._state(request)
        spec = exact_engine(state.game)
        if spec is None:
            raise StudioError(f"{state.game} is too large for exact values")
        return event_stream(self._exact_values(state, spec), self._studio.closing)

    async def _exact_values(self, state: GameState, spec: str) -> AsyncIterator[Event | None]:
        owner = f"exact-{secrets.token_hex(8)}"
        moves = await asyncio.to_thread(moves_view, state)
        values: dict[str, Event] = {}
        problem = ""
        for move in moves:
            after = state.apply_move(move["text"])
            if after.is_over():
                winner = after.winner()
                value = 0 if winner is None else 1 if winner is state.next_player else -1
                values[move["text"]] = {"value": value, "plies": 1}
            else:
                try:
                    decision = await self._studio.engines.search(owner, after, spec)
                except EngineFailed as error:
                    problem = str(error)
                    break
                if decision.proven is None:
                    continue
                same = after.next_player is state.next_player
                plies = decision.depth if spec == "solver" else None
                values[move["text"]] = {
                    "value": decision.proven if same else -decision.proven,
                    "plies": None if plies is None else plies + 1,
                }
            yield {
                "exact": [{**one, **values[one["text"]]} for one in moves if one["text"] in values],
                "of": len(moves), "who": spec,
            }
        if problem:
            yield {"problem": problem}
        async for sign in silence():
            yield sign


def position_of(game: GameSpec, cells: object, turn: object) -> GameState:
    """The position with these pieces.

    Args:
        cells: for each cell a piece, as `position.py` numbers them.
        turn: 0 if black is to move, 1 for white.

    Raises:
        DlgoError: if it is not a possible position, or the game has no such beginnings.
    """
    size = game.board_rows * game.board_cols
    most = 2 * len(game.piece_kinds)
    if (
        not isinstance(cells, list) or len(cells) != size or turn not in (0, 1)
        or any(type(piece) is not int or not -1 <= piece < most for piece in cells)
    ):
        raise StudioError(f"a position of {game} is a list of {size} pieces, and whose turn it is")
    if game.name == "go":
        points: tuple[list[Point], list[Point]] = ([], [])
        for cell, piece in enumerate(cells):
            if piece >= 0:
                row, col = divmod(cell, game.board_cols)
                points[piece].append(Point(row + 1, col + 1))
        return game.position(*points, Player.from_index(turn))
    if game.name == "draughts":
        sides: tuple[list[str], list[str]] = ([], [])
        for cell, piece in enumerate(cells):
            row, col = divmod(cell, 8)
            number = square_number(7 - row, col)
            if piece >= 0 and number is None:
                raise StudioError("pieces stand on dark squares")
            if piece >= 0:
                sides[piece % 2].append(f"{'K' if piece > 1 else ''}{number}")
        fen = f"{'BW'[turn]}:B{','.join(sides[0])}:W{','.join(sides[1])}"
        return game.from_fen(fen)
    raise StudioError(f"{game.title} positions are set up by making their moves")
