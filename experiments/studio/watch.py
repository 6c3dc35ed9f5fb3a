"""The view Watch: a tournament while it runs, or a finished ledger; nothing is changed here.

A watched ledger is checked twice a second. Standings are rated anew when games have come in, at
most a tenth of the time (`standings.py`). Games in progress come from the file that a running
tournament keeps beside its ledger (`arena/running.py`).
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dlgo import DlgoError, GameSpec, GameState, Move, Player
from experiments.arena.running import Running, RunningGame, read_running
from experiments.play.game_file import game_of_ledger
from experiments.review.comparison import share_of
from experiments.studio import replies
from experiments.studio.ledgers import count_games, find_game, list_games
from experiments.studio.position import board_view, position_view
from experiments.studio.sockets import stream_route
from experiments.studio.specs import Allowed

# Seconds between two looks at a ledger.
_LOOK = 0.5
# Between the end of a rating and the start of the next, at least this many seconds; and while a
# tournament plays, this many times the CPU time that the rating took.
_PAUSE, _SHARE = 2.0, 9.0
# Games in progress that are shown.
_MOST_LIVE = 12

View = dict[str, Any]


def routes(studio: Any) -> list[BaseRoute]:
    """The routes of this view."""
    view = _Watch(studio)
    return [
        Route("/api/ledgers", view.ledgers),
        stream_route("/api/ledgers/{name}/events", view.events),
        Route("/api/ledgers/{name}/games", view.games),
        Route("/api/ledgers/{name}/open", view.open, methods=["POST"]),
    ]


class _Watch:
    def __init__(self, studio: Any) -> None:
        self._studio = studio
        self._watched: dict[Path, _Watched] = {}

    def _path(self, request: HTTPConnection) -> Path:
        return self._studio.ledgers.find(request.path_params["name"])

    async def ledgers(self, _: Request) -> Response:
        ledgers = await asyncio.to_thread(self._studio.ledgers.overview)
        return replies.json_reply({"ledgers": ledgers})

    async def events(self, request: HTTPConnection, _: View) -> replies.Events:
        """Standings and games in progress, each time that something has changed."""
        path = self._path(request)
        if path not in self._watched or not self._watched[path].watchers:
            self._watched[path] = _Watched(path, self._studio)
        return replies.news_of(self._watched[path].follow())

    async def games(self, request: Request) -> Response:
        """Finished games: `?offset=`, `game=`, `entrant=`, `failed=yes`."""
        query = request.query_params
        return replies.json_reply(await asyncio.to_thread(
            list_games, self._path(request), query.get("game", ""), query.get("entrant", ""),
            query.get("failed") == "yes", replies.query_number(request, "offset", 0),
        ))

    async def open(self, request: Request) -> Response:
        """A copy of the game of a `slot`, for the other views."""
        path, fields = self._path(request), await replies.read_object(request)
        slot = replies.text_of(fields, "slot")
        record = await asyncio.to_thread(find_game, path, slot)
        await asyncio.to_thread(self._studio.allowed.game, record.game)
        game = await self._studio.games.start(lambda: game_of_ledger(record))
        game.add_costs(record.costs)
        return replies.json_reply({"id": game.id})


class _Watched:
    """A ledger that pages watch."""

    def __init__(self, path: Path, studio: Any) -> None:
        self.watchers = 0
        self._path, self._studio = path, studio
        self._boards = _LiveBoards(studio.allowed)
        self._view: View = {"problem": "", "games": 0, "running": None, "live": [], "infos": {},
                            "standings": None, "rating": ""}
        self._names: dict[str, str] = {}
        self._changes = replies.Changes()
        self._rated = -1  # games in the last standings
        self._cpu, self._ended = 0.0, 0.0  # what they took, and when they came
        self._looking: asyncio.Task[None] | None = None
        self._rating: asyncio.Task[None] | None = None

    async def follow(self) -> replies.Events:
        """The view, now and after every change."""
        self.watchers += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on())
        try:
            async for view in self._changes.follow(lambda: self._view):
                if self._changes.version:
                    yield view
        finally:
            self.watchers -= 1
            if not self.watchers:
                for task in filter(None, (self._looking, self._rating)):
                    task.cancel()
                self._looking = None  # another page may be coming just now

    async def _look_on(self) -> None:
        while True:
            await self._look()
            await asyncio.sleep(_LOOK)

    async def _look(self) -> None:
        try:
            games = await asyncio.to_thread(count_games, self._path)
            problem = ""
        except DlgoError as error:
            games, problem = 0, replies.error_words(error)
        running = await asyncio.to_thread(read_running, self._path)
        live, infos = await asyncio.to_thread(self._boards.show, running)
        for game in live:
            for side in ("first", "second"):
                game[side] = self._names.get(game[side], game[side])
        self._show(
            problem=problem, games=games, infos=infos, live=live,
            running=None if running is None else {"done": running.done, "planned": running.planned},
        )
        pause = _PAUSE if running is None else max(_PAUSE, _SHARE * self._cpu)
        due = games and games != self._rated and time.monotonic() >= self._ended + pause
        if due and self._rating is None:
            self._rating = asyncio.create_task(self._rate(games))

    async def _rate(self, games: int) -> None:
        try:
            standings = await self._studio.standings.of(self._path)
            self._names, self._cpu = standings.pop("names"), standings.pop("cpu")
            self._show(standings=standings, rating="")
        except DlgoError as error:
            self._show(rating=replies.error_words(error))
        finally:
            self._rating = None
        self._rated, self._ended = games, time.monotonic()

    def _show(self, **news: Any) -> None:
        view = self._view | news
        if view != self._view or not self._changes.version:
            self._view = view
            self._changes.tell()


class _LiveBoards:
    """Turns games in progress into positions; a running game is not replayed."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._states: dict[str, tuple[tuple[int, ...], GameState]] = {}

    def show(self, running: Running | None) -> tuple[list[View], dict[str, View]]:
        """The games with their positions, and the constant part of each kind of board."""
        states, live, infos = {}, [], {}
        for game in running.games[:_MOST_LIVE] if running else ():
            view: View = {
                "slot": game.slot, "game": game.game, "first": game.first, "second": game.second,
                "plies": len(game.actions), "position": None, "problem": "",
                "black": share_of(game.value, Player.from_index(bool(game.player))),
            }
            try:
                spec = self._allowed.game(game.game)
                state = self._state(spec, game)
                states[game.slot] = game.actions, state
                view["position"] = position_view(state, with_moves=False)
                infos[game.game] = board_view(spec)
            except (DlgoError, ValueError, IndexError, OverflowError) as error:
                view["problem"] = replies.error_words(error)
            live.append(view)
        self._states = states
        return live, infos

    def _state(self, spec: GameSpec, game: RunningGame) -> GameState:
        actions, state = self._states.get(game.slot, ((), GameState.new_game(spec)))
        if game.actions[: len(actions)] != actions:
            actions, state = (), GameState.new_game(spec)
        for action in game.actions[len(actions) :]:
            state = state.apply_move(Move.resign() if action < 0 else spec.move_of(action))
        return state
