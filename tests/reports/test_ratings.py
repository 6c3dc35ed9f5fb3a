"""Ratings: known answers, an independent likelihood, other programs, hard records."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from dlgo.errors import DlgoError
from reports.rating_table import ELO, RatingTable
from reports.ratings import fit_ratings, repeated_games
from tests.reports.simulation import simulate


def games(*matches: tuple[str, str, str]) -> tuple[list[str], list[str], list[float]]:
    """`("a", "b", "110=")`: four games with a first; a won two, lost one, drew one."""
    rows = [
        (first, second, {"1": 1.0, "=": 0.5, "0": 0.0}[mark])
        for first, second, marks in matches
        for mark in marks
    ]
    first, second, result = (list(column) for column in zip(*rows, strict=True))
    return first, second, result


def values(table: RatingTable) -> dict[str, float]:
    return {rating.entrant: rating.value for rating in table.ratings}


def scale(nu: float) -> float:
    """Points of the expected score to one of the model's own."""
    return 2 / (2 + nu)


# Known answers


def test_three_wins_to_one_are_191_elo():
    table = fit_ratings(*games(("a", "b", "110"), ("b", "a", "0")), first_move=False)
    lead = table.difference("a", "b")
    assert lead.value == pytest.approx(400 * math.log10(3), abs=1e-6)  # 190.85
    # The standard error of a log-odds from 3 and 1 is sqrt(1/3 + 1/1).
    assert lead.high95 - lead.value == pytest.approx(ELO * 1.959964 * math.sqrt(4 / 3), abs=1e-3)
    assert table["a"].value == -table["b"].value
    assert table["a"].note == table["b"].note == ""


def test_draw_parameter_and_first_move_by_hand():
    # Two equals (everything symmetric in a and b): first movers won 4, drew 6, lost 2. Then
    # gamma : nu sqrt(gamma) : 1 is 4 : 6 : 2, so gamma is 2 and nu is 3/sqrt(2).
    table = fit_ratings(*games(("a", "b", "11===0"), ("b", "a", "11===0")))
    assert table["a"].value == pytest.approx(0, abs=1e-6)
    assert table.draw.value == pytest.approx(3 / math.sqrt(2), abs=1e-6)
    advantage = scale(3 / math.sqrt(2)) * 400 * math.log10(2)
    assert table.first_move.value == pytest.approx(advantage, abs=1e-6)
    expected = 4 * math.log(4 / 12) + 6 * math.log(6 / 12) + 2 * math.log(2 / 12)
    assert table.log_likelihood == pytest.approx(expected)


# Against other programs


def test_agrees_with_choix_on_plain_bradley_terry():
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(2)
    names = [f"p{i}" for i in range(7)]
    strengths = dict(zip(names, np.linspace(-300, 300, 7), strict=True))
    first, second, result = simulate(strengths, 8, 1.0, 0.0, rng)
    pairs = [
        (names.index(winner), names.index(loser))
        for winner, loser in (
            (a, b) if won else (b, a) for a, b, won in zip(first, second, result, strict=True)
        )
    ]
    theirs = choix.opt_pairwise(7, pairs, alpha=0.0, method="Newton-CG", tol=1e-12) * ELO
    ours = values(fit_ratings(first, second, result, first_move=False))
    assert [ours[name] for name in names] == pytest.approx(theirs - theirs.mean(), abs=0.1)


def test_agrees_with_direct_maximisation():
    from scipy.optimize import approx_fprime, minimize

    rng = np.random.default_rng(3)
    strengths = {"a": 250.0, "b": 40.0, "c": -40.0, "d": -250.0}
    first, second, result = simulate(strengths, 10, 1.5, 0.6, rng)

    def minus_log_likelihood(x: np.ndarray) -> float:
        pi = dict(zip("abcd", np.exp([*x[:3], -x[:3].sum()]), strict=True))  # geometric mean 1
        gamma, nu, total = math.exp(x[3]), math.exp(x[4]), 0.0
        for mover, opponent, score in zip(first, second, result, strict=True):
            win, loss = gamma * pi[mover], pi[opponent]
            draw = nu * math.sqrt(gamma * pi[mover] * pi[opponent])
            total -= math.log({1.0: win, 0.5: draw, 0.0: loss}[score] / (win + draw + loss))
        return total

    best = minimize(minus_log_likelihood, np.zeros(5), method="BFGS", options={"gtol": 1e-6})
    table = fit_ratings(first, second, result)
    factor = scale(math.exp(best.x[4]))
    for i, name in enumerate("abc"):
        assert table[name].model == pytest.approx(ELO * best.x[i], abs=0.05)
        assert table[name].value == pytest.approx(factor * ELO * best.x[i], abs=0.05)
    assert table.first_move.value == pytest.approx(factor * ELO * best.x[3], abs=0.05)
    assert math.log(table.draw.value) == pytest.approx(best.x[4], abs=1e-3)
    assert table.log_likelihood == pytest.approx(-best.fun, abs=1e-6)

    def gradient(x: np.ndarray) -> np.ndarray:
        return approx_fprime(x, minus_log_likelihood, 1e-5)

    information = np.array([
        (gradient(best.x + step) - gradient(best.x - step)) / 2e-3 for step in 1e-3 * np.eye(5)
    ])
    covariance = np.linalg.inv(information)

    def half_width(elo: Callable[[np.ndarray], float]) -> float:
        """Of the 95% interval of a function of the parameters, to first order."""
        slope = approx_fprime(best.x, elo, 1e-6)
        return 1.959964 * math.sqrt(slope @ covariance @ slope)

    half = table["a"].high95 - table["a"].value
    wanted = half_width(lambda x: scale(math.exp(x[4])) * ELO * x[0])
    assert half == pytest.approx(wanted, rel=0.01)
    assert half != pytest.approx(factor * half_width(lambda x: ELO * x[0]), rel=0.02)
    half = table.first_move.high95 - table.first_move.value
    assert half == pytest.approx(half_width(lambda x: scale(math.exp(x[4])) * ELO * x[3]), rel=0.01)
    lead = table.difference("a", "d")
    wanted = half_width(lambda x: scale(math.exp(x[4])) * ELO * (x[0] + x[:3].sum()))
    assert lead.high95 - lead.value == pytest.approx(wanted, rel=0.01)


# Records without a maximum of the likelihood


def test_100_to_0_is_finite_and_says_so():
    table = fit_ratings(*games(("a", "b", "1" * 50), ("b", "a", "0" * 50)))
    # Half a loss in 101 games: odds of 100.5 to 0.5.
    assert table.difference("a", "b").value == pytest.approx(400 * math.log10(201), abs=1e-3)
    assert table["a"].note == "won every game: the rating is a lower bound set by the prior"
    assert table["b"].note == "lost every game: the rating is an upper bound set by the prior"
    for rating in table.ratings:
        assert math.isfinite(rating.low95) and math.isfinite(rating.high95)


def test_a_hopeless_entrant_does_not_move_the_others():
    rng = np.random.default_rng(6)
    first, second, result = simulate({"a": 100, "b": 0, "c": -100}, 20, 1.2, 0.3, rng)
    without = fit_ratings(first, second, result)
    first += ["a", "b", "c"] * 10 + ["random"] * 30
    second += ["random"] * 30 + ["a", "b", "c"] * 10
    with_random = fit_ratings(first, second, result + [1.0] * 30 + [0.0] * 30)
    for name in "abc":  # same zero (the mean of a, b and c), same intervals, no note
        assert with_random[name].value == pytest.approx(without[name].value, abs=2)
        assert with_random[name].high95 == pytest.approx(without[name].high95, abs=3)
        assert with_random[name].note == ""
    assert with_random["random"].note.startswith("lost every game")
    assert with_random["random"].value < with_random["c"].value - 300


def test_parts_that_never_lost_to_the_rest():
    table = fit_ratings(*games(
        ("a", "b", "1100"), ("b", "a", "1100"), ("c", "d", "1100"), ("d", "c", "10"),
        ("a", "c", "1111"), ("d", "b", "0000"), ("a", "top", "000"), ("top", "c", "111"),
    ))
    assert table["top"].note == "won every game: the rating is a lower bound set by the prior"
    assert table["a"].note == (
        "with b, never took a point from top and never lost a point to c, d: "
        "the gap is set by the prior"
    )
    assert table["d"].note == "with c, never took a point from a, b: the gap is set by the prior"
    assert [rating.entrant for rating in table.ratings[:1]] == ["top"]
    assert {rating.entrant for rating in table.ratings[3:]} == {"c", "d"}


def test_a_ladder_keeps_its_steps():
    # a beat b, b beat c, a beat c, always. One virtual game a step, none between a and c, which
    # would pull all three together: each step is at least that of a 20-0 match.
    table = fit_ratings(*games(*(
        match
        for winner, loser in ("ab", "bc", "ac")
        for match in ((winner, loser, "1" * 10), (loser, winner, "0" * 10))
    )))
    step = 400 * math.log10(41)
    assert step < table.difference("a", "b").value < step + 60
    assert step < table.difference("b", "c").value < step + 60


def test_groups_that_never_met():
    table = fit_ratings(*games(
        ("a", "b", "110"), ("b", "a", "10"), ("c", "b", "10"), ("x", "y", "110"), ("y", "x", "1"),
    ))
    assert table["a"].group == table["b"].group == table["c"].group == 1
    assert table["x"].group == table["y"].group == 2
    assert "group 2 of 2, which never met" in table["x"].note
    assert "(group 1: a, b, c; group 2: x, y)" in table.remarks[0]
    for group in ("abc", "xy"):
        assert sum(table[name].value for name in group) == pytest.approx(0, abs=1e-6)


def test_first_mover_always_won():
    table = fit_ratings(*games(("a", "b", "1" * 20), ("b", "a", "1" * 20)))
    assert table["a"].value == pytest.approx(0, abs=1e-6)
    assert table.first_move.value == pytest.approx(400 * math.log10(81), abs=1e-3)
    assert any("do not bound the first-move advantage" in remark for remark in table.remarks)
    assert [rating.note for rating in table.ratings] == ["", ""]  # it is not their records


def test_every_game_was_drawn():
    table = fit_ratings(*games(("a", "b", "=" * 20), ("b", "a", "=" * 20)))
    assert table["a"].value == pytest.approx(0, abs=1e-6)
    assert table.draw.value == pytest.approx(81, rel=1e-3)  # 40.5 draws to 1 decided game
    assert any("do not bound" in remark for remark in table.remarks)


def test_wins_and_draws_without_a_loss():
    # By itself nu would grow along with the lead: losses were never seen.
    table = fit_ratings(*games(("a", "b", "1111=" * 10), ("b", "a", "0000=" * 10)))
    assert any("do not bound" in remark for remark in table.remarks)
    assert 300 < table["a"].model - table["b"].model < 400 * math.log10(201)


def test_terms_that_cannot_be_told_are_left_out():
    table = fit_ratings(*games(("a", "b", "110")))
    assert table.first_move is None and table.draw is None
    assert any("varied too little to tell" in remark for remark in table.remarks)
    assert any("No game was drawn" in remark for remark in table.remarks)


# The scale


@pytest.mark.parametrize(("wins", "draws", "losses"), [(40, 40, 20), (30, 60, 10), (51, 0, 49)])
def test_a_difference_is_that_of_the_expected_score(wins, draws, losses):
    """What a match scored and what the ratings say of it agree near equality."""
    played = games(("a", "b", "1" * wins + "=" * draws + "0" * losses))
    lead = fit_ratings(*played, first_move=False).difference("a", "b").value
    score = (wins + draws / 2) / (wins + draws + losses)
    assert lead == pytest.approx(-400 * math.log10(1 / score - 1), rel=0.02)


@pytest.mark.parametrize(("result", "message"), [
    ([], "no games to rate"), ([0.7], "result 0.7 is not"), ([math.nan], "result nan is not"),
])
def test_unusable_results(result, message):
    with pytest.raises(DlgoError, match=message):
        fit_ratings(["a"] * len(result), ["b"] * len(result), result)


def test_a_game_is_counted_once():
    frame = pd.DataFrame(
        [
            ("connect4", "a", "b", "4 4 3", 1.0),
            ("connect4", "b", "a", "4 4 3", 1.0),  # colours swapped: another game
            ("connect4", "a", "b", "4 4 3", 1.0),  # a repetition
            ("connect4", "a", "b", "4 4 3 1", 1.0),
            ("tictactoe", "a", "b", "4 4 3", 1.0),
            ("connect4", "a", "b", "4 4 3", 0.0),  # this time a broke down, not b
            ("connect4", "a", "b", "", 1.0),  # moves unknown: never a repetition
            ("connect4", "a", "b", "", 1.0),
        ],
        columns=["game", "first", "second", "moves", "result"],
    )
    assert np.flatnonzero(repeated_games(frame)).tolist() == [2]
