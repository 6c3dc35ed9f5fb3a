"""The view Course: the presets by chapter, and the games that they are."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import GameState, get_game
from experiments.play.analyze import play_texts
from experiments.play.game_file import SavedGame
from experiments.studio import replies
from experiments.studio.position import board_view, position_view
from experiments.studio.presets import BY_NAME, CHAPTERS, PRESETS, Preset


def routes(studio: Any) -> list[Route]:
    """The routes of this view."""
    offer: list[Any] = []

    async def chapters(_: Request) -> Response:
        """The chapters, each with its presets and their positions."""
        if not offer:
            offer.extend(await asyncio.to_thread(_chapters))
        return replies.json_reply({"chapters": offer})

    async def start(request: Request) -> Response:
        """A new game with the position and the players of a preset."""
        preset = BY_NAME.get(request.path_params["name"])
        if preset is None:
            raise replies.NotFound("there is no preset of this name")
        game = await studio.games.start(
            lambda: SavedGame(state_of(preset)), tuple(preset.players), preset.seed)
        return replies.json_reply({"id": game.id})

    return [Route("/api/course", chapters), Route("/api/course/{name}", start, methods=["POST"])]


def state_of(preset: Preset) -> GameState:
    """The position of a preset, with the moves that lead there."""
    return play_texts(GameState.new_game(get_game(preset.game)), preset.moves.split())


def _chapters() -> list[dict[str, Any]]:
    return [
        {"name": name, "title": title, "presets": [
            _view(preset) for preset in PRESETS if preset.chapter == name
        ]}
        for name, title in CHAPTERS.items()
    ]


def _view(preset: Preset) -> dict[str, Any]:
    state = state_of(preset)
    return preset._asdict() | {
        "info": board_view(state.game), "position": position_view(state, with_moves=False),
    }
