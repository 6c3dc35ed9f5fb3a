"""`dlgo analyze FILE`: a recorded game reviewed at the console.

The engine is asked as the studio asks it: with the same seed for every position, as if each were
the first. So both find the same.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from functools import partial

from dlgo import DlgoError, GameState, Player
from dlgo.display import player_text
from dlgo.text import number_of
from engines.base import Engine
from engines.clock import stopped_by
from engines.isolation.describe import MOVE_TIMEOUT, read_spec
from engines.registry import EngineSpec
from experiments.play.cell_moves import turn_text
from experiments.play.game_file import SavedGame
from experiments.review import words
from experiments.review.comparison import value_text
from experiments.review.game_review import SECONDS, SEED, GameReview, exact_engine
from experiments.review.pace import Pace
from experiments.review.slides import slides

DEFAULT_ENGINE = "mcts:sims=1000"
_SIGNS = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", "": ""}


def review_game(
    state: GameState, engine_spec: str = DEFAULT_ENGINE, exact: bool = True,
    move_timeout: float = MOVE_TIMEOUT, progress: Callable[[int, int], None] | None = None,
    seconds: float = 0.0, tell: Callable[[str], None] = lambda words: None,
) -> tuple[GameReview, bool]:
    """Evaluate all positions of a game; return False with the review if Ctrl-C stopped it.

    Args:
        exact: prove what can be proved first.
        seconds: see `Pace`. tell: called once with the time that the review takes.
        move_timeout: wall seconds for an answer of an external engine.
        progress: called with the numbers of known and of all positions.

    Raises:
        DlgoError: if the engine cannot be used, or does not say what positions are worth.
    """
    prover_spec = exact_engine(state.game) if exact else None
    review = GameReview(state, exact=prover_spec is not None)
    pace = Pace(review, engine_spec, seconds)
    engine: Engine = read_spec(pace.engine, move_timeout).build(state.game, SEED)
    prover = EngineSpec.parse(prover_spec).build(state.game, SEED) if prover_spec else None
    has_told = False
    try:
        while (question := review.next_question()) is not None:
            if progress is not None and not question.sample:
                progress(review.done, len(review.states))
            if question.exact and prover is not None:
                end = time.monotonic() + SECONDS
                with stopped_by(partial(_is_after, end)):
                    decision = prover.analyse(question.state)
                review.answer(question, decision, prover_spec or "")
                continue
            if trials := pace.trials():
                engine.warm_up()
                pace.learn_speed([engine.select_move(*trial) for trial in trials])
            if not has_told and pace.promise is not None:
                has_told = True
                tell(f"{engine_spec} needs {pace.words()} for this game")
            start = time.monotonic()
            engine.new_game(question.seed)
            decision = engine.analyse(question.state, pace.budget(question))
            if decision.value is None and decision.proven is None:
                raise DlgoError(
                    f"{engine_spec} does not evaluate positions; name another engine with "
                    "--engine"
                )
            review.answer(question, decision, engine_spec)
            pace.spend(question, time.monotonic() - start)
    except KeyboardInterrupt:
        return review, False
    finally:
        engine.close()
        if progress is not None:
            progress(review.done, len(review.states))
    return review, True


def review_lines(review: GameReview, game_file: SavedGame) -> Iterator[str]:
    """A review as lines for people: every move, then who lost how much."""
    game = review.game_state.game
    sides, values = [player_text(game, player) for player in Player], review.values
    yield (f"{game}: {number_of(len(review.turns), 'move')}; in per cent, what {sides[0]} can "
           "expect after each")
    if review.problem:
        yield review.problem
    yield f"      start: {words.position_words(review, 0)}"
    for turn in review.turns:
        evaluation, verdict = values[turn.number], review.verdict(turn.number)
        value = "-" if evaluation is None else value_text(
            review.states[turn.number], evaluation, Player.black
        )
        move = f"{sides[turn.player.index]} {turn_text(game, turn.moves)}"
        sign = _SIGNS[verdict.kind] if verdict else ""
        yield f"{turn.number:>4}. {move:<24} {value} {sign}".rstrip()
        if sign and verdict:
            yield f"      {words.verdict_words(review, verdict)}"
    for slide in slides(review):
        yield words.slide_words(review, slide)
    for player, name in zip(Player, (game_file.black, game_file.white), strict=True):
        side = f"{sides[player.index]}{f', {name}' if name else ''}"
        yield f"{side}: {words.summary_words(review, player)}"


def review_json(review: GameReview) -> Iterator[str]:
    """A JSON object for each move, after one with the `problem` if there is one. Shares are
    black's, except `loss`: that of who moved."""
    game = review.game_state.game
    if review.problem:
        yield json.dumps({"problem": review.problem})
    shares = [value and round(value.black, 6) for value in review.values]
    for turn in review.turns:
        evaluation, verdict = review.evaluations[turn.number], review.verdict(turn.number)
        yield json.dumps({
            "move": turn.number, "player": turn.player.name, "text": turn_text(game, turn.moves),
            "black_before": shares[turn.number - 1], "black_after": shares[turn.number],
            "proven": evaluation is not None and evaluation.proven,
            "loss": verdict and round(verdict.loss, 6), "kind": verdict and verdict.kind,
            "exact": verdict is not None and verdict.exact,
            "sure": verdict and verdict.sure, "margin": verdict and verdict.margin,
            "better": turn_text(game, verdict.best) if verdict and verdict.kind else None,
        })


def _is_after(end: float) -> bool:
    return time.monotonic() > end
