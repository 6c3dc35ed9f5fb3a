"""Facts about ratings on a scale: true strengths are found, and intervals are as wide as they say.

The newcomers here are simulated by the model of the ratings, so that their strength is known.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dlgo import DlgoError
from dlgo.records.game_record import GameRecord
from experiments.arena.strategy import Result
from experiments.ladder.rating import NearestAnchors, RatingRun, ScaleRating
from experiments.ladder.scales import GameScale
from reports.davidson import outcome_probabilities
from reports.rating_table import ELO
from reports.scale import Scale

NAMES = ("alphabeta:depth=1", "alphabeta:depth=2", "alphabeta:depth=3", "alphabeta:depth=4",
         "alphabeta:depth=5", "alphabeta:depth=6")
ELO_OF = (0.0, 200.0, 350.0, 550.0, 700.0, 900.0)
LN_NU = float(np.log(0.4))
SLOPE = 2 / (2 + 0.4)
SCALE = Scale(NAMES, ELO_OF, 0.25, LN_NU, ())


def chances(ahead: float) -> list[float]:
    """Of win, draw and loss for a first mover who is `ahead` Elo stronger."""
    difference = np.array(ahead / ELO / SLOPE + 0.25)
    return [float(chance) for chance in outcome_probabilities(difference, LN_NU)]


def run_on(scale: Scale, within: float = 40.0) -> RatingRun:
    cpu_ms = (0.0,) * len(scale.anchors)
    game_scale = GameScale("simulated", "connect4", scale, cpu_ms, {}, 1, {}, {})
    return RatingRun(game_scale, "random", "newcomer", within, 1, 1000)


def test_a_scale_gives_back_the_strengths_behind_its_games() -> None:
    """With as many wins, draws and losses as the model expects of 10,000 games."""
    counts = []
    for i, j in itertools.permutations(range(len(NAMES)), 2):
        win, draw, _ = (round(10_000 * chance) for chance in chances(ELO_OF[i] - ELO_OF[j]))
        counts.append((i, j, win, draw, 10_000 - win - draw))
    scale = Scale.fitted(counts, NAMES, NAMES[0])
    assert scale.anchors == NAMES
    assert scale.elo == pytest.approx(ELO_OF, abs=1.5)
    assert scale.first_move == pytest.approx(0.25, abs=0.01)
    assert scale.draws == pytest.approx(LN_NU, abs=0.01)


def test_anchors_that_no_game_links_are_no_scale() -> None:
    with pytest.raises(DlgoError, match="alphabeta:depth=4"):
        Scale.fitted([(0, 1, 1, 0, 1), (1, 2, 1, 0, 1), (3, 4, 1, 0, 1), (4, 5, 1, 1, 1)], NAMES,
                     NAMES[0])


@pytest.mark.parametrize("elo", [-150.0, 300.0, 640.0, 1100.0])
def test_expected_results_give_the_true_rating(elo: float) -> None:
    games = []
    for place, anchor in enumerate(ELO_OF):
        for as_first in (True, False):
            pair = (6, place) if as_first else (place, 6)
            ahead = elo - anchor if as_first else anchor - elo
            for result, chance in zip((1.0, 0.5, 0.0), chances(ahead), strict=True):
                games += [(*pair, result)] * round(2000 * chance)
    assert SCALE.rated(games).value == pytest.approx(elo, abs=4)
    assert sum(SCALE.score(elo)) == pytest.approx(
        sum(r if i == 6 else 1 - r for i, _, r in games) / len(games) * 6, abs=0.01)


def test_where_moving_first_decides_nobody_is_far_ahead() -> None:
    """Each wins one game of a pair, however strong: the expected score stays close to one half."""
    decided, fair = (Scale(("a", "b"), (0.0, 300.0), gamma, None, ()) for gamma in (6.0, 0.0))
    assert fair.score(0.0)[1] == pytest.approx(0.151, abs=0.001)
    assert 0.47 < decided.score(0.0)[1] < 0.5
    rating = fair.rated([(2, 0, 1.0), (2, 0, 0.0)])
    assert decided.information(rating)[0] < fair.information(rating)[0] / 20


def test_who_won_or_lost_everything_has_a_finite_rating_beyond_whom_it_met() -> None:
    won = SCALE.rated([(6, 5, 1.0), (5, 6, 0.0)] * 10)
    lost = SCALE.rated([(6, 0, 0.0), (0, 6, 1.0)] * 10)
    assert 1100 < won.value < 2000 and -1100 < lost.value < -200
    assert SCALE.rated([]).value == pytest.approx(ELO_OF[3], abs=60)


def test_near_anchors_tell_most_and_the_unknown_spreads_them() -> None:
    sure = SCALE.rated([(6, 3, 1.0), (6, 3, 0.0), (3, 6, 1.0), (3, 6, 0.0)] * 60)
    tells = SCALE.information(sure)
    assert np.argmax(tells) == 3 and tells[3] > tells[2] > tells[0]
    unsure = SCALE.information(SCALE.rated([]))
    assert unsure.max() / unsure.min() < tells.max() / tells.min()


def simulated(elo: float, seed: int, within: float = 40.0) -> tuple[RatingRun, list[Result]]:
    """The games of a newcomer of known strength, to its end."""
    rng, run = np.random.default_rng(seed), run_on(SCALE, within)
    strategy, results = NearestAnchors(run), []
    game = run.plan.games[0]
    while step := strategy.next_step(set(), set()):
        for pair in step:
            for (first, second), slot in zip(pair.colours, pair.slots, strict=True):
                anchor = ELO_OF[NAMES.index(pair.opponent)]
                ahead = elo - anchor if first == "random" else anchor - elo
                result = float(rng.choice((1.0, 0.5, 0.0), p=chances(ahead)))
                results.append(Result(game, first, second, pair.number, f"{slot}", result))
                strategy.game_ended(slot, results[-1])
    return run, results


@pytest.mark.parametrize("elo", [30.0, 480.0, 820.0])
def test_it_stops_at_the_interval_and_plays_who_is_near(elo: float) -> None:
    run, results = simulated(elo, 5)
    rating = run.estimate(results)
    assert 30 < rating.high95 - rating.value <= 40 and len(results) < 420
    near = sum(abs(ELO_OF[NAMES.index({*result[1:3]}.difference({"random"}).pop())] - elo) < 350
               for result in results)
    assert near > 0.8 * len(results)


def test_a_wider_interval_is_the_beginning_of_a_narrower_one() -> None:
    wide, narrow = (simulated(480, 9, within)[1] for within in (80.0, 50.0))
    assert narrow[: len(wide)] == wide and len(narrow) > len(wide)


def test_hopeless_cases_end() -> None:
    for elo in (4000.0, -4000.0):
        assert len(simulated(elo, 1)[1]) <= 70


@pytest.mark.slow
def test_intervals_hold() -> None:
    """Of 95% intervals, about one in twenty misses. The bounds are three standard errors away."""
    n, hits = 200, 0
    for seed in range(n):
        elo = float(np.random.default_rng(seed).uniform(-50, 950))
        run, results = simulated(elo, 1000 + seed, 60.0)
        rating = run.estimate(results)
        hits += rating.low95 <= elo <= rating.high95
    assert 0.90 <= hits / n <= 0.995


def test_a_stopped_newcomer_ends_the_games_and_a_stopped_anchor_does_not() -> None:
    strategy = NearestAnchors(run_on(SCALE))
    game = strategy.plan.games[0]
    others = {(game, NAMES[2]), (game, NAMES[3])}
    assert {pair.opponent for pair in strategy.next_step(set(), others)}.isdisjoint(NAMES[2:4])
    assert not NearestAnchors(run_on(SCALE)).next_step(set(), {(game, "random")})


def test_an_anchor_is_not_rated_against_itself() -> None:
    run = replace(run_on(SCALE), engine=NAMES[2])
    assert NAMES[2] not in {other for _, other in run.plan.matches()}


def test_a_game_of_an_anchor_with_another_network_does_not_count() -> None:
    game_scale = replace(run_on(SCALE).scale, networks={NAMES[0]: "sha256:shipped"})
    run = replace(run_on(SCALE), scale=game_scale)
    record = GameRecord(
        "slot", "connect4", "random", NAMES[0], 0, "", 1, 1.0, "", "", "", "", "", "",
        networks='{"second": {"id": "sha256:other"}}')
    with pytest.raises(DlgoError, match="other.*shipped"):
        ScaleRating.of(run, [record])
