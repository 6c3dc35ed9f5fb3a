"""The view Play: games against engines or people, and the requests of a game."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dlgo import GameSpec, GameState, get_game
from dlgo.display import board_info, position_info
from dlgo.games import game_names
from dlgo.specs import Option
from experiments.play.game_file import SavedGame, first_game, form_of, game_bytes, iterate_games
from experiments.studio import replies
from experiments.studio.clocks import clock_in
from experiments.studio.game import LONGEST_GAME
from experiments.studio.levels import levels
from experiments.studio.opponents import adviser, levels_view, presets
from experiments.studio.position import position_view
from experiments.studio.sockets import stream_route
from experiments.studio.specs import HUMAN

_TYPES = {"sgf": "application/x-go-sgf", "pdn": "text/plain", "txt": "text/plain"}
_LARGEST_SEED = 2**31
# What is shown on the first page, the top row first. To play such games out would compile the rules
# of all of them before the page comes.
_PICTURES = {
    "tictactoe": ("tictactoe", ".oo/.xx/xxo"),
    "connect4": ("connect4", "......./......./......./......./.o...../xxoooxx"),
    "connectn": ("connectn:cols=9,rows=7,n=5",
                 "........./........./........./....o..../....x..../...xoo.../..oxxxo.."),
    "go": ("go:size=7", "..x..../.....o./.o...../ox...../...o.../..x..../x......"),
    "draughts": ("draughts", ".x.x.x.x/x.x...x./.x...x.x/....x.../.o.o..../x...o.o./.o...o.o/"
                 "o.o.o.o."),
    "hex": ("hex:size=5", "...x./.oxo./.ox.o/.xo.x/.x.o."),
    "othello": ("othello:size=6", "....../..oo../.xxox./..oxx./..ooo./......"),
    "breakthrough": ("breakthrough:rows=6,cols=6", "oo.ooo/o..o../..o.../.x.o.x/x.x.x./.xxxx."),
}

View = dict[str, Any]


def routes(studio: Any) -> list[BaseRoute]:
    """The routes of this view."""
    view, post = _Play(studio), ["POST"]
    game = "/api/games/{id}"
    return [
        Route("/api/setup", view.setup),
        Route("/api/setup/game", view.own_game),
        Route("/api/status", view.status),
        Route("/api/prepare", view.prepare, methods=post),
        Route("/api/games", view.new, methods=post),
        Route("/api/games/load", view.load, methods=post),
        Route(game, view.show),
        stream_route(f"{game}/events", view.events),
        Route(f"{game}/positions/{{plies:int}}", view.position),
        Route(f"{game}/file", view.file),
        *(Route(f"{game}/{name}", getattr(view, name), methods=post)
          for name in ("move", "hint", "rematch", "players", "invite")),
        *(Route(f"{game}/{name}", view.change, methods=post)
          for name in ("undo", "pause", "speed", "now")),
    ]


class _Play:
    def __init__(self, studio: Any) -> None:
        self._studio, self._allowed = studio, studio.allowed
        self._setup: View | None = None
        self._preparing: asyncio.Task[None] | None = None

    async def setup(self, _: Request) -> Response:
        if self._setup is None:
            self._setup = await asyncio.to_thread(_choices)
        own_games = self._allowed.games()
        engines = [spec for spec in self._allowed.specs if spec not in own_games]
        return replies.json_reply({**self._setup, "ownGames": own_games, "ownEngines": engines})

    async def own_game(self, request: Request) -> Response:
        """What a game from a file, `?name=SPEC`, looks like, and its options."""
        spec = request.query_params.get("name", "")
        return replies.json_reply(
            await asyncio.to_thread(lambda: game_card(spec, self._allowed.game(spec))))

    async def status(self, _: Request) -> Response:
        counts = self._studio.engines.counts()
        return replies.json_reply({**counts, "games": len(self._studio.games)})

    async def prepare(self, request: Request) -> Response:
        """Start engines of ours for a game that will be chosen, which may have to compile: `game`,
        `black`, `white`. It replaces what the request before has asked for."""
        body = await replies.read_object(request)
        game = await asyncio.to_thread(self._allowed.game, replies.text_of(body, "game"))
        players = await asyncio.to_thread(self._players, body, (HUMAN, HUMAN))
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = asyncio.create_task(self._studio.engines.warm_up(game, players))
        return replies.json_reply({})

    async def new(self, request: Request) -> Response:
        """A new game: `game`, `black`, `white`, and `clock`, `seed`, `delay` if wanted."""
        body = await replies.read_object(request)
        spec = replies.text_of(body, "game")
        return await self._start(
            lambda: SavedGame(GameState.new_game(self._allowed.game(spec))), body)

    async def load(self, request: Request) -> Response:
        """A game from a file, which is the body; `name`, `black` and `white` in the address."""
        query, data = dict(request.query_params), await replies.read_body(request)
        path = PurePath(PurePath(replies.text_of(query, "name", "game")).name[:100] or "game")
        if data.count(b";") > 2 * LONGEST_GAME:
            raise replies.StudioError(
                f"{path}: a game in the studio has at most {LONGEST_GAME} moves", 413)
        try:
            # The text of moves names its game, which may be anything.
            saved = await asyncio.to_thread(
                lambda: first_game(iterate_games(data, path, self._allowed.game), path))
        except RecursionError:
            raise replies.StudioError(f"{path}: not a game record") from None
        named = {"black": self._allowed.player_or_human(saved.black),
                 "white": self._allowed.player_or_human(saved.white)}
        if "black" not in query and not (saved.result or saved.state.is_over()):  # to play on
            try:
                named["clock"] = clock_in(saved.info)
            except replies.StudioError as error:
                saved = replace(saved, notes=(*saved.notes, f"{path}: {error}"))
        return await self._start(lambda: saved, named | query)

    async def _start(self, make: Callable[[], SavedGame], settings: View) -> Response:
        players = await asyncio.to_thread(self._players, settings, (HUMAN, HUMAN))
        seed = replies.whole_of(settings, "seed", secrets.randbelow(_LARGEST_SEED), _LARGEST_SEED)
        clock = replies.text_of(settings, "clock", "")
        game = await self._studio.games.start(make, players, seed, _delay(settings), clock)
        return replies.json_reply({"id": game.id, "notes": list(game.read.notes)})

    def _players(self, settings: View, default: tuple[str, str]) -> tuple[str, str]:
        black, white = (
            self._allowed.player(replies.text_of(settings, key, usual))
            for key, usual in zip(("black", "white"), default, strict=True)
        )
        return black, white

    async def show(self, request: Request) -> Response:
        game, seat = self._studio.games.seated(request)
        return replies.json_reply(game.view(seat))

    async def events(self, request: HTTPConnection, _: View) -> replies.Events:
        """The stream of a game. Engines move only while a client reads it."""
        game, seat = self._studio.games.seated(request)
        return replies.news_of(game.watch(seat))

    async def position(self, request: Request) -> Response:
        plies = request.path_params["plies"]
        state = self._studio.games.seated(request)[0].state_at(plies)
        return replies.json_reply(await asyncio.to_thread(position_view, state) | {"plies": plies})

    async def file(self, request: Request) -> Response:
        """The game as a file: SGF, PDN, or a text of moves."""
        game, _ = self._studio.games.seated(request)
        form = form_of(game.state.game)
        black, white = game.read.names_beside(game.players, game.state)
        data = await asyncio.to_thread(game_bytes, game.state, black, white, game.saved)
        return replies.file_reply(data, _TYPES[form], f"{game.state.game.slug}.{form}")

    async def move(self, request: Request) -> Response:
        """A turn of a person: `move`, a text; `plies`: how many moves the page shows."""
        body = await replies.read_object(request)
        plies = body.get("plies")
        if plies is not None:
            plies = replies.whole_of(body, "plies", 0, LONGEST_GAME)
        game, seat = self._studio.games.seated(request)
        seat.check_turn(game.state.next_player.index)
        await game.play(replies.text_of(body, "move"), plies)
        return replies.json_reply({})

    async def change(self, request: Request) -> Response:
        """Change how a game goes on.

        `undo`: take back a turn. `pause`: pause or continue (`paused`); with `step`, after one more
        move. `speed`: seconds between the moves of two engines (`delay`). `now`: let the engine
        that thinks move at once.
        """
        body = await replies.read_object(request)
        game, seat = self._studio.games.seated(request)
        seat.check_plays()
        match request.url.path.rpartition("/")[2]:
            case "undo":
                await game.undo(seat)
            case "pause":
                if body.get("paused") is True and game.seats.shared and game.clocks.text:
                    raise replies.StudioError("both players' clocks cannot be paused by one", 403)
                game.set_paused(body.get("paused") is True, body.get("step") is True)
            case "speed":
                game.set_delay(_delay(body))
            case "now":
                seat.check_turn(game.state.next_player.index)
                game.hurry()
        return replies.json_reply({})

    async def hint(self, request: Request) -> Response:
        """Ask an engine what to play: `engine`, or the strongest for this board. With `inPage`, the
        page searches at the place that is the answer, unless this is empty."""
        body = await replies.read_object(request)
        game, seat = self._studio.games.seated(request)
        spec = replies.text_of(body, "engine", adviser(str(game.state.game), game.players))
        engine = await asyncio.to_thread(self._allowed.engine, spec)
        seat.check_turn(game.state.next_player.index)
        place = {}
        if body.get("inPage") is True:
            place = await asyncio.to_thread(self._studio.programs.place, game.state, engine)
        game.ask_hint(engine, in_page=bool(place))
        return replies.json_reply(place)

    async def rematch(self, request: Request) -> Response:
        """A new game from the same start, with the same settings; `swap`: the players change
        sides; `engine` replaces the engine that has played."""
        game, body = self._studio.games.of(request), await replies.read_object(request)
        players = game.players[::-1] if body.get("swap") is True else game.players
        engine = replies.text_of(body, "engine", "")
        black, white = (
            engine if engine and player != HUMAN else player for player in players)
        start = game.state.history()[0]
        return await self._start(lambda: SavedGame(start), {
            "black": black, "white": white, "clock": game.clocks.text, "delay": game.delay,
        })

    async def players(self, request: Request) -> Response:
        """Change the players: `black`, `white`."""
        game, body = self._studio.games.of(request), await replies.read_object(request)
        players = await asyncio.to_thread(self._players, body, game.players)
        sides = game.seats.of(game.id).sides
        if any(players[side] != game.players[side] for side in (0, 1) if side not in sides):
            raise replies.StudioError("this side has been given away; withdraw its link first", 403)
        game.set_players(players)
        return replies.json_reply({})

    async def invite(self, request: Request) -> Response:
        """Make the link of a `seat`: black, white, watch; with `open` false, withdraw it."""
        game, body = self._studio.games.of(request), await replies.read_object(request)
        game.invite(replies.text_of(body, "seat"), body.get("open") is not False)
        return replies.json_reply({"links": game.seats.links})


def _delay(settings: View) -> float:
    return replies.number_of(settings, "delay", 0.5, 0, 60)


def _choices() -> View:
    from engines.registry import EngineSpec, engine_class, engine_names

    return {
        "games": [
            game_card(name, get_game(name))
            for name in game_names()
        ],
        "levels": {game: levels_view(game) for game in levels()},
        "engines": [
            {"default": str(EngineSpec.parse(name)), "summary": engine_class(name).summary}
            for name in engine_names() if not engine_class(name).external
        ],
        "presets": presets(),
    }


def _option(option: Option) -> View:
    return {
        "name": option.name, "default": option.default, "help": option.help,
        "kind": option.type.__name__, "choices": list(option.choices),
        "range": option.range_text(), "high": option.high,
    }


def game_card(name: str, game: GameSpec) -> View:
    """A game as the first page offers it, with a picture of a position after a few moves."""
    boards = [get_game(board) for board in levels() if board.partition(":")[0] == name]
    view = {"name": name, "spec": str(game), "title": game.title,
            "options": [*map(_option, game.options)],
            # Those that have levels.
            "sizes": sorted({board.size for board in boards if hasattr(board, "size")})}
    if name in _PICTURES:
        picture_spec, rows = _PICTURES[name]
        cells = [".xo".index(sign) - 1 for row in reversed(rows.split("/")) for sign in row]
        sample = {"cells": cells, "turn": 0, "over": False, "last": None, "won": []}
        return view | {"info": board_info(get_game(picture_spec)), "sample": sample}
    state = GameState.new_game(game)
    for number in range(1, 9):
        moves = [move for move in state.legal_moves() if move.is_play]
        successor = state.apply_move(moves[(17 * number + 5) % len(moves)]) if moves else state
        state = state if successor.is_over() else successor
    return view | {"info": board_info(game), "sample": position_info(state) | {"last": None}}
