"""`dlgo analyze`: what an engine thinks of positions read line by line.

One line in, one line out, at once, so that it can be used through a pipe. Called by
`experiments/cli.py`. A position is the moves that lead to it: columns for Connect Four
(`4455`), moves separated by spaces or commas for the other games (`e4 pass c3`); the word
`start` is the empty board. Empty lines are skipped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dlgo.api import GameSpec, GameState
from dlgo.errors import DlgoError
from engines.base import Engine
from engines.registry import EngineSpec
from engines.solver.engine import SolverEngine

START = "start"
# Long lines are cut in messages.
_SHOWN = 60


@dataclass(frozen=True)
class Analysis:
    """What is said of one position.

    Attributes:
        position: the line as it was read.
        best_move: in the game's notation.
        score: exact, in the scale of the Connect Four test sets; None if the engine has none.
        value: expected result for the player to move, -1 to +1; None if not estimated.
        scores: exact score of every action in order, None where illegal; None if not asked.
        nodes: positions visited (simulations, for an engine that counts those).
        cpu_ms: CPU milliseconds spent.
    """

    position: str
    best_move: str
    score: int | None
    value: float | None
    scores: list[int | None] | None
    nodes: int
    cpu_ms: float


def analyze(
    game: GameSpec, engine_spec: str, lines: Iterable[str], all_moves: bool, as_json: bool
) -> Iterator[str]:
    """Yield a line of output for each position in `lines`.

    A line that is no position to analyse gives a line that says why, and the next one follows.

    Args:
        all_moves: add the score of every legal move (engines that know exact scores).
        as_json: a JSON object a line, else text for people.

    Raises:
        SpecError: for an engine that does not exist or does not play this game.
        DlgoError: after the last line, if some could not be analysed.
    """
    engine = EngineSpec.parse(engine_spec).build(game)
    engine.warm_up()
    failed = total = 0
    try:
        for number, line in enumerate(lines, start=1):
            text = line.strip()
            if not text:
                continue
            total += 1
            try:
                analysis = analyze_state(engine, read_position(game, text), text, all_moves)
            except DlgoError as error:
                failed += 1
                yield _error_line(number, text, str(error), as_json)
            else:
                yield _result_line(analysis, as_json)
    finally:
        engine.close()
    if failed:
        raise DlgoError(f"{failed} of {total} positions could not be analysed")


def read_position(game: GameSpec, text: str) -> GameState:
    """The unfinished position after the moves in `text`.

    Raises:
        DlgoError: naming the move that is unreadable or illegal, or saying that the game is over.
    """
    state = GameState.new_game(game)
    if text == START:
        moves: list[str] = []
    elif game.name == "connect4":
        moves = list(text)
    else:
        moves = text.replace(",", " ").split()
    for number, move in enumerate(moves, start=1):
        try:
            if state.is_over():
                raise DlgoError("the game is already over")
            state = state.apply_move(game.parse_move(state, move))
        except DlgoError as error:
            raise DlgoError(f"move {number}: {error}") from None
    if state.is_over():
        raise DlgoError("the game is over: there is no move to choose")
    return state


def analyze_state(engine: Engine, state: GameState, text: str, all_moves: bool) -> Analysis:
    """Ask the engine about one position. Its table or tree is kept from the ones before."""
    if isinstance(engine, SolverEngine):
        return _solve(engine, state, text, all_moves)
    decision = engine.select_move(state)
    return Analysis(
        position=text,
        best_move=state.game.move_text(decision.move),
        score=None,
        value=decision.value,
        scores=None,
        nodes=decision.cost.nodes or decision.cost.simulations,
        cpu_ms=1000 * decision.cost.cpu_seconds,
    )


def _solve(engine: SolverEngine, state: GameState, text: str, all_moves: bool) -> Analysis:
    solver = engine.solver
    solver.nodes = 0
    began = time.process_time()
    if all_moves:
        found = solver.move_scores(state)
        score = max(found.values())
        scores = [found.get(col) for col in range(1, state.game.num_actions + 1)]
    else:
        score, scores = solver.score(state), None
    best = solver.best_column(state, score)
    spent = time.process_time() - began
    value = float((score > 0) - (score < 0))
    return Analysis(text, str(best), score, value, scores, solver.nodes, 1000 * spent)


def _result_line(analysis: Analysis, as_json: bool) -> str:
    if as_json:
        fields: dict[str, Any] = {**vars(analysis), "cpu_ms": round(analysis.cpu_ms, 3)}
        if analysis.scores is None:
            del fields["scores"]
        return json.dumps(fields)
    parts = [f"{analysis.position}  best {analysis.best_move}"]
    if analysis.score is not None:
        parts.append(f"score {analysis.score:+d}" if analysis.score else "score 0 (draw)")
    elif analysis.value is not None:
        parts.append(f"value {analysis.value:+.3f}")
    if analysis.scores is not None:
        shown = ("-" if score is None else str(score) for score in analysis.scores)
        parts.append(f"moves {' '.join(shown)}")
    parts.append(f"{analysis.nodes:,} nodes  {analysis.cpu_ms:.2f} ms")
    return "  ".join(parts)


def _error_line(number: int, text: str, reason: str, as_json: bool) -> str:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    if as_json:
        return json.dumps({"line": number, "position": shown, "error": reason})
    return f"line {number}: {shown!r}: {reason}"
