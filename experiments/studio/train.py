"""The view Train: puzzles, and guessing the moves of a game.

A puzzle's turns are judged by the solver of its game, one position at a time; a request carries
all turns so far, so the server remembers nothing. A guess is compared with the move of the game
and with the engine's own choice: the positions after them are searched alike, or solved.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dlgo import GameSpec, GameState, Move
from dlgo.display import player_text
from dlgo.game_tree import grouped_turns
from dlgo.text import numbered
from engines.base import Decision
from experiments.measures.puzzles import (
    SHORT,
    Puzzle,
    PuzzleSet,
    is_solved,
    read_puzzles,
    shipped_sets,
    solver_of,
)
from experiments.play.cell_moves import turn_text
from experiments.review.comparison import Evaluation, value_text
from experiments.review.facts import explain, turn_name, words_of
from experiments.review.game_review import (
    SECONDS,
    end_value,
    evaluation_of,
    exact_engine,
    first_turn,
)
from experiments.studio import replies
from experiments.studio.opponents import strongest
from experiments.studio.position import (
    board_view,
    find_turn,
    line_view,
    position_view,
    title_of,
    turn_view,
)
from experiments.studio.replies import View

# The search whose visits a puzzle's solution tells, and the seed of all searches.
_SEARCH, _SEED = "mcts:sims=1000", 1
# Turns of one puzzle, and characters of a turn.
_MOST_TURNS, _LONGEST = 60, 100
# A guess gets ten points, one less for each such share of the point that it costs.
_STEP = 0.05


def routes(studio: Any) -> list[Route]:
    """The routes of this view."""
    view, puzzle = Train(studio), "/api/train/{name}/{number:int}"
    return [
        Route("/api/train", view.sets),
        Route(puzzle, view.show),
        Route(f"{puzzle}/answer", view.answer, methods=["POST"]),
        Route(f"{puzzle}/solution", view.solution),
        Route("/api/games/{id}/guess", view.guess, methods=["POST"]),
    ]


class Puzzles:
    """The puzzles of a server by name: those of the project, then those of `files`."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._own = [(path.stem, read_puzzles(path)) for path in files]

    @cached_property
    def sets(self) -> dict[str, PuzzleSet]:
        """Read when they are first asked for."""
        sets: dict[str, PuzzleSet] = {}
        shipped = [(str(puzzle_set.game), puzzle_set) for puzzle_set in shipped_sets()]
        for stem, puzzles in [*shipped, *self._own]:
            sets[numbered(stem, sets)] = puzzles
        return sets

    def find(self, name: str, number: int) -> tuple[PuzzleSet, Puzzle]:
        """The set of a name, and its puzzle of a number, from 1. Raises StudioError."""
        puzzles = self.sets.get(name)
        if puzzles is None or not 1 <= number <= len(puzzles.puzzles):
            raise replies.StudioError("this server has no such puzzle", 404)
        return puzzles, puzzles.puzzles[number - 1]


@dataclass(frozen=True)
class _Worth:
    """The value of a position, and how it was found."""

    evaluation: Evaluation
    decision: Decision | None = None  # None after the end of the game
    engine: str = ""


def sets_view(sets: Mapping[str, PuzzleSet]) -> View:
    """All sets: `name`, `title`, the `ratings` of its puzzles, and the position of the last one."""
    return {"sets": [
        {"name": name, "title": title_of(puzzles.game) if name == str(puzzles.game) else name,
         "ratings": [puzzle.rating for puzzle in puzzles.puzzles],
         "game": puzzles.game.name, "info": board_view(puzzles.game),
         "sample": position_view(puzzles.puzzles[-1].state(puzzles.game), with_moves=False)}
        for name, puzzles in sets.items()
    ]}


def puzzle_view(puzzles: PuzzleSet, puzzle: Puzzle) -> View:
    """A puzzle: its board, its position, and what is asked."""
    state = puzzle.state(puzzles.game)
    return {
        **board_view(puzzles.game), "position": position_view(state),
        "goal": _goal(state, puzzle), "levels": [item.level for item in puzzles.puzzles],
        "themes": [item.theme for item in puzzles.puzzles],
    }


class Train:
    """The view: what it answers."""

    def __init__(self, studio: Any) -> None:
        self._studio = studio

    async def sets(self, _: Request) -> Response:
        """All sets of puzzles."""
        return replies.json_reply(await asyncio.to_thread(sets_view, self._studio.puzzles.sets))

    def _find(self, request: Request) -> tuple[PuzzleSet, Puzzle]:
        parameters = request.path_params
        return self._studio.puzzles.find(parameters["name"], parameters["number"])

    async def show(self, request: Request) -> Response:
        """A puzzle."""
        return replies.json_reply(await asyncio.to_thread(puzzle_view, *self._find(request)))

    async def answer(self, request: Request) -> Response:
        """Judge the last of `turns`, which lead on from the puzzle; answer a right one."""
        turns = (await replies.read_object(request)).get("turns")
        if not isinstance(turns, list) or not 1 <= len(turns) <= _MOST_TURNS or not all(
            isinstance(turn, str) and len(turn) <= _LONGEST for turn in turns
        ):
            raise replies.StudioError(f"turns must be a list of 1 to {_MOST_TURNS} moves")
        return replies.json_reply(await self.judge(*self._find(request), turns))

    async def judge(self, puzzles: PuzzleSet, puzzle: Puzzle, turns: Sequence[str]) -> View:
        """Whether the last of `turns` is right, and `done`; why, and the reply to it."""
        def play() -> tuple[GameState, list[Move], GameState]:
            successor = puzzle.state(puzzles.game)
            for text in turns:
                state, moves = successor, find_turn(successor, text)
                successor = state.play(*moves)
            return state, moves, successor

        state, moves, successor = await asyncio.to_thread(play)
        worth = await self._solved(successor)
        right = worth.evaluation.share(state.next_player) >= (1 + puzzle.value) / 2
        long = not _is_played_out(puzzles.game, puzzle)
        arguments: View = {"evaluation": worth.evaluation}
        if right and len(turns) == 1:  # of a wrong turn, this would tell the right one
            arguments |= await self._arguments(puzzle, state)
        done = right and (successor.is_over() or long)
        answer = [] if done or successor.is_over() else await self._reply(successor, worth)

        def view() -> View:
            line = () if right or worth.decision is None else worth.decision.pv or answer
            return {
                "right": right, "done": done, **_turn_view(state, moves),
                "words": words_of(explain(state, moves, **arguments)),
                "position": position_view(successor.play(*answer) if right else successor),
                "line": line_view(successor, line),
                "reply": _turn_view(successor, answer) if right and answer else None,
            }

        return await asyncio.to_thread(view)

    async def solution(self, request: Request) -> Response:
        """The right turn of a puzzle."""
        return replies.json_reply(await self.solve(*self._find(request)))

    async def solve(self, puzzles: PuzzleSet, puzzle: Puzzle) -> View:
        """The right turn of a puzzle, explained, and how the game goes on."""
        state = puzzle.state(puzzles.game)
        moves = find_turn(state, puzzle.solution)
        worth = await self._solved(state.play(*moves))
        arguments = await self._arguments(puzzle, state)

        def view() -> View:
            words = words_of(explain(state, moves, evaluation=worth.evaluation, **arguments))
            return {**_turn_view(state, moves), "words": words,
                    "line": line_view(state, [*moves, *worth.evaluation.line])}

        return await asyncio.to_thread(view)

    async def _arguments(self, puzzle: Puzzle, state: GameState) -> View:
        """Arguments of `explain` for the right turn of a puzzle."""
        decision = await self._search(state)
        return {"decision": decision, "engine": _SEARCH, "outcomes": puzzle.outcomes}

    async def _solved(self, state: GameState) -> _Worth:
        """The exact value of a position of a puzzle."""
        return await self._worth(state, solver_of(state.game))

    async def _reply(self, state: GameState, worth: _Worth) -> list[Move]:
        """The solver's whole turn."""
        moves, player = [], state.next_player
        while worth.decision is not None and state.next_player is player:
            moves.append(worth.decision.move)
            state = state.apply_move(moves[-1])
            worth = await self._solved(state)
        return moves

    async def _search(self, state: GameState) -> Decision:
        owner = f"train-{secrets.token_hex(8)}"  # a tree of its own: the same numbers each time
        return await self._studio.engines.search(owner, state, _SEARCH, _SEED)

    async def guess(self, request: Request) -> Response:
        """Compare `move` after `plies` moves of a game with its move, by `engine`."""
        game = self._studio.games.of(request)
        body = await replies.read_object(request)
        plies = replies.whole_of(body, "plies", 0, game.plies)
        usual = strongest(str(game.state.game))
        engine = await asyncio.to_thread(
            self._studio.allowed.engine, replies.text_of(body, "engine", usual))
        state = game.state_at(plies)
        turns = grouped_turns(state.game, game.state.history()[1][plies:])
        if not turns or turns[0][1][0].is_resign:
            raise replies.StudioError("the game ends here: there is no move to guess")
        guessed = await asyncio.to_thread(find_turn, state, replies.text_of(body, "move"))
        prover = exact_engine(state.game)
        problem = "" if prover else await self._studio.judges.problem(game.state, engine)
        game_moves, player = turns[0][1], state.next_player
        worths: dict[str, _Worth] = {}
        choice, search, engine_name, best = None, None, "", 0.0
        if not problem:
            state_worth = await self._worth(state, prover, engine)
            choice = first_turn(state, state_worth.evaluation.line)
            for moves in filter(None, (guessed, game_moves, choice)):
                if (text := turn_text(state.game, moves)) not in worths:
                    worths[text] = await self._worth(state.play(*moves), prover, engine)
            search, engine_name = state_worth.decision, state_worth.engine
            if search is None or not search.visits:
                search, engine_name = await self._search(state), _SEARCH
            evaluations = [worth.evaluation for worth in worths.values()]
            best = max(evaluation.share(player) for evaluation in evaluations)
            if all(one.proven for one in (*evaluations, state_worth.evaluation)):
                best = state_worth.evaluation.share(player)

        def view() -> View:
            def judgement(moves: Sequence[Move], **arguments: Any) -> View:
                worth, value, points = worths.get(turn_text(state.game, moves)), "", None
                if worth is not None:
                    value = value_text(state.play(*moves), worth.evaluation, player)
                    proven = worth.evaluation.proven
                    value = f"proved {value}" if proven else f"{value} by {worth.engine}"
                    cost = (best - worth.evaluation.share(player)) / _STEP
                    points = max(0, 10 - round(cost))
                return {
                    **_turn_view(state, moves),
                    "words": words_of(explain(state, moves, **arguments)), "value": value,
                    "points": points,
                }

            return {
                "guess": judgement(guessed, decision=search, engine=engine_name),
                "game": judgement(game_moves), "best": judgement(choice) if choice else None,
                "plies": plies + len(game_moves), "problem": problem,
            }

        return replies.json_reply(await asyncio.to_thread(view))

    async def _worth(self, state: GameState, prover: str | None, engine: str = "") -> _Worth:
        """The value of a position: proved if possible, else as an engine expects it."""
        if state.is_over():
            return _Worth(end_value(state))
        # A prover's table can stay: what is proved does not depend on it.
        ways = (prover, str(state.game), SECONDS), (engine, secrets.token_hex(8), math.inf)
        for spec, owner, longest in ways:
            if spec:
                decision = await self._studio.engines.search(
                    f"train-{owner}", state, spec, _SEED, longest=longest)
                evaluation = await asyncio.to_thread(evaluation_of, state, decision, spec)
                if evaluation is not None and (evaluation.proven or spec == engine):
                    return _Worth(evaluation, decision, spec)
        raise replies.StudioError(
            f"{engine or prover} does not evaluate positions; choose another engine")


def _turn_view(state: GameState, moves: Sequence[Move]) -> View:
    """The turn as `turn_view` gives it, and its `name` in a sentence."""
    view = turn_view(state, moves)
    return {**view, "name": turn_name(state.game, view["text"])}


def _is_played_out(game: GameSpec, puzzle: Puzzle) -> bool:
    """Whether a puzzle goes on to the win. Else, and in endings, the first turn is enough."""
    return is_solved(game) and puzzle.value == 1 and (puzzle.plies or 0) <= SHORT


def _goal(state: GameState, puzzle: Puzzle) -> str:
    """What a puzzle asks for."""
    name = player_text(state.game, state.next_player)
    to_move = f"{name[0].upper()}{name[1:]} to move."
    if puzzle.value == 0:
        return f"{to_move} Find the only move that does not lose."
    unit = "turns" if state.game.name == "draughts" else "plies"
    if puzzle.plies and _is_played_out(state.game, puzzle):
        return f"{to_move} Win in {puzzle.plies} {unit}."
    return f"{to_move} Find the only move that wins" + (
        f", in {puzzle.plies} {unit}." if puzzle.plies else ".")
