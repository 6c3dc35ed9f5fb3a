"""The plans of a term: every page and every exercise that they name exists, search and AlphaZero
have two weeks each."""

from __future__ import annotations

import pytest

from experiments.classroom.exercise import written_exercises
from experiments.classroom.term import TERMS, course_pages, page_rows, week_rows


@pytest.mark.parametrize("weeks", TERMS)
def test_a_plan_names_what_there_is(weeks: int) -> None:
    plan = TERMS[weeks]
    assert len(plan) == weeks
    names = [name for week in plan for name in week.exercises.split()]
    assert {*names} <= {*written_exercises()} and len({*names}) == len(names)
    halves = [page for week in plan for page in week.pages.split()]
    assert halves.count("04/2") == halves.count("14/2") == 2
    pages = {page.name for page in course_pages()}
    for page in halves:
        assert [name for name in pages if name.startswith(page.partition("/")[0])]


def test_a_week_takes_at_most_seven_hours() -> None:
    for weeks in TERMS:
        for *_, together in week_rows(weeks):
            assert 60 <= int(together) <= 420


def test_every_page_takes_time() -> None:
    for page, reading, questions, exercises, together in page_rows():
        assert int(reading) > 10, page
        assert int(together) == sum(map(int, (reading, questions, exercises))), page
        if "notebooks/" in page:
            assert int(questions) > 10 and int(exercises) > 10, page
