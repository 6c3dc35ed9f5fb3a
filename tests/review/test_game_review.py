"""Reviews: known mistakes are found, values are exact where they can be, turns of any length."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sgfmill import sgf

from dlgo import GameState, Move, Player, get_game
from engines.base import Decision, Engine
from engines.clock import stopped_by
from engines.registry import EngineSpec
from engines.solver.outcomes import is_mistake, outcomes_of
from engines.solver.solver import Solver
from experiments.play.cell_moves import turns_played
from experiments.play.game_file import SavedGame, read_games
from experiments.review.comparison import score_of
from experiments.review.game_review import GameReview, Question, evaluation_of, exact_engine
from experiments.review.words import (
    line_text,
    position_words,
    review_sgf,
    summary_words,
    verdict_words,
)

FOUR, COLUMNS = "44444232151", "4444423215122333"


def played(game: str, moves: str) -> GameState:
    state = GameState.new_game(get_game(game))
    for text in moves.split():
        for move in state.game.parse_moves(state, text) if text != "resign" else [Move.resign()]:
            state = state.apply_move(move)
    return state


def finish(review: GameReview, ask: Callable[[Question], Decision | None], who: str) -> int:
    """Answer all questions; how many there were."""
    count = 0
    while (question := review.next_question()) is not None:
        decision = ask(question)
        review.give_up(question) if decision is None else review.answer(question, decision, who)
        count += 1
        assert count < 500
    return count


def engine(spec: str, game: str) -> Engine:
    return EngineSpec.parse(spec).build(get_game(game), 1)


def test_exact_mistakes_in_connect_four_are_the_solvers() -> None:
    state = played("connect4", " ".join(COLUMNS))
    review = GameReview(state, exact=True)
    solver = engine("solver", "connect4")
    begin = 9  # before that it takes seconds

    def ask(question: Question) -> Decision | None:
        if question.place < begin:
            return None
        return solver.analyse(question.state)

    finish(review, ask, "solver")
    columns = [move.place - 1 for move in state.moves()]
    lines = [columns[:plies] for plies in range(begin, len(columns))]
    outcomes = outcomes_of(state.game)(lines)
    expected = {
        len(line) + 1 for line, values in zip(lines, outcomes, strict=True)
        if is_mistake(values, columns[len(line)])
    }
    assert {verdict.turn.number for verdict in review.mistakes()} == expected == {14, 15, 16}
    other = Solver(20)
    for place in range(begin, len(review.states)):
        before, evaluation = review.states[place], review.evaluations[place]
        if not before.is_over():
            assert score_of(before, evaluation) == other.score(before)
    for verdict in review.mistakes():
        assert verdict.exact and verdict.kind == "blunder" and verdict.loss in (0.5, 1)
        # The move that was better keeps what the position was worth.
        (values,) = outcomes_of(state.game)([columns[: verdict.turn.number - 1]])
        best = values[verdict.best[0].place - 1]
        assert best == max(values.values()) == 2 * verdict.before.share(verdict.turn.player) - 1
    assert all(review.evaluations[place] is None for place in range(begin))


def test_a_blunder_of_tictactoe_is_told_in_words() -> None:
    state = played("tictactoe", "B2 A2 A1 C3 C1")
    review = GameReview(state, exact=True)
    prover = exact_engine(state.game)
    asked = engine(prover, "tictactoe")
    finish(review, lambda question: asked.analyse(question.state), prover)
    # In reply to the centre an edge loses, and any corner draws.
    (verdict,) = review.mistakes()
    assert (verdict.turn.number, verdict.loss, verdict.exact) == (2, 0.5, True)
    words = verdict_words(review, verdict)
    assert words.startswith("Blunder (exact). For O: draw becomes loss")
    better = state.game.move_text(verdict.best[0])
    assert better in ("A1", "A3", "C1", "C3") and f"Better: {better}" in words
    assert summary_words(review, Player.black) == "no mistakes in 3 moves"
    assert summary_words(review, Player.white).startswith("1 blunder in 2 moves; 0.50 points")
    assert position_words(review, 0).startswith("proved for X, who is to move: draw")


def test_words_say_why_a_move_is_bad_and_the_better_one_good() -> None:
    state = played("connect4", "4 4 3 1 5 2 1")  # red could have won, after yellow let it
    review, prover = GameReview(state, exact=True), engine("solver", "connect4")
    finish(review, lambda question: prover.analyse(question.state), "solver")
    words = {verdict.turn.number: verdict_words(review, verdict) for verdict in review.mistakes()}
    assert "Lets red play column 5, and then win at once whatever yellow replies." in words[4]
    assert "Misses column 6, which would win at once." in words[7]
    assert words[7].endswith("Wins at once.")


@pytest.mark.parametrize("columns", [FOUR, COLUMNS, COLUMNS[:12], "444442321512235"])
def test_scores_are_counted_as_the_solver_counts_them(columns: str) -> None:
    """Of odd and even numbers of stones, won (the first two) and lost."""
    state, solver = played("connect4", " ".join(columns)), engine("solver", "connect4")
    evaluation = evaluation_of(state, solver.analyse(state), "solver")
    assert score_of(state, evaluation) == Solver(18).score(state)


class Scripted:
    """Says of each position what it has been told, as black's share, and to play some move."""

    def __init__(self, shares: dict[str, float], best: dict[str, str]) -> None:
        self.shares, self.best = shares, best
        self.asked: list[str] = []

    def __call__(self, question: Question) -> Decision:
        state = question.state
        key = " ".join(state.game.move_text(move) for move in state.moves())
        self.asked.append(key)
        move = state.game.parse_move(state, self.best.get(key, "")) if key in self.best else (
            state.legal_moves()[0]
        )
        value = 2 * self.shares[key] - 1
        return Decision(move, value=value if state.next_player is Player.black else -value)


def test_a_seeming_loss_counts_only_as_far_as_something_better_is_known() -> None:
    review = GameReview(played("go:size=5", "C3 B2"))
    # Black's C3 seems to lose 0.3 of the point, but what the engine prefers is hardly better.
    scripted = Scripted(
        {"": 0.7, "C3": 0.4, "C3 B2": 0.4, "D4": 0.43}, {"": "D4", "C3": "B2"}
    )
    finish(review, scripted, "x")
    assert scripted.asked == ["", "C3", "C3 B2", *3 * ["D4", "C3"]]
    assert review.mistakes() == [] and review.verdict(1).loss == pytest.approx(0.03)
    # If it is better, the difference between the two counts: 0.15, not 0.3.
    review = GameReview(played("go:size=5", "C3 B2"))
    finish(review, Scripted(
        {"": 0.7, "C3": 0.4, "C3 B2": 0.4, "D4": 0.55}, {"": "D4", "C3": "B2"}
    ), "x")
    (verdict,) = review.mistakes()
    assert (verdict.kind, verdict.exact) == ("mistake", False)
    assert verdict.loss == pytest.approx(0.15)
    assert "Better: D4, 55% after it" in verdict_words(review, verdict)
    # White's loss is told as white sees it; a move that the engine plays as well is no mistake.
    review = GameReview(played("go:size=5", "C3 B2"))
    scripted = Scripted(
        {"": 0.6, "C3": 0.3, "C3 B2": 0.8, "C3 D4": 0.2}, {"": "C3", "C3": "D4"}
    )
    finish(review, scripted, "x")
    assert scripted.asked == ["", "C3", "C3 B2", *3 * ["C3 D4", "C3 B2"]]
    (verdict,) = review.mistakes()
    assert (verdict.turn.number, verdict.kind) == (2, "blunder")
    words = verdict_words(review, verdict)
    assert "For white: 80% becomes 20%, so the move cost 60%. Better: D4, 80% after it" in words


def test_a_capture_of_several_jumps_is_one_turn() -> None:
    moves = "11-15 23-19 8-11 22-17 11-16 24-20 15x24 20x11 7x16 27x20x11"
    state = played("draughts", moves)
    review = GameReview(state)
    assert len(state.moves()) == 11 and len(review.turns) == 10
    assert [len(made) for _, made in turns_played(state)] == [1] * 9 + [2]
    assert [" ".join(state.game.whole_moves([*t.moves])) for t in review.turns] == moves.split()
    assert [turn.player.index for turn in review.turns] == [0, 1] * 5
    asked = engine("mcts:sims=50", "draughts")
    finish(review, lambda question: asked.analyse(question.state), "mcts:sims=50")
    assert review.done == len(review.states) == 11
    assert line_text(review.states[9], review.evaluations[9].line).split()[0] == "27x20x11"


def test_the_end_is_worth_what_the_rules_say() -> None:
    review = GameReview(played("tictactoe", "B2 A2 resign"))
    assert review.evaluations[2:] == [None, review.evaluations[3]]
    assert (review.evaluations[3].black, review.evaluations[3].proven) == (0.0, True)
    # A resignation is no mistake, even in a won position; the words tell what was given up.
    finish(review, lambda question: engine("mcts:sims=500", "tictactoe").analyse(
        question.state), "mcts:sims=500")
    assert review.evaluations[2].black > 0.9
    assert (review.verdict(3).kind, review.verdict(3).loss) == ("", 0)
    words = position_words(review, 3)
    assert re.search(r"resignation; before that, X could expect (win|\d\d%)", words)


def test_a_solver_that_is_told_to_end_claims_nothing_and_keeps_what_it_knows() -> None:
    solver = engine("solver", "connect4")
    state = played("connect4", " ".join(FOUR[:6]))
    with stopped_by(lambda: True):
        decision = solver.analyse(state)
    assert decision.proven is None and decision.value is None
    assert decision.move in state.legal_moves()
    late = played("connect4", " ".join(FOUR))
    assert solver.select_move(late).proven == int(np.sign(Solver(18).score(late)))


def test_an_sgf_of_a_review_has_comments_and_the_better_line() -> None:
    state = played("go:size=5,komi=0.5", "C3 B2 D4")
    review = GameReview(state)
    shares = {"": 0.6, "C3": 0.3, "C3 B2": 0.8, "C3 D4": 0.2, "C3 B2 D4": 0.8}
    finish(review, Scripted(shares, {"": "C3", "C3": "D4", "C3 B2": "D4"}), "x")
    data = review_sgf(review, SavedGame(state, "A [b]", "C\\d"), engine="x")
    (saved,) = read_games(data, Path("a.sgf"), get_game)
    assert saved.state == state and (saved.black, saved.white) == ("A [b]", "C\\d")
    game = sgf.Sgf_game.from_bytes(data)
    root = game.get_root()
    assert "Review by x." in root.get("C") and "white: 1 blunder" in root.get("C")
    (first,) = root
    assert "expected for white, who is to move: 80%" in first.get("C")
    main, other = first
    assert main.get("C").startswith("Blunder. For white: 80% becomes 20%, so the move cost 60%.")
    assert other.get_move() == ("w", (3, 3)) and "Better for white, 80%" in other.get("C")
