"""Games by policies: exact halves, the policy as recorded, openings, pools of sides."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import get_game
from dlgo.encoders import get_encoder
from engines.learning.data.records import LABELLED, NO_RESULT, PLAYER_1
from engines.learning.selfplay.policy_games import RANDOM, Side, play
from engines.learning.selfplay.schedule import Schedule, points
from tests.learning.data.test_experience import Critic

GAME = get_game("connect4")
ENCODER = get_encoder("planes", GAME)
CRITIC = Critic(ENCODER.shape, GAME.num_actions)


def test_a_policy_scores_exactly_one_half_against_itself() -> None:
    schedule = Schedule.match(200, seed=3, openings=np.repeat(np.arange(100) % 5, 2))
    played = play(GAME, [Side(CRITIC, ENCODER), Side(CRITIC, ENCODER)], schedule)
    won = points(played, schedule)
    assert won.mean() == 0.5
    assert set((won[::2] + won[1::2]).tolist()) == {1.0}, "of each pair, one point"
    assert len({won[k] for k in range(0, 200, 2)}) > 1, "not all games end alike"
    # With other luck for the two games of a pair, it is a half on average only.
    unpaired = Schedule.practice(200, 3, opponent=True)
    played = play(GAME, [Side(CRITIC, ENCODER), Side(CRITIC, ENCODER)], unpaired)
    assert 0.35 < points(played, unpaired).mean() != 0.5


def test_the_same_seed_plays_the_same_games_in_any_number_of_rows() -> None:
    schedule, side = Schedule.practice(40, seed=5), Side(CRITIC, ENCODER, learns=True)
    one, other = play(GAME, [side], schedule), play(GAME, [side], schedule, 7)
    np.testing.assert_array_equal(one.actions, other.actions)
    np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-5)
    again = play(GAME, [side], Schedule.practice(40, seed=6))
    assert len({tuple(part) for part in np.split(one.actions, np.cumsum(one.plies))}) > 35
    assert one.actions.tolist() != again.actions.tolist()


@pytest.mark.parametrize("side", [
    Side(CRITIC, ENCODER, learns=True), Side(CRITIC, ENCODER, temperature=0.5, learns=True),
    Side(CRITIC, ENCODER, temperature=0.0, epsilon=0.4, learns=True),
    Side(CRITIC, ENCODER, epsilon=0.3, learns=True),
])
def test_the_policy_that_is_recorded_is_the_one_that_is_played(side: Side) -> None:
    """At the start all games see the same position, so frequencies tell the policy."""
    played = play(GAME, [side], Schedule.practice(3000, seed=1))
    firsts = np.cumsum(played.plies) - played.plies
    moves, shares = played.actions[firsts], played.probabilities[firsts]
    for action in range(GAME.num_actions):
        rows = moves == action
        if rows.any():
            recorded = float(shares[rows].mean())
            assert shares[rows].max() == pytest.approx(shares[rows].min(), rel=1e-5)
            assert rows.mean() == pytest.approx(recorded, abs=4 * (recorded / 3000) ** 0.5 + 0.002)


def test_what_a_side_that_does_not_learn_does_is_played_and_not_learned() -> None:
    schedule = Schedule.practice(20, 1, openings=3, opponent=True)
    played = play(GAME, [Side(CRITIC, ENCODER, learns=True), RANDOM], schedule)
    game = np.repeat(np.arange(20), played.plies)
    ply = np.arange(len(game)) - np.repeat(np.cumsum(played.plies) - played.plies, played.plies)
    learned, player = (played.flags & LABELLED) > 0, (played.flags & PLAYER_1) > 0
    np.testing.assert_array_equal(learned, (ply >= 3) & (player == game % 2))
    assert played.encoder == "planes" and len(played.decisions) == learned.sum()


def test_openings_are_random_and_never_end_a_game() -> None:
    game = get_game("tictactoe")
    played = play(game, [RANDOM], Schedule.practice(200, 2, openings=9), 16)
    assert played.plies.min() >= 5, "no line of three by chance"
    assert len({tuple(part) for part in np.split(played.actions, np.cumsum(played.plies))}) > 150


def test_a_game_that_is_too_long_has_no_result_and_counts_half() -> None:
    schedule = Schedule.match(4, 1)
    played = play(GAME, [RANDOM, RANDOM], schedule, max_plies=5)
    assert played.results.tolist() == [NO_RESULT] * 4 and played.plies.tolist() == [5] * 4
    assert points(played, schedule).tolist() == [0.5] * 4
