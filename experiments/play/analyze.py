"""`dlgo analyze`: an engine's answers to positions, line by line.

Each line of input gives a line of output at once, so it works in a pipe. Lines that are already
available are answered together: the solver does this in one call of compiled code.

A position is the moves that lead to it: columns for Connect Four (`4455`), moves separated by
spaces or commas for the other games (`e4 pass c3`); the word `start` is the empty board. Empty
lines are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple

from dlgo.api import GameSpec, GameState
from dlgo.errors import DlgoError
from dlgo.text import number_of
from engines.base import Engine
from engines.isolation.describe import MOVE_TIMEOUT, read_spec
from engines.solver.engine import SolverEngine

START = "start"
# Long lines are cut in messages.
_SHOWN = 60
_BLOCK = 1 << 16


class Analysis(NamedTuple):
    """The answer for one position."""

    position: str  # the line as it was read
    best_move: str
    score: int | None  # exact, in the scale of the Connect Four test sets, if the engine has one
    value: float | None  # expected result for the player to move, -1 to +1
    scores: list[int | None] | None  # of every action, None where illegal; None if not asked
    nodes: int  # or simulations, for an engine that counts those
    cpu_ms: float


def lines_there(stream: Any) -> Iterator[list[str]]:
    """The lines of a stream, all that have arrived at a time: it never waits for another."""
    incomplete = b""
    while block := stream.read1(_BLOCK):
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield (incomplete + whole).decode(errors="replace").split("\n")
            incomplete = tail
        else:
            incomplete += tail
    if incomplete:
        yield [incomplete.decode(errors="replace")]


def analyze(
    game: GameSpec, engine_spec: str, lines: Iterable[list[str]], all_moves: bool, as_json: bool,
    move_timeout: float = MOVE_TIMEOUT,
) -> Iterator[list[str]]:
    """Yield a line of output for each position, in lists, as soon as they are known.

    A line that is not an unfinished position gives a line with the reason.

    Args:
        lines: lists of positions, as `lines_there` gives them.
        all_moves: add the score of every legal move (engines that know exact scores).
        as_json: a JSON object a line, else text for people.
        move_timeout: wall seconds for an answer of an external engine.

    Raises:
        SpecError: for an engine that does not exist or does not play this game.
        DlgoError: after the last line, if some could not be analysed.
    """
    engine = read_spec(engine_spec, move_timeout).build(game)
    engine.warm_up()
    show = _json_line if as_json else _text_line
    number = failed = total = 0
    try:
        for several in lines:
            numbered = [(i, text) for i, line in enumerate(several, number + 1)
                        if (text := line.strip())]
            number += len(several)
            total += len(numbered)
            numbers = iter(numbered)
            for answers in _analyses(engine, [text for _, text in numbered], all_moves):
                out = []
                for answer, (line, text) in zip(answers, numbers, strict=False):
                    if isinstance(answer, DlgoError):
                        failed += 1
                        out.append(_error_line(line, text, str(answer), as_json))
                    else:
                        out.append(show(answer))
                yield out
    finally:
        engine.close()
    if failed:
        raise DlgoError(f"{failed} of {total} positions could not be analysed")


def read_position(game: GameSpec, text: str) -> GameState:
    """The unfinished position after the moves in `text`. Raises DlgoError, naming what is wrong."""
    texts = list(text) if game.name == "connect4" else text.replace(",", " ").split()
    state = play_texts(GameState.new_game(game), [] if text == START else texts)
    if state.is_over():
        raise DlgoError("the game is over: there is no move to choose")
    return state


def play_texts(state: GameState, texts: Sequence[str]) -> GameState:
    """The position after moves, or whole turns, as texts. Raises DlgoError, naming the move."""
    for number, text in enumerate(texts, start=1):
        try:
            if state.is_over():
                raise DlgoError("the game is already over")
            for move in state.game.parse_moves(state, text):
                state = state.apply_move(move)
        except DlgoError as error:
            raise DlgoError(f"move {number}: {error}") from None
    return state


def _analyses(
    engine: Engine, texts: Sequence[str], all_moves: bool
) -> Iterator[list[Analysis | DlgoError]]:
    """What the engine says of each text, in order. It keeps its table or tree in between."""
    if isinstance(engine, SolverEngine):
        yield from _solved(engine, texts, all_moves)
        return
    for text in texts:
        try:
            decision = engine.select_move(read_position(engine.game, text))
        except DlgoError as error:
            yield [error]
        else:
            cost, best = decision.cost, engine.game.move_text(decision.move)
            yield [Analysis(text, best, None, decision.value, None,
                            cost.nodes or cost.simulations, 1000 * cost.cpu_seconds)]


def _solved(
    engine: SolverEngine, texts: Sequence[str], all_moves: bool
) -> Iterator[list[Analysis | DlgoError]]:
    columns = ["" if text == START else text for text in texts]
    at = 0
    for answers in engine.solver.analyse(columns, all_moves):
        analyses: list[Analysis | DlgoError] = []
        for text, answer in zip(texts[at : at + len(answers)], answers, strict=True):
            if answer is None:
                analyses.append(_trouble(engine.game, text))
            else:
                score, best, nodes, cpu_ms, scores = answer
                value = 1.0 if score > 0 else -1.0 if score else 0.0
                analyses.append(Analysis(text, str(best), score, value, scores, nodes, cpu_ms))
        at += len(answers)
        yield analyses


def _trouble(game: GameSpec, text: str) -> DlgoError:
    """Why a text is not a position that the solver can read."""
    try:
        read_position(game, text)
    except DlgoError as error:
        return error
    raise AssertionError(f"the rules allow {text!r}, but the solver does not")


def _json_line(analysis: Analysis) -> str:
    """As `json.dumps` writes it. Written out, because that took longer than solving."""
    text, best, score, value, scores, nodes, cpu_ms = analysis
    extra = "" if scores is None else f'"scores": {json.dumps(scores)}, '
    return (
        f'{{"position": {quoted(text)}, "best_move": {quoted(best)}, "score": {_json(score)}, '
        f'"value": {_json(value)}, {extra}"nodes": {nodes}, "cpu_ms": {cpu_ms:.3f}}}'
    )


def _json(number: float | None) -> str:
    return "null" if number is None else repr(number)


def _text_line(analysis: Analysis) -> str:
    parts = [f"{analysis.position}  best {analysis.best_move}"]
    if analysis.score is not None:
        parts.append(f"score {analysis.score:+d}" if analysis.score else "score 0 (draw)")
    elif analysis.value is not None:
        parts.append(f"value {analysis.value:+.3f}")
    if analysis.scores is not None:
        scores = ("-" if score is None else str(score) for score in analysis.scores)
        parts.append(f"moves {' '.join(scores)}")
    parts.append(f"{number_of(analysis.nodes, 'node')}  {analysis.cpu_ms:.2f} ms")
    return "  ".join(parts)


def _error_line(number: int, text: str, reason: str, as_json: bool) -> str:
    excerpt = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    if as_json:
        return json.dumps({"line": number, "position": excerpt, "error": reason})
    return f"line {number}: {excerpt!r}: {reason}"
