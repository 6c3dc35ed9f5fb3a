"""Correct solutions in other styles earn all points; those with real bugs lose some."""

from __future__ import annotations

import pytest

from experiments.classroom.exercise import written_exercises
from experiments.classroom.mutants import outcomes
from tests.classroom.styles import STYLES, restyled
from tests.classroom.styles_by_hand import SOLUTIONS
from tests.classroom.wrong_by_hand import WRONG, value
from tests.command import ROOT
from tests.conftest import RUN_ALL

EXERCISES = written_exercises()
CASES = ROOT.parent / "shared/cases/class/grading"
# Styles that are wrong: keys do not fit in floats, and a cache chooses the same move again.
REFUSED = {("zobrist", "floats for whole numbers"), ("random_bot", "a cache")}
# The hand-ins of others were written when these values were arguments, or fixed.
OWN_VALUES = {
    "elo": [("/ 400", "/ SCALE"), ("return 400", "return SCALE"), ("scores, k)", "scores, k=K)")],
    "evaluation": [("to_move) * .1", "to_move) * OWN"), ("opp) * .1", "opp) * THEIRS")],
    "q_update": [("discount):", "discount=GAMMA):"), ("rate):", "rate=ALPHA):"),
                 ("epsilon):", "epsilon=EPSILON):")],
    "rave": [("k):", "k=K):"), ("1 / 2", "UNKNOWN")],
    "uct": [("c):", "c=C):")],
}


def lost(name: str, source: str) -> dict[str, str]:
    """The checks that fail, and why."""
    return {title: text for title, text in outcomes(EXERCISES[name], source).items() if text}


def with_values(name: str, source: str) -> str:
    """A hand-in that begins with the exercise's values."""
    constants = EXERCISES[name].constants.items()
    return "".join(f"{constant} = {value!r}\n" for constant, value in constants) + source


@pytest.mark.parametrize("name", EXERCISES)
def test_values_of_other_types_and_other_functions_earn_all_points(name) -> None:
    """By default an exercise is solved in each third style."""
    first = [*EXERCISES].index(name) % 3
    for style in STYLES if RUN_ALL else [*STYLES][first::3]:
        source = restyled(EXERCISES[name], style)
        assert bool(lost(name, source)) == ((name, style) in REFUSED), style


@pytest.mark.parametrize("name", SOLUTIONS)
def test_solutions_in_other_styles_earn_all_points(name) -> None:
    for source in SOLUTIONS[name]:
        assert lost(name, with_values(name, source)) == {}, source


@pytest.mark.parametrize("name", EXERCISES)
def test_a_wrong_solution_loses_points(name) -> None:
    """By default each third."""
    solution = EXERCISES[name].solution()
    for title in WRONG[name] if RUN_ALL else [*WRONG[name]][::3]:
        expression, code = WRONG[name][title]
        assert value(solution, expression) != value(solution + code, expression), title
        assert lost(name, solution + code), title


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases/class/grading")
@pytest.mark.parametrize("folder", sorted(CASES.glob("*")), ids=lambda folder: folder.name)
def test_hand_ins_of_others(folder) -> None:
    """`ko-bug-...` has a bug, `ko-alt-...` is right."""
    name, kind, _ = folder.name.split("-", 2)
    source = (folder / f"{name}.py").read_text(encoding="utf-8")
    for earlier, now in OWN_VALUES.get(name, ()):
        assert earlier in source
        source = source.replace(earlier, now)
    failed = lost(name, with_values(name, source))
    assert bool(failed) == (kind == "bug"), failed
