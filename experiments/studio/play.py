"""The view Play: games against engines or people, and what a game can be asked for."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import PurePath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import DlgoError, GameState, get_game
from dlgo.display import board_info, position_info
from dlgo.games import game_class, game_names
from experiments.play.game_file import SavedGame, first_game, form_of, game_bytes, read_games
from experiments.play.session import DEFAULT_HINT
from experiments.studio import replies
from experiments.studio.changes import news_of
from experiments.studio.errors import StudioError, TooLarge
from experiments.studio.game import LONGEST_GAME, Game
from experiments.studio.replies import event_stream, json_reply, number_of, text_of
from experiments.studio.security import MOST_BYTES
from experiments.studio.specs import HUMAN

_TYPES = {"sgf": "application/x-go-sgf", "pdn": "text/plain", "txt": "text/plain"}
_GAMES = (".sgf", ".sgfs", ".pdn", ".txt")
_LARGEST_SEED = 2**31


def routes(studio: Any) -> list[Route]:
    """What the browser asks for in this view."""
    view = _Play(studio)
    return [
        Route("/api/setup", view.setup),
        Route("/api/status", view.status),
        Route("/api/games", view.new, methods=["POST"]),
        Route("/api/games/load", view.load, methods=["POST"]),
        Route("/api/files", view.files),
        Route("/api/files/{name}/open", view.open_file, methods=["POST"]),
        Route("/api/games/{id}", view.show),
        Route("/api/games/{id}/events", view.events),
        Route("/api/games/{id}/positions/{plies:int}", view.position),
        Route("/api/games/{id}/file", view.file),
        Route("/api/games/{id}/store", view.store, methods=["POST"]),
        Route("/api/games/{id}/move", view.move, methods=["POST"]),
        Route("/api/games/{id}/undo", view.undo, methods=["POST"]),
        Route("/api/games/{id}/hint", view.hint, methods=["POST"]),
        Route("/api/games/{id}/evaluate", view.evaluate, methods=["POST"]),
        Route("/api/games/{id}/pause", view.pause, methods=["POST"]),
        Route("/api/games/{id}/players", view.players, methods=["POST"]),
    ]


class _Play:
    def __init__(self, studio: Any) -> None:
        self._studio = studio
        self._setup: dict[str, Any] | None = None

    def _game(self, request: Request) -> Game:
        return self._studio.games.find(request.path_params["id"])

    async def setup(self, _: Request) -> Response:
        """What there is to choose from."""
        if self._setup is None:
            self._setup = await asyncio.to_thread(_choices)
        return json_reply({
            **self._setup, "allowed": list(self._studio.allowed.specs),
            "folder": self._studio.folder.given,
        })

    async def status(self, _: Request) -> Response:
        """How much the server has to do."""
        counts = self._studio.engines.counts()
        return json_reply({**counts, "games": len(self._studio.games)})

    async def new(self, request: Request) -> Response:
        """A new game: `game`, `black`, `white`, and `seed`, `delay` if wanted."""
        given = await replies.read_object(request)
        spec = text_of(given, "game")

        def make() -> GameState:
            return GameState.new_game(self._studio.allowed.game(spec))

        return await self._start(make, given, (HUMAN, HUMAN))

    async def load(self, request: Request) -> Response:
        """A game from a file, which is the body; `name`, `black` and `white` in the address."""
        given = dict(request.query_params)
        name = PurePath(text_of(given, "name", "game")).name[:100] or "game"
        return await self._load(await request.body(), name, given)

    async def files(self, _: Request) -> Response:
        """The saved games in the server's folder."""
        return json_reply({"files": await asyncio.to_thread(self._studio.folder.names, _GAMES)})

    async def open_file(self, request: Request) -> Response:
        """A game from the server's folder."""
        name, given = request.path_params["name"], await replies.read_object(request)
        path = self._studio.folder.find(name)
        if path.stat().st_size > MOST_BYTES:
            raise TooLarge(f"{name} is too large for a game")
        return await self._load(await asyncio.to_thread(path.read_bytes), name, given)

    async def _load(self, data: bytes, name: str, given: dict[str, Any]) -> Response:
        if data.count(b";") > 2 * LONGEST_GAME:
            raise TooLarge(f"{name}: a game here has at most {LONGEST_GAME} moves")
        try:
            # The text of moves names its game, which may be anything.
            games = await asyncio.to_thread(
                read_games, data, PurePath(name), self._studio.allowed.game
            )
            saved = first_game(games, PurePath(name))
        except RecursionError:
            raise StudioError(f"{name}: not a game record") from None
        named = tuple(self._player_of_file(player) for player in (saved.black, saved.white))
        return await self._start(lambda: saved.state, given, named, saved)

    def _player_of_file(self, name: str) -> str:
        """The player that a file names, if it may be built unasked; else a person."""
        try:
            return self._studio.allowed.player(name or HUMAN)
        except DlgoError:
            return HUMAN

    async def _start(
        self, make: Any, given: dict[str, Any], default: tuple[str, ...],
        saved: SavedGame | None = None,
    ) -> Response:
        players = await asyncio.to_thread(self._players, given, default)
        seed = int(number_of(given, "seed", secrets.randbelow(_LARGEST_SEED), 0, _LARGEST_SEED))
        delay = number_of(given, "delay", 0.5, 0, 60)
        game = await self._studio.games.start(make, players, seed, delay)
        if saved is not None:
            game.read = saved
        return json_reply({"id": game.id, "notes": list(saved.notes if saved else ())})

    def _players(self, given: dict[str, Any], default: tuple[str, ...]) -> tuple[str, str]:
        black, white = (
            self._studio.allowed.player(text_of(given, key, named))
            for key, named in zip(("black", "white"), default, strict=True)
        )
        return black, white

    async def show(self, request: Request) -> Response:
        return json_reply(self._game(request).view())

    async def events(self, request: Request) -> Response:
        """The game as it goes on. It goes on only while somebody reads this."""
        return event_stream(news_of(self._game(request).watch()), self._studio.closing)

    async def position(self, request: Request) -> Response:
        """An earlier position."""
        return json_reply(await self._game(request).position(request.path_params["plies"]))

    async def file(self, request: Request) -> Response:
        """The game as a file: SGF, PDN, or a text of moves (`?form=txt`)."""
        game = self._game(request)
        form = request.query_params.get("form", form_of(game.state.game))
        data = await self._data(game, form)
        name = f"{game.state.game.slug}.{form}"
        return Response(data, media_type=_TYPES[form], headers={
            "content-disposition": f'attachment; filename="{name}"',
        })

    async def store(self, request: Request) -> Response:
        """Save the game in the server's folder: `name`, whose ending says in which form."""
        game, given = self._game(request), await replies.read_object(request)
        name = text_of(given, "name")
        data = await self._data(game, name.rpartition(".")[2].lower())
        await asyncio.to_thread(self._studio.folder.save, name, data)
        return json_reply({"name": name})

    async def _data(self, game: Game, form: str) -> bytes:
        usual = form_of(game.state.game)
        if form not in (usual, "txt"):
            raise StudioError(f"{game.state.game} is saved as {usual} or txt, not as {form[:20]}")
        return await asyncio.to_thread(
            game_bytes, game.state, *game.read.names_beside(game.players, game.state), form,
            game.read,
        )

    async def move(self, request: Request) -> Response:
        """A turn of a person: `move`, a text; `plies`, if it is made from an earlier position."""
        given = await replies.read_object(request)
        plies = given.get("plies")
        if plies is not None:
            plies = int(number_of(given, "plies", 0, 0, LONGEST_GAME))
        await self._game(request).play(text_of(given, "move"), plies)
        return json_reply({})

    async def undo(self, request: Request) -> Response:
        await self._game(request).undo()
        return json_reply({})

    async def hint(self, request: Request) -> Response:
        """Ask an engine what to play: `engine`, or the usual one."""
        given = await replies.read_object(request)
        self._game(request).ask_hint(await self._adviser(given))
        return json_reply({})

    async def evaluate(self, request: Request) -> Response:
        """If `on`, an engine says what it expects of each move: `engine`, or the usual one."""
        given = await replies.read_object(request)
        on = given.get("on") is True
        self._game(request).set_evaluator(await self._adviser(given) if on else "")
        return json_reply({})

    async def _adviser(self, given: dict[str, Any]) -> str:
        """The engine that a request names, or the usual one."""
        spec = text_of(given, "engine", "") or DEFAULT_HINT
        return await asyncio.to_thread(self._studio.allowed.engine, spec)

    async def pause(self, request: Request) -> Response:
        """Hold the engines, or let them go on: `paused`."""
        given = await replies.read_object(request)
        self._game(request).set_paused(given.get("paused") is True)
        return json_reply({})

    async def players(self, request: Request) -> Response:
        """Other players from now on: `black`, `white`."""
        game, given = self._game(request), await replies.read_object(request)
        game.set_players(await asyncio.to_thread(self._players, given, game.players))
        return json_reply({})


def _choices() -> dict[str, Any]:
    """Games with their options, and engines with what they are."""
    from dlgo.budgets import BUDGET_OPTIONS
    from engines.registry import EngineSpec, engine_class, engine_names

    def options_of(options: Any) -> list[dict[str, Any]]:
        return [
            {
                "name": option.name, "default": option.default, "help": option.help,
                "kind": option.type.__name__, "choices": list(option.choices),
                "range": option.range_text(),
            }
            for option in options
        ]

    return {
        "games": [
            {
                "name": name, "title": game_class(name).title,
                "summary": (game_class(name).__doc__ or "").splitlines()[0],
                "options": options_of(game_class(name).options), **_picture(name),
            }
            for name in game_names()
        ],
        "engines": [
            {
                "name": name, "summary": (cls := engine_class(name)).summary,
                "default": str(EngineSpec.parse(name)),
                "budgets": options_of(o for o in BUDGET_OPTIONS if o.name in cls.budgets),
                "options": options_of(cls.options),
            }
            for name in engine_names() if name != "gtp"
        ],
        "presets": _presets(),
        "hint": DEFAULT_HINT,
    }


def _picture(name: str) -> dict[str, Any]:
    """What a game looks like after a few moves."""
    small = {"go": "go:size=7", "connectn": "connectn:gravity=no,cols=7,rows=7,n=5"}
    state = GameState.new_game(get_game(small.get(name, name)))
    for number in range(1, 9):
        moves = [move for move in state.legal_moves() if move.is_play]
        after = state.apply_move(moves[(17 * number + 5) % len(moves)])
        state = state if after.is_over() else after
    return {"info": board_info(state.game), "sample": position_info(state) | {"last": None}}


def _presets() -> list[dict[str, Any]]:
    """Engines that a list offers, from weak to strong; `games` where not all are meant."""
    from engines.learning.networks.store import shipped_models

    def trained(kind: str) -> list[str]:
        """The games for which a network of that kind comes with the package."""
        names = (model.rpartition("-") for model in shipped_models())
        games = {game.rstrip("0123456789") for game, _, how in names if how == kind}
        return sorted(games | ({"connect4"} if "connect" in games else set()))

    def preset(title: str, spec: str, note: str, games: list[str] | None = None) -> dict[str, Any]:
        return {"title": title, "spec": spec, "note": note, "games": games}

    def search(title: str, name: str, sims: int, *more: Any) -> dict[str, Any]:
        return preset(f"{title}, {sims:,} simulations", f"{name}:sims={sims}", *more)

    sizes = "in Go on 5x5 and 9x9"
    own_games = (
        f"tree search with a network that learned from its own games; {sizes}",
        trained("alphazero"),
    )
    return [
        preset("Random", "random", "any sensible move"),
        preset("Heuristic", "heuristic", "wins, blocks, forks; else random"),
        preset("Alpha-beta, 2 plies", "alphabeta:depth=2", "looks two plies ahead"),
        preset("Alpha-beta, 6 plies", "alphabeta:depth=6", "looks six plies ahead"),
        preset("Supervised network", "supervised",
               f"plays what a network learned from games, without a search; {sizes}",
               trained("supervised")),
        *(search("MCTS", "mcts", sims, "tree search with random games")
          for sims in (100, 1000, 20_000)),
        *(search("AlphaZero", "alphazero", sims, *own_games) for sims in (50, 400)),
        preset("Perfect play", "solver", "exact, with a book of the first nine plies",
               ["connect4"]),
    ]
