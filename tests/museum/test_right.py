"""No false alarm: right programs of many makers, with other constants, rules, ties and styles."""

from __future__ import annotations

import pytest

from experiments.museum import subject as subjects
from experiments.museum.audit import PROPERTIES, audit, examine
from experiments.museum.subject import UNSEEN, Subject
from tests.command import ROOT
from tests.conftest import RUN_ALL

FOLDER = ROOT / "tests/museum/right"
# Players by their moves in a game are in test_real_games.py.
RIGHT = sorted(path.stem for path in FOLDER.glob("[a-z]*.py")
               if "Player, GAME" not in path.read_text())
SOME = ("compiled_puct", "negamax_puct", "openspiel")


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT if RUN_ALL else SOME)
def test_a_right_program_has_no_findings(name: str) -> None:
    if name.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    report = audit(FOLDER / f"{name}.py")
    assert not report.findings, report
    assert len(report.examined) >= 4


@pytest.mark.parametrize(("name", "property_"), [
    ("merged_positions", "lost move"),  # equal positions below a move are one
    ("batch_evaluates_once", "one rule"),  # the repeated leaf of a batch is not asked about
    ("children_at_once", "values are means"),  # more evaluations than simulations
    ("children_at_once", "visits"),
    ("threads", "priors steer"),  # they look at positions in any order
    ("lower_bound_choice", "most visited is played"),
    ("gumbel_four", "halving"),  # four of eight candidates
    ("gumbel_four", "visits"),
    ("alphabeta_as_search", "visits"),
    ("mtdf", "estimates"),  # it looks at many leaves twice
    ("perfect_player", "lost move"),  # it sees that all moves lose
    ("material_player", "reply"),  # it knows nothing of the tree but its ends
    ("proportional_player", "visits"),  # it has a budget of its own
    ("learner_own_loss", "targets"),
])
def test_a_style_is_no_fault(name: str, property_: str, monkeypatch) -> None:
    monkeypatch.setattr(subjects, "_ANSWER_SECONDS", 0.5)
    subject = Subject(str(FOLDER / f"{name}.py"))
    for part in subject.parts:
        if property_ in PROPERTIES[part]:
            assert not examine(subject, part, property_).keys() - {UNSEEN}
