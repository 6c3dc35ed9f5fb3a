"""Facts about matches that a sequential test ends: the answer, and that no order changes it."""

from __future__ import annotations

import dataclasses
import itertools
import random

from experiments.arena.agenda import Agenda, result_of
from experiments.arena.plan_keys import Limits
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from reports.sprt import Sprt, SprtBounds
from tests.arena.mocks import Said
from tests.arena.test_agenda import ENTRANTS, record_of

MATCH = Plan(("tictactoe",), ENTRANTS[:2], 1, kind="match", sprt=(0.0, 30.0), max_pairs=2000)


def drawing(slot: str) -> float:
    """Nearly all games drawn, by dice: no difference, as a test soon sees."""
    return random.Random(slot).choice((0.0, 1.0, *[0.5] * 18))


def play_until_told(plan: Plan, order: int, found=None, dice=drawing):
    """The agenda, and the results of the games it had played, when it wants no more."""
    agenda = Agenda(plan.canonical(), dict(found or {}), Limits())
    shuffler, playing, results = random.Random(order), [], {}
    while True:
        playing += agenda.take(8 - len(playing))  # 8 workers
        if not playing:
            return agenda, results
        task = playing.pop(shuffler.randrange(len(playing)))
        record = record_of(task, dice(task.slot))
        results[task.slot] = result_of(record)
        agenda.finished([record])


def test_a_match_ends_when_the_test_has_its_answer_whatever_the_order_of_games() -> None:
    agenda, results = play_until_told(MATCH, order=0)
    # The same pairs, shown to the test one after the other.
    one, other = MATCH.canonical().entrants
    points = (
        drawing(f"tictactoe|{one}|{other}|{pair}")
        + 1 - drawing(f"tictactoe|{other}|{one}|{pair}") for pair in itertools.count()
    )
    alone = Sprt(SprtBounds(0.0, 30.0))
    alone.add(*itertools.islice(points, 2000))
    needed = alone.counts.total
    assert alone.state == "H0 accepted" and needed > 20
    # "(N more pairs were played)": the sequence given to it goes on.
    assert agenda.strategy.verdict == f"tictactoe: {alone.reason.partition(' (')[0]}"
    assert 2 * needed <= len(results) <= 2.3 * needed + 8
    assert agenda.planned == len(results)
    for order in (1, 2):
        assert play_until_told(MATCH, order)[0].strategy.verdict == agenda.strategy.verdict


def test_a_continued_match_comes_to_the_same_answer() -> None:
    agenda, results = play_until_told(MATCH, order=0)
    half = dict(itertools.islice(results.items(), len(results) // 2))
    again, more = play_until_told(MATCH, order=5, found=half)
    assert again.strategy.verdict == agenda.strategy.verdict
    assert not half.keys() & more.keys()
    finished, none = play_until_told(MATCH, order=5, found=results)
    assert finished.strategy.verdict == agenda.strategy.verdict and not none


def test_a_match_without_an_answer_ends_with_its_last_pair() -> None:
    plan = dataclasses.replace(MATCH, max_pairs=7)
    agenda, results = play_until_told(plan, order=0)
    assert len(results) == 14
    assert "no decision: the budget of pairs was reached after 7 pairs" in agenda.strategy.verdict


def test_a_real_match_with_a_test_stops_by_itself(tmp_path) -> None:
    plan = Plan(("connect4",), ("mcts:sims=50", "random"), 1, kind="match",
                sprt=(0.0, 50.0)).canonical()
    said = Said()
    summary = run_tournament(plan, tmp_path / "games.sqlite", workers=1, progress=said)
    assert any("connect4: H1 accepted after" in text for text in said.lines)
    assert 10 < summary.planned == summary.played < 200
