"""Who does what: every item counts once, whatever workers do; no Ray needed."""

from __future__ import annotations

import random

import pytest

from dlgo.errors import DataError
from engines.jobs.protocol import ListSource
from engines.jobs.worker import Result
from experiments.cluster.dispatcher import Dispatcher


class Number(int):
    """A task: to double itself."""

    @property
    def key(self) -> str:
        return str(self)


def dispatcher(count: int, **options) -> Dispatcher[Number]:
    return Dispatcher(
        ListSource(map(Number, range(count))), lambda one, other: "" if one == other else "value",
        **options,
    )


def answer(items, wrong: bool = False) -> list[Result]:
    return [Result(str(item), 2 * item + wrong) for item in items]


@pytest.mark.parametrize("seed", range(20))
def test_every_item_counts_once_whatever_the_workers_do(seed: int) -> None:
    """Workers that die, hang, come back late and answer twice; one of them always lives."""
    draw = random.Random(seed)
    work, counted, now = dispatcher(200, verify_share=0.1, seed=seed), {}, 0.0
    held: dict[str, list] = {f"w{n}": [] for n in range(5)}
    late: list[tuple[str, list]] = []
    for _ in range(100_000):
        now += draw.random()
        worker = draw.choice(list(held))
        fate = draw.random()
        if fate < 0.05 and worker != "w0":
            if fate < 0.03:
                late.append((worker, held[worker]))  # it seemed to be lost, but was slow
            work.lost(worker, [str(item) for item in held[worker]])
            held[worker] = []
        elif fate < 0.1 and late:
            who, tickets = late.pop(draw.randrange(len(late)))
            for outcome in work.returned(who, answer(tickets), now):
                assert counted.setdefault(outcome.task, outcome.value) is outcome.value
        elif held[worker] and (fate < 0.5 or worker == "w0"):
            tickets = [held[worker].pop() for _ in range(draw.randint(1, len(held[worker])))]
            results = answer(tickets) * draw.choice([1, 1, 2])
            for outcome in work.returned(worker, results, now):
                assert outcome.task not in counted
                counted[outcome.task] = outcome.value
        else:
            got = work.assign(worker, draw.randint(1, 4), now, idle=not held[worker])
            held[worker] += got
            if not got and work.is_done(len(held)):
                break
    assert counted == {n: 2 * n for n in range(200)}
    assert work.done == 200
    assert all(not row.difference for row in work.compared)
    assert len(work.compared) > 5


def test_a_result_is_checked_by_another_worker_and_differences_are_told() -> None:
    work = dispatcher(20, verify_share=1.0)
    work.returned("bad", answer(work.assign("bad", 20, 0.0), wrong=True), 1.0)
    assert work.assign("bad", 20, 2.0, idle=True) == []
    assert not work.is_done(2) and work.is_done(1)
    assert not dispatcher(0).is_done(2)  # nobody has asked the source yet
    tickets = work.assign("good", 30, 2.0)
    assert len(tickets) == 20
    assert work.returned("good", answer(tickets), 3.0) == []
    assert {(row.worker, row.other, row.difference) for row in work.compared} == {
        ("bad", "good", "value")}
    assert work.is_done(2)


def test_a_third_worker_says_who_of_two_is_right() -> None:
    work = dispatcher(1, verify_share=1.0)
    work.returned("good", answer(work.assign("good", 1, 0.0)), 1.0)
    work.returned("bad", answer(work.assign("bad", 1, 1.0), wrong=True), 2.0)
    for worker in ("good", "bad"):
        assert work.assign(worker, 1, 3.0) == []
    assert work.is_done(2) and not work.is_done(3)
    work.returned("judge", answer(work.assign("judge", 1, 4.0)), 5.0)
    assert [(row.worker, row.other, row.difference) for row in work.compared] == [
        ("good", "bad", "value"), ("good", "judge", None), ("bad", "judge", "value")]
    assert work.assign("judge", 1, 6.0) == [] and work.is_done(3)


def test_which_items_are_checked_depends_on_seed_and_names_alone() -> None:
    chosen = []
    for order in (1, 5):
        work = dispatcher(100, verify_share=0.2, seed=3)
        while tickets := work.assign("a", order, 0.0):
            work.returned("a", answer(tickets), 1.0)
        chosen.append(sorted(item for item in work.assign("b", 100, 2.0)))
    assert chosen[0] == chosen[1]
    assert 10 < len(chosen[0]) < 30


def test_an_error_counts_only_when_a_second_machine_has_it_too() -> None:
    work = dispatcher(1)
    assert work.assign("a", 1, 0.0) == [0]
    error = Result("0", None, DataError("no such file"))
    assert work.returned("a", [error], 1.0) == []
    assert work.assign("a", 1, 1.0) == []
    assert work.assign("b", 1, 1.0) == [0]
    (outcome,) = work.returned("b", [error], 2.0)
    assert outcome.error is error.error
    assert work.assign("b", 1, 2.0) == []
    assert work.is_done(2)


def test_what_a_worker_is_slow_with_goes_to_another() -> None:
    work = dispatcher(3)
    slow, quick = work.assign("slow", 1, 0.0), work.assign("quick", 2, 0.0)
    work.returned("quick", answer(quick), 1.0)
    assert work.assign("quick", 1, 2.0, idle=True) == []
    assert work.assign("quick", 1, 10.0) == []
    again = work.assign("quick", 1, 10.0, idle=True)
    assert again == slow
    assert len(work.returned("quick", answer(again), 11.0)) == 1
    assert work.assign("quick", 1, 11.0) == []
    assert work.returned("slow", answer(slow), 12.0) == []
    assert work.late == 1 and work.is_done(2)


def test_a_result_that_comes_twice_or_from_nowhere_does_not_count() -> None:
    work = dispatcher(2)
    (item,) = work.assign("a", 1, 0.0)
    assert work.returned("b", [Result("99", 0)], 1.0) == []
    assert len(work.returned("a", answer([item, item]), 1.0)) == 1
    assert work.late == 2 and not work.is_done(2)
