"""What pages show of Python's own answers: the course's searches with a network, and its puzzles.

A search with a network depends on the last digits of the network's answers, and the texts of the
course on the search. Puzzles need exact values, and words for each answer. Both are made at export.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Mapping
from types import SimpleNamespace
from typing import Any

from dlgo import GameState, get_game
from engines.base import Decision, Engine
from engines.registry import EngineSpec, build_engine, engine_class
from engines.watching.recording import transcript
from experiments.measures.puzzles import Puzzle, PuzzleSet, shipped_sets
from experiments.review.facts import turns_of
from experiments.studio.course import PRESETS, Preset, course_view, state_of
from experiments.studio.inside import choices_view, result_view, search_view
from experiments.studio.position import find_turn, position_view
from experiments.studio.train import Train, puzzle_view, sets_view

View = dict[str, Any]
Parts = dict[str, View | list[View]]
# Engines that pages can watch (`static/worker/textbook`); others are shown in recordings only.
_LIVE = ("textbook-mcts", "textbook-puct", "textbook-alphabeta", "minimax")


def course_parts(games: Mapping[str, Collection[str]]) -> Parts:
    """The parts of the views Course and Inside.

    Args:
        games: the games of a page, each with the names of its engines.
    """
    known = [preset._replace(game=str(get_game(preset.game))) for preset in PRESETS]
    presets = [preset for preset in known
               if preset.game in games and _is_shown(preset, games[preset.game])]
    view, recordings = choices_view(presets), Parts()
    view["algorithms"] = [algorithm | {
        "recorded": algorithm["engine"] not in _LIVE,
        "settings": {option.name: option.default
                     for option in engine_class(algorithm["engine"]).options
                     if isinstance(option.default, int | float)},
    } for algorithm in view["algorithms"]]
    by_name = {preset.name: preset for preset in presets}
    for entry in view["presets"]:
        state, spec = state_of(by_name[entry["name"]]), EngineSpec.parse(entry["engine"])
        engine = spec.build(state.game, entry["seed"])
        entry["recorded"] = engine.network_id is not None or spec.name not in _LIVE
        if entry["recorded"]:
            recordings[f"inside-{entry['name']}"] = _recording(engine, state, spec, entry["seed"])
    return {"course": course_view(presets), "inside": view} | recordings


def _is_shown(preset: Preset, engines: Collection[str]) -> bool:
    """Whether a page with these engines has what a preset needs."""
    if preset.view == "inside":
        return True
    names = {EngineSpec.parse(player).name for player in preset.players if player != "human"}
    if preset.engine == "exact":
        names.add("solver" if preset.game == "connect4" else "alphabeta")
    elif preset.engine:
        names.add(EngineSpec.parse(preset.engine).name)
    return preset.view in ("play", "analyse") and names <= {*engines}


def _recording(engine: Engine, state: GameState, spec: EngineSpec, seed: int) -> list[View]:
    """The news of a search, as the studio sends them."""
    record = transcript(engine, state, most_seconds=math.inf)
    return [search_view(state, spec, seed), *({"part": part} for part in record.parts),
            result_view(state, record, engine.network_id is not None)]


class _Engines:
    """Engines that answer at once, in this process."""

    def __init__(self) -> None:
        self._engines: dict[tuple[str, str], Engine] = {}

    async def search(
        self, owner: str, state: GameState, spec: str, seed: int, longest: float = math.inf
    ) -> Decision:
        key = str(state.game), spec
        if key not in self._engines:
            self._engines[key] = build_engine(spec, state.game, seed)
        self._engines[key].new_game(seed)
        return self._engines[key].analyse(state)


def puzzle_parts(games: Collection[str]) -> Parts:
    """The parts of the view Train: the puzzles of these games, of any size, with all answers."""
    names = {get_game(game).name for game in games}
    sets = {str(puzzles.game): puzzles for puzzles in shipped_sets() if puzzles.game.name in names}
    train = Train(SimpleNamespace(engines=_Engines()))

    async def solved(puzzles: PuzzleSet) -> list[View]:
        return [{
            "view": puzzle_view(puzzles, puzzle), "solution": await train.solve(puzzles, puzzle),
            "answers": await _answers(train, puzzles, puzzle, puzzle.state(puzzles.game), []),
        } for puzzle in puzzles.puzzles]

    return {"train": sets_view(sets)} | {
        f"train-{name}": asyncio.run(solved(puzzles)) for name, puzzles in sets.items()}


async def _answers(
    train: Train, puzzles: PuzzleSet, puzzle: Puzzle, state: GameState, turns: list[str]
) -> View:
    """What the studio says of every turn in `state`, which `turns` reach, and of those to come.

    A win that takes longer than it needs to is right and ends the puzzle: what may follow in the
    studio has no bound.
    """
    answers = {}
    for text, successor in turns_of(state):
        view = await train.judge(puzzles, puzzle, [*turns, text])
        if view["reply"] and len(turns) + 1 >= (puzzle.plies or 0):
            view |= {"done": True, "reply": None, "position": position_view(successor)}
        if view["reply"]:
            reply = view["reply"]["text"]
            state_after = successor.play(*find_turn(successor, reply))
            view["next"] = await _answers(
                train, puzzles, puzzle, state_after, [*turns, text, reply])
        else:
            view["position"].pop("moves", None)  # nobody is asked for one
        answers[text] = view
    return answers
