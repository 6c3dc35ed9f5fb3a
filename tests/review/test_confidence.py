"""The confidence of verdicts: searches of known noise, known losses; slow falls; promised time."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Player, get_game
from engines.base import Budget, Cost, Decision
from engines.registry import EngineSpec
from engines.solver.solver import Solver
from experiments.review.comparison import SAMPLES, Comparison, Evaluation
from experiments.review.console import review_game
from experiments.review.game_review import GameReview, Question
from experiments.review.pace import Pace
from experiments.review.slides import slides
from experiments.review.words import slide_words, verdict_words
from tests.review.test_game_review import finish, played


def compared(loss: float, noise: float, rng: np.random.Generator) -> Comparison:
    """Searches of two positions whose values differ by `loss`."""
    comparison = Comparison()
    while not comparison.is_complete:
        value = 0.6 if comparison.wants_better else 0.6 - loss
        comparison.add(
            comparison.wants_better, Evaluation(value + noise * rng.standard_normal(), False))
    return comparison


@pytest.mark.parametrize("loss", [0.0, 0.15])
def test_nineteen_of_twenty_intervals_hold_the_true_loss(loss: float) -> None:
    rng = np.random.default_rng(1)
    many = [compared(loss, 0.03, rng) for _ in range(2000)]
    assert all(len(c.better) == len(c.played) == SAMPLES for c in many)
    held = np.mean([abs(c.loss(Player.black) - loss) <= c.margin for c in many])
    assert abs(held - 0.95) < 0.015  # three standard errors of 2,000 trials


def test_what_is_proved_or_always_the_same_is_not_searched_again() -> None:
    same = compared(0.2, 0.0, np.random.default_rng(1))
    assert len(same.better) == len(same.played) == 3
    assert same.margin == 0 and same.loss(Player.black) == pytest.approx(0.2)
    proved = Comparison()
    proved.add(True, Evaluation(0.8, False))
    proved.add(True, Evaluation(1.0, True))
    assert proved.better == [Evaluation(1.0, True)] and not proved.wants_better
    while not proved.is_complete:
        proved.add(False, Evaluation(0.3 + 0.01 * len(proved.played), False))
    assert len(proved.played) == SAMPLES and proved.loss(Player.black) == pytest.approx(0.685)
    assert proved.margin == pytest.approx(3.182 * 0.0129 / 2, rel=0.01)


class Noisy:
    """Expects of a position what it has been told, give or take some chance."""

    def __init__(self, shares: list[float], better: dict[int, float], noise: float) -> None:
        self.shares, self.better, self.noise = shares, better, noise
        self.rng = np.random.default_rng(3)

    def __call__(self, question: Question) -> Decision:
        state, place = question.state, question.place
        share = self.better.get(place, self.shares[place]) if question.better else (
            self.shares[place])
        value = 2 * (share + self.noise * self.rng.standard_normal()) - 1
        return Decision(
            state.legal_moves()[-2], value=value if state.next_player is Player.black else -value)


def test_chance_is_no_mistake_and_a_mistake_that_may_be_smaller_is_probable() -> None:
    state = played("go:size=9", "A1 B2 C3 D4 E5 F6 G7 H8")
    # Black's second move loses 0.4, the third 0.11; white's first loses nothing, its second 0.3
    # at first sight, but its best move is no better.
    shares = [0.5, 0.5, 0.56, 0.1, 0.4, 0.29, 0.29, 0.29, 0.29]
    review = GameReview(state)
    finish(review, Noisy(shares, {3: 0.5, 4: 0.4, 5: 0.4}, 0.012), "x")
    kinds = {v.turn.number: (v.kind, v.sure) for v in review.mistakes()}
    assert kinds == {3: ("blunder", True), 5: ("mistake", False)}
    sure, probable = (review.verdict(number) for number in (3, 5))
    assert 0.01 < sure.margin < 0.04 and abs(sure.loss - 0.4) < 0.03
    assert verdict_words(review, probable).startswith("Probably a mistake. For black:")
    cost = f"so the move cost {sure.loss:.0%} ± {sure.margin:.0%}"
    assert cost in verdict_words(review, sure)
    # Much noise: nothing is sure, and hardly a verdict is given.
    found = []
    for seed in range(30):
        noisy = Noisy([0.5] * len(shares), {}, 0.08)
        noisy.rng = np.random.default_rng(seed)
        review = GameReview(state)
        finish(review, noisy, "x")
        found += review.mistakes()
    assert len(found) <= 0.05 * 30 * 8 and not any(verdict.sure for verdict in found)


def test_a_slow_fall_is_told_and_blamed_on_no_move() -> None:
    state = GameState.new_game(get_game("go:size=9"))
    for _ in range(60):
        state = state.apply_move(state.sensible_moves()[0])
    shares = np.full(61, 0.8)
    shares[20:32] = np.linspace(0.8, 0.3, 12)
    shares[32:] = 0.3
    review = GameReview(state)
    finish(review, Noisy(list(shares), {}, 0.002), "x")
    (slide,) = slides(review)
    assert slide.player is Player.black and 19 <= slide.first <= 22 and 29 <= slide.last <= 32
    assert slide_words(review, slide) == (
        f"Between moves {slide.first} and {slide.last}, what black could expect fell from "
        f"{slide.before:.0%} to {slide.after:.0%}; no single move explains it.")
    # The same fall by one blunder is explained by its verdict; a change of mind is not.
    shares = np.full(61, 0.8)
    shares[21:] = 0.3
    review = GameReview(state)
    finish(review, Noisy(list(shares), {21: 0.8}, 0.002), "x")
    assert [v.turn.number for v in review.mistakes()] == [21] and slides(review) == []
    review = GameReview(state)
    finish(review, Noisy(list(shares), {}, 0.002), "x")
    (slide,) = slides(review)
    assert review.mistakes() == [] and (slide.first, slide.last) == (20, 21)
    assert "it had not seen this before" in slide_words(review, slide)


def test_a_resignation_explains_the_fall_that_it_is() -> None:
    review = GameReview(played("go:size=5", "C3 B2 resign"))
    finish(review, Noisy([0.9] * 4, {}, 0.0), "x")
    assert review.evaluations[3].black == 0 and slides(review) == review.mistakes() == []


@pytest.mark.parametrize(("seconds", "speed", "slower"), [
    (60, 30_000, 1), (300, 3000, 1), (60, 30_000, 4)])
def test_the_promised_time_is_kept(seconds: float, speed: float, slower: float) -> None:
    """By an engine of known speed that finds something to compare in every third move; also if
    other programs make it slower while moves are compared."""
    state = GameState.new_game(get_game("go:size=19"))
    for _ in range(300):
        state = state.apply_move(state.sensible_moves()[0])
    review = GameReview(state)
    pace, total, places, count = Pace(review, "mcts:sims=1000", seconds), 0.0, 0.0, 0
    noisy = Noisy([0.5 + 0.1 * (place % 3 == 0) for place in range(301)], {}, 0.01)

    def cost(sims: int) -> Cost:
        return Cost(simulations=sims, wall_seconds=sims / speed)

    assert pace.promise == seconds
    pace.learn_speed([
        Decision(state.legal_moves()[0], cost=cost(int(budget.wall * speed)))
        for _, budget in pace.trials()])
    while (question := review.next_question()) is not None:
        budget = pace.budget(question)
        assert isinstance(budget, Budget)
        decision = noisy(question).with_cost(
            cost(budget.sims * slower if question.sample else budget.sims))
        total += decision.cost.wall_seconds
        places += decision.cost.wall_seconds * (not question.sample)
        count += 1
        pace.spend(question, decision.cost.wall_seconds)
        review.answer(question, decision, "x")
    assert 0.7 * seconds < total < 1.1 * seconds and 0.3 < places / seconds < 0.4, total
    assert abs(pace.promise - total) < 0.1 * seconds and count < 2500
    pace.spent = pace.promise - 9.6
    assert pace.left() == "about 10 s left"
    pace.spent = pace.promise + 1
    assert pace.left() == "longer than planned"


@pytest.mark.slow
def test_sure_verdicts_are_right_by_the_solver() -> None:
    """Of games in Connect Four that a weak engine played, reviewed without proofs."""
    weak, rng = EngineSpec.parse("mcts:sims=60").build(get_game("connect4"), 1), \
        np.random.default_rng(5)
    solver, right, compared_turns = Solver(20), [], 0
    while compared_turns < 200:
        state = GameState.new_game(get_game("connect4"))
        weak.new_game(int(rng.integers(1 << 30)))
        while not state.is_over():
            moves = state.legal_moves()
            move = weak.select_move(state).move if rng.random() < 0.7 else (
                moves[rng.integers(len(moves))])
            state = state.apply_move(move)
        review, _ = review_game(state, "mcts:sims=1000", exact=False)
        for verdict in review.verdicts():
            if verdict.turn.number <= 12 or verdict.margin is None:
                continue  # positions beyond the book take the solver long
            compared_turns += 1
            if verdict.kind and verdict.sure:
                line = "".join(str(m.place) for m in state.moves()[: verdict.turn.number - 1])
                (answer,) = next(solver.analyse([line], all_moves=True))
                better, played_ = verdict.best[0], verdict.turn.moves[0]
                right.append(answer.scores[better.place - 1] > answer.scores[played_.place - 1])
    assert len(right) >= 60 and np.mean(right) >= 0.9, (len(right), np.mean(right))
