"""The bank of questions is large, complete and correct in form; a sheet is made from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.classroom.exam import LEVELS, Question, bank, choose, write_exam
from tests.command import ROOT

QUESTION = """[[question]]
id = "one"
level = "easy"
minutes = 5
text = "How much is $1 + 1$?"
answer = "$2$"
"""


def test_the_bank_has_sixty_questions_on_pages_that_exist() -> None:
    questions = bank()
    assert len(questions) >= 60
    assert {question.level for question in questions} == {*LEVELS}
    for page in {question.page for question in questions}:
        assert (ROOT / f"docs/{page}.md").exists() or (ROOT / f"notebooks/{page}.py").exists()


def test_the_same_seed_draws_the_same_questions() -> None:
    questions = [
        Question(f"{level}-{number}", level, "How much is $1 + 1$?", "2", 5, number == 9, "compare")
        for level in LEVELS for number in range(10)
    ]
    drawn = choose(questions, ("easy", "medium"), count=9, seed=3)
    assert drawn == choose(questions, ("easy", "medium"), count=9, seed=3)
    assert drawn != choose(questions, ("easy", "medium"), count=9, seed=4)
    assert len({question.id for question in drawn}) == 9
    assert "hard" not in {question.level for question in drawn}
    with pytest.raises(DlgoError, match="has 10 questions .* or lower --count"):
        choose(questions, ("hard",), count=11)
    assert len(choose(questions, on_paper=True)) == 27
    with pytest.raises(DlgoError, match="9 questions .* without a comp.*or leave out --on-paper"):
        choose(questions, ("hard",), count=10, on_paper=True)


def test_questions_that_name_programs_of_dlgo_need_a_computer() -> None:
    for question in bank():
        names = re.search(r"`(ch\d\d\.|dlgo \w+ --|mcts:|alphago:)", question.text)
        assert question.computer or not names, question.id


@pytest.mark.parametrize(("text", "problem"), [
    ("[[question", "is not TOML"),
    ("[question]\nid = 1", "must consist of tables"),
    (QUESTION + QUESTION, "'one' is taken"),
    (QUESTION.replace('answer = "$2$"\n', ""), "question 1 lacks the key answer"),
    (QUESTION.replace('"$2$"', '" "'), "question 1: answer is empty"),
    (QUESTION.replace("easy", "simple"), "simple"),
    (QUESTION.replace("minutes = 5", "minutes = 0"), "minutes"),
    (QUESTION + "points = 3\n", "points"),
])
def test_a_faulty_file_is_named_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "page.toml").write_text(text)
    with pytest.raises(DlgoError) as caught:
        bank(folder=tmp_path)
    assert problem in str(caught.value) and "page.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_sheet_shows_formulas_and_only_the_lecturer_sees_answers(tmp_path: Path) -> None:
    pytest.importorskip("latex2mathml", reason="needs what the course is built with")
    (tmp_path / "page.toml").write_text(QUESTION)
    questions = bank(folder=tmp_path)
    sheet = write_exam(tmp_path / "exam.html", questions).read_text(encoding="utf-8")
    answers = write_exam(tmp_path / "answers.html", questions, answers=True).read_text("utf-8")
    assert "<math" in sheet and "$" not in sheet.partition("<body>")[2]
    assert "<mn>2</mn>" in answers and "<mn>2</mn>" not in sheet


def test_a_page_without_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "compare.toml").write_text(QUESTION)
    with pytest.raises(DlgoError, match="did you mean compare"):
        bank(["compar"], tmp_path)


def test_a_package_for_students_has_none(tmp_path: Path) -> None:
    with pytest.raises(DlgoError, match="built for students"):
        bank(folder=tmp_path / "questions")
