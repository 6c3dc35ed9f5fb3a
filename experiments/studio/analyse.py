"""The view Analyse: what engines think of a position while they search, and exact values.

The position is that of a game (`game.py`) in which people make the moves of both sides.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import aclosing, suppress
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dlgo import DlgoError, GameState, Move, Player
from dlgo.display import player_text
from dlgo.games.go.scoring import ownership
from dlgo.games.go.state import Go
from dlgo.system.console import command_line
from experiments.play.analyze import START, play_texts
from experiments.play.cell_moves import turn_text, turns_played
from experiments.play.game_file import SavedGame
from experiments.review.game_review import exact_engine
from experiments.studio import replies
from experiments.studio.game import LONGEST_GAME
from experiments.studio.position import decision_view, moves_view
from experiments.studio.sockets import stream_route
from experiments.studio.specs import HUMAN

Event = dict[str, Any]
# Their mean tells a point's owner to 0.03 (one standard deviation), in 0.1 s on 19x19.
_RANDOM_GAMES = 1000
# Characters of a list of moves.
_LONGEST = 20_000


def routes(studio: Any) -> list[BaseRoute]:
    """The routes of this view."""
    view = _Analyse(studio)
    return [
        Route("/api/games/{id}/copy", view.copy, methods=["POST"]),
        stream_route("/api/games/{id}/analysis", view.analysis),
        stream_route("/api/games/{id}/exact", view.exact),
        Route("/api/games/{id}/territory", view.territory),
        Route("/api/games/{id}/address", view.address),
        Route("/api/games/{id}/place", view.place),
        Route("/api/positions", view.position, methods=["POST"]),
    ]


class _Analyse:
    def __init__(self, studio: Any) -> None:
        self._studio = studio

    async def copy(self, request: Request) -> Response:
        """Copy the game up to `plies`, or to a `node` of its tree; `black` and `white` are the
        players, people by default. What is said of the moves is copied, too."""
        game, body = self._studio.games.of(request), await replies.read_object(request)
        if "node" in body:
            state = game.tree.node(replies.whole_of(body, "node", 0, 2**31)).state
        else:
            state = game.state_at(replies.whole_of(body, "plies", game.plies, game.plies))
        named = [replies.text_of(body, side, HUMAN) for side in ("black", "white")]
        players = await asyncio.to_thread(lambda: tuple(map(self._studio.allowed.player, named)))
        saved = game.saved.up_to(state)
        if players != (HUMAN, HUMAN):  # others than those whom the file names
            saved = SavedGame(state, root=saved.root)
        copied = await self._studio.games.start(lambda: saved, players)
        return replies.json_reply({"id": copied.id})

    def _state(self, request: HTTPConnection) -> GameState:
        """The position of the request: `?node=N` of the tree, or after `?plies=N`, by default the
        last one."""
        game = self._studio.games.of(request)
        if "node" in request.query_params:
            state = game.tree.node(replies.query_number(request, "node", 0)).state
        else:
            state = game.state_at(replies.query_number(request, "plies", game.plies))
        if state.is_over():
            raise replies.StudioError("the game is over: go back to an earlier position")
        return state

    async def analysis(self, request: HTTPConnection, _: Event) -> replies.Events:
        """The analysis by `?engine=SPEC` until the reader leaves; updates count from 1."""
        state, query = self._state(request), request.query_params
        spec = await asyncio.to_thread(self._studio.allowed.engine, query.get("engine", ""))
        return replies.kept_open(self._looks(state, spec))

    async def _looks(self, state: GameState, spec: str) -> replies.Events:
        views: dict[Move, Event] = {}
        look, engines, owner = 0, self._studio.engines, f"analysis-{secrets.token_hex(8)}"
        async with aclosing(engines.steps(owner, state, spec)) as steps:
            while True:
                task = asyncio.ensure_future(anext(steps, None))
                async with aclosing(engines.progress_until(owner, task)) as progress:
                    async for news in progress:
                        if not look:  # later, the page shows the last answer
                            yield news
                step = task.result()
                if step is None:
                    break
                decision, final = step
                look += 1
                view = await asyncio.to_thread(decision_view, state, decision, None, views)
                yield {**view, "look": look, "final": final}

    async def territory(self, request: Request) -> Response:
        """Who owns each cell at the end of random games of Go, +1 black to -1 white."""
        state = self._state(request)
        if state.game.name != "go":
            raise replies.StudioError(f"{state.game} has no territory; Go has")
        owner = await asyncio.to_thread(ownership, state, _RANDOM_GAMES)
        lead = float(owner.sum()) - Go.of(state.game).komi
        words = f"{player_text(state.game, Player.black if lead > 0 else Player.white)} leads by " \
                f"{abs(lead):.1f} points on average over {_RANDOM_GAMES:,} random games"
        return replies.json_reply({
            "owner": owner.ravel().round(2).tolist(), "lead": lead, "words": words,
        })

    async def address(self, request: Request) -> Response:
        """The position as game and moves, and as a command of the console for `?engine=`."""
        state, spec = self._state(request), request.query_params.get("engine", "")
        game, first = state.game, GameState.new_game(state.game)
        if state.history()[0] != first:
            raise replies.StudioError("the game begins with a position, not with the empty board; "
                                      "save it as a file instead")
        texts = [turn_text(game, moves) for _, moves in turns_played(state)]
        moves = ("" if game.name == "connect4" else " ").join(texts)
        line = ["dlgo", "analyze", str(game), "--stdin", "--engine", spec]
        return replies.json_reply({
            "game": str(game), "moves": " ".join(texts),
            "command": f"echo {command_line([moves or START])} | {command_line(line)}",
        })

    async def place(self, request: Request) -> Response:
        """Where a page searches the position by `?engine=`, without it for exact values; empty if
        the server does."""
        state, spec = self._state(request), request.query_params.get("engine", "")

        def find() -> Event:
            with suppress(DlgoError):
                engine = self._studio.allowed.engine(spec or exact_engine(state.game))
                return self._studio.programs.place(state, engine)
            return {}

        return replies.json_reply(await asyncio.to_thread(find))

    async def position(self, request: Request) -> Response:
        """Open a position from a link: `game`, and `moves`, separated by spaces."""
        body = await replies.read_object(request)
        game = await self._studio.games.start(lambda: SavedGame(position_of(self._studio, body)))
        return replies.json_reply({"id": game.id})

    async def exact(self, request: HTTPConnection, _: Event) -> replies.Events:
        """The exact value of every move, one by one, in games that can be solved."""
        state = self._state(request)
        spec = exact_engine(state.game)
        if spec is None:
            raise replies.StudioError(f"{state.game} is too large for exact values")
        return replies.kept_open(self._exact_values(state, spec))

    async def _exact_values(self, state: GameState, spec: str) -> replies.Events:
        owner = f"exact-{secrets.token_hex(8)}"
        moves = await asyncio.to_thread(moves_view, state)
        solved: list[Event] = []
        for move in moves:
            successor = state.apply_move(move["text"])
            if successor.is_over():
                value = successor.result() * (1 if state.next_player is Player.black else -1)
                solved.append({**move, "value": value, "plies": 1})
            else:
                decision = await self._studio.engines.search(owner, successor, spec)
                if decision.proven is None:
                    continue
                moves_again = successor.next_player is state.next_player
                solved.append({
                    **move, "value": decision.proven if moves_again else -decision.proven,
                    "plies": decision.depth + 1 if spec == "solver" else None,
                })
            yield {"exact": [*solved], "of": len(moves), "who": spec}


def position_of(studio: Any, body: Event) -> GameState:
    """The position of a request: `game`, or `from`, a game's name, and `plies`; then `moves`."""
    if "from" in body:
        game = studio.games.find(replies.text_of(body, "from"))
        state = game.state_at(replies.whole_of(body, "plies", game.plies, LONGEST_GAME))
    else:
        state = GameState.new_game(studio.allowed.game(replies.text_of(body, "game")))
    moves = body.get("moves", "")
    if not isinstance(moves, str) or len(moves) > _LONGEST:
        raise replies.StudioError(f"moves must be a text of at most {_LONGEST} characters")
    texts = moves.replace(",", " ").split()
    if len(texts) > LONGEST_GAME:
        raise replies.StudioError(f"a game in the studio has at most {LONGEST_GAME} moves")
    return play_texts(state, texts)
