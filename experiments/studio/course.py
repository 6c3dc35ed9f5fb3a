"""The view Course: prepared examples for the chapters, from `course.toml`."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import GameState, get_game
from dlgo.readers import read_toml
from experiments.play.analyze import play_texts
from experiments.play.game_file import SavedGame
from experiments.review.game_review import exact_engine
from experiments.studio import replies
from experiments.studio.position import board_view, position_view
from experiments.studio.specs import HUMAN


class Preset(NamedTuple):
    """A prepared example."""

    chapter: str  # of CHAPTERS
    name: str  # in addresses
    view: str  # `inside`, `analyse`, `play` or `review`
    title: str
    look_for: str
    game: str
    moves: str = ""
    engine: str = ""  # of the views Inside and Analyse; "exact" in Analyse: exact values
    players: Sequence[str] = (HUMAN, HUMAN)
    seed: int = 1


_FILE = read_toml(Path(__file__).with_suffix(".toml"))
# Titles of the chapter pages with something to show, notebooks/NAME.py.
CHAPTERS = {chapter["name"]: chapter["title"] for chapter in _FILE["chapter"]}
PRESETS = tuple(
    Preset(chapter["name"], **preset)
    for chapter in _FILE["chapter"] for preset in chapter["preset"]
)
BY_NAME = {preset.name: preset for preset in PRESETS}


def routes(studio: Any) -> list[Route]:
    """The routes of this view."""
    async def chapters(_: Request) -> Response:
        """The chapters, each with its presets and their positions."""
        return replies.json_reply(await asyncio.to_thread(_whole_course))

    async def start(request: Request) -> Response:
        """A new game with the position and the players of a preset."""
        preset = _preset_of(request)
        game = await studio.games.start(
            lambda: SavedGame(state_of(preset)), tuple(preset.players), preset.seed)
        return replies.json_reply({"id": game.id})

    async def prepare(request: Request) -> Response:
        """Start, and so compile, the engines that a preset needs."""
        preset = _preset_of(request)
        game = get_game(preset.game)
        exact = await asyncio.to_thread(exact_engine, game)
        named = {preset.engine, *preset.players} - {"", HUMAN, "exact"}
        if exact is not None and (preset.engine == "exact" or preset.view == "review"):
            named.add(exact)
        for spec in sorted(named):
            await studio.engines.prepare("lecture", game, spec)
        return replies.json_reply({})

    return [
        Route("/api/course", chapters),
        Route("/api/course/{name}", start, methods=["POST"]),
        Route("/api/course/{name}/prepare", prepare, methods=["POST"]),
    ]


def _preset_of(request: Request) -> Preset:
    preset = BY_NAME.get(request.path_params["name"])
    if preset is None:
        raise replies.StudioError("there is no preset of this name", 404)
    return preset


def state_of(preset: Preset) -> GameState:
    """The position of a preset, with the moves that lead there."""
    return play_texts(GameState.new_game(get_game(preset.game)), preset.moves.split())


def course_view(presets: Iterable[Preset]) -> dict[str, Any]:
    """The chapters, each with those of the presets that belong there, and their positions."""
    chapters: dict[str, list[dict[str, Any]]] = {}
    for preset in presets:
        state = state_of(preset)
        chapters.setdefault(preset.chapter, []).append(preset._asdict() | {
            "info": board_view(state.game), "position": position_view(state, with_moves=False)})
    return {"chapters": [{"name": name, "title": CHAPTERS[name], "presets": views}
                         for name, views in chapters.items()]}


@functools.cache
def _whole_course() -> dict[str, Any]:
    return course_view(PRESETS)
