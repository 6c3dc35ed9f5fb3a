"""Facts about luck in a league: it cannot be bought, and who is stronger gets the points."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo.records.game_record import GameRecord, slot_of
from experiments.classroom import evidence
from experiments.classroom.evidence import Version, confidence, highest_capital

STUDENTS, VERSIONS, PAIRS = 10_000, 25, 50


def drawn_pairs(seed: int, shape: tuple[int, ...], first: float, second: float) -> np.ndarray:
    """Points of pairs of games of a bot that wins as first and as second player with these
    probabilities, and loses otherwise."""
    draws = np.random.default_rng(seed).random((*shape, 2), dtype=np.float32)
    return (draws < np.array([first, second], np.float32)).sum(-1, dtype=np.float64)


@pytest.mark.parametrize("advantage", [0.0, 0.3])
def test_luck_cannot_be_bought(advantage: float) -> None:
    """10,000 students hand in 25 versions of a bot of exactly the strength of the staff bot, and
    stop at once when they have its points: at most the promised share ever has them."""
    surest = np.zeros(STUDENTS)  # at any time
    for version in range(1, VERSIONS + 1):
        capital = highest_capital(drawn_pairs(
            version, (STUDENTS, PAIRS), 0.5 + advantage, 0.5 - advantage))
        np.maximum(surest, confidence(capital, version), out=surest)
    for required in (0.5, 0.8, 0.95, 0.99):
        assert 0 < (surest >= required).mean() <= 1 - required


def test_a_stronger_bot_gets_its_points_after_bad_versions() -> None:
    """One that wins four of five games, as version 1, 5, 10, 25."""
    for version, share in ((1, 0.98), (5, 0.97), (10, 0.95), (25, 0.9)):
        capital = highest_capital(drawn_pairs(version, (2000, PAIRS), 0.8, 0.8))
        assert (confidence(capital, version) >= 0.95).mean() > share


def test_the_fewest_pairs_are_those_that_the_first_version_must_win() -> None:
    assert [evidence.fewest_pairs(required) for required in (0.5, 0.9, 0.95, 0.99, 0.9999)] == [
        4, 7, 8, 11, 18]


def game(first: str, second: str, pair: int, result: float, started: str = "", moves: str = ""
         ) -> GameRecord:
    return GameRecord(
        slot_of("g", first, second, pair), "g", first, second, pair, "", 0, result, "",
        moves or f"{first} {pair}", started, started, "", "",
    )


A = [f"student:a@{number:08}" for number in range(5)]


def test_pairs_count_in_their_order_and_whole() -> None:
    both = [game(A[1], "s", 0, 1.0), game("s", A[1], 0, 0.0),
            game(A[1], "s", 1, 0.5), game("s", A[1], 1, 1.0)]
    later = [game(A[1], "s", 3, 1.0), game("s", A[1], 3, 0.0)]
    assert Version(1, A[1], both + later).pairs() == [2.0, 0.5], "pair 2 has not ended"
    half = [game(A[1], "s", 2, 1.0)]
    assert Version(1, A[1], later + half + both).pairs() == [2.0, 0.5]
    # Equal games count: a bot that resigns at once in half of the openings gains nothing by it.
    again = [game("s", A[1], 2, 1.0, moves=f"{A[1]} 1")]
    assert Version(1, A[1], again + later + half + both).pairs() == [2.0, 0.5, 1.0, 2.0]


def test_versions_are_numbered_by_their_first_games() -> None:
    other = "student:ab@00000001"
    games = [
        game(A[2], "s", 0, 1.0, "2026-11-03"), game("s", A[1], 0, 1.0, "2026-11-02"),
        game(A[1], "s", 0, 1.0, "2026-11-04"), game(other, "s", 0, 1.0, "2026-10"),
        game(A[3], other, 0, 1.0, "2026-11-01"),
    ]
    met = evidence.versions_of(games, "student:a", "s")
    assert [(v.number, v.entrant, len(v.games)) for v in met] == [(1, A[1], 2), (2, A[2], 1)]
    assert evidence.version_numbers(games, [A[2], A[4], "student:b@00000001"]) == {
        A[2]: 3, A[4]: 4, "student:b@00000001": 1}
