"""An engine that cannot judge a game says so; what chance explains is no judgement."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dlgo import GameState, Move, get_game
from dlgo.rng import below, make_rng
from engines.base import Decision
from engines.registry import EngineSpec
from experiments.play.game_file import SavedGame
from experiments.review.console import review_game, review_json, review_lines
from experiments.review.game_review import GameReview, Question
from experiments.review.reliability import LEAST, PLACES, Reliability, places_to_check
from experiments.review.words import summary_words
from tests.review.test_game_review import finish


def random_game(spec: str, seed: int = 1) -> GameState:
    state, rng = GameState.new_game(get_game(spec)), make_rng(seed)
    while not state.is_over():
        moves = state.sensible_moves()
        state = state.apply_move(moves[below(rng, len(moves))])
    return state


def chosen(values: dict[Move, float]) -> Decision:
    best = max(values, key=values.__getitem__)
    return Decision(best, values[best], values=values)


@pytest.mark.parametrize(("noise", "low", "high"), [(0.0, 1, 1), (0.02, 0.5, 1), (9, 0, 0.15)])
def test_the_agreement_of_two_seeds(noise: float, low: float, high: float) -> None:
    state, rng, reliability = GameState.new_game(get_game("go:size=5")), np.random.default_rng(1), (
        Reliability())
    moves = state.legal_moves()
    worth = rng.normal(0, 0.2, len(moves))
    for _ in range(60):
        reliability.add(*(chosen(dict(zip(
            moves, worth + noise * rng.standard_normal(len(moves)), strict=True)))
            for _ in range(2)))
    assert reliability.count == 60 and low <= reliability.agreement <= high
    assert reliability.can_judge == (noise < 1)


def test_an_engine_to_which_all_moves_are_alike_cannot_judge() -> None:
    state, reliability = GameState.new_game(get_game("go:size=5")), Reliability()
    same = chosen(dict.fromkeys(state.legal_moves(), 0.1))
    proved = Decision(same.move, 1.0, values=same.values, proven=1)
    for _ in range(PLACES):
        reliability.add(proved, same)  # what is proved is no chance
        reliability.add(Decision(same.move, 0.1), same)  # no values of moves
    assert reliability.agreement is None and reliability.can_judge
    for _ in range(PLACES):
        reliability.add(same, same)
    assert reliability.agreement == 0 and not reliability.can_judge


@pytest.mark.parametrize("count", [1, 5, 10, 43, 300])
def test_places_are_spread_over_the_game(count: int) -> None:
    places = places_to_check(count)
    assert len(places) == min(count, PLACES) and set(places) <= set(range(count))
    assert np.ptp(np.diff([0, *places, count])[1:-1]) <= 1 if count > 10 else True


def test_no_verdicts_where_the_engine_cannot_judge() -> None:
    review, asked = GameReview(random_game("go:size=5")), []
    rng = np.random.default_rng(1)

    def guess(question: Question) -> Decision:
        asked.append(question)
        moves = question.state.legal_moves()
        return chosen(dict(zip(moves, rng.uniform(-1, 1, len(moves)), strict=True)))

    finish(review, guess, "dice")
    assert [(q.place, q.seed) for q in asked] == [
        (place, seed) for place in places_to_check(len(review.states)) for seed in (1, 2)]
    assert review.problem.startswith("dice cannot judge Go on 5x5: with another seed, it ")
    assert review.problem.endswith("Use an engine over GTP, such as GNU Go or KataGo.")
    assert not review.mistakes() and {summary_words(review, p) for p in (
        review.game_state.next_player, review.game_state.next_player.other)} == {"not judged"}
    lines = list(review_lines(review, SavedGame(review.game_state)))
    assert lines[1] == review.problem and not any("mistake" in line for line in lines)
    assert json.loads(next(review_json(review))) == {"problem": review.problem}


@pytest.mark.parametrize(("game", "engine", "can"), [
    ("go:size=9", "mcts:sims=30", False), ("connect4", "mcts:sims=2000", True)])
def test_engines_on_boards(game: str, engine: str, can: bool) -> None:
    review, _ = review_game(random_game(game, 3), engine, exact=False)
    assert (review.problem == "") == can


def test_the_same_move_is_asked_with_two_seeds() -> None:
    engine = EngineSpec.parse("mcts:sims=100").build(get_game("go:size=9"), 1)
    state, parts = GameState.new_game(engine.game), []
    for seed in (1, 1, 2):
        engine.new_game(seed)
        parts.append(engine.analyse(state))
    same, other = Reliability(), Reliability()
    for _ in range(PLACES):
        same.add(parts[0], parts[1])
        other.add(parts[0], parts[2])
    assert same.agreement == 1 and other.agreement < LEAST
