"""The bank of questions, and exams made from it: sheets of HTML that print.

    questions = choose(bank(["04_search"]), ("easy", "medium"), count=5, seed=1)
    write_exam(Path("exam.html"), questions)

The questions lie in `questions/`, which also says how they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dlgo.errors import DlgoError, SpecError
from dlgo.extras import require_extra
from dlgo.files import write_file
from dlgo.readers import read_toml
from dlgo.specs import suggest
from dlgo.text import number_of
from engines.learning.settings import Settings, setting

_FOLDER = Path(__file__).with_name("questions")
_TEMPLATES = Path(__file__).with_name("templates")
LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Question(Settings):
    """A question with its answer, both as Markdown with formulas between dollar signs."""

    owner: ClassVar[str] = "question"
    id: str = setting(None, "name of the question, unique in the bank")
    level: str = setting(None, "how hard it is", choices=LEVELS)
    text: str = setting(None, "the question")
    answer: str = setting(None, "its answer")
    minutes: int = setting(None, "minutes that a student needs", low=1, high=600, kind=int)
    computer: bool = setting(False, "whether students need a computer with dlgo")
    page: str = field(default="")  # that it belongs to


def bank(pages: Sequence[str] = (), folder: Path = _FOLDER) -> list[Question]:
    """The questions of the pages, by default of all, in their order.

    Raises DlgoError in a package for students, SpecError for a page without questions and for a
    question that lacks something.
    """
    if not folder.exists():
        raise DlgoError("this dlgo was built for students and has no questions for exams; install "
                        "one that was built without DLGO_STUDENT")
    files = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    for page in pages:
        if page not in files:
            raise SpecError(f"there are no questions on {page!r}{suggest(page, files)}; there are "
                            f"questions on {', '.join(files)}")
    owners: dict[str, Path] = {}
    questions = []
    for page, path in files.items():
        for number, table in enumerate(_tables(path), 1):
            question = _question(f"{path}: question {number}", table, page)
            if question.id in owners:
                raise SpecError(f"{path}: the id {question.id!r} is taken by a question of "
                                f"{owners[question.id].name}; choose another one")
            owners[question.id] = path
            if page in (pages or files):
                questions.append(question)
    return questions


def choose(
    questions: Sequence[Question], levels: Sequence[str] = (), count: int | None = None,
    seed: int = 1, on_paper: bool = False,
) -> list[Question]:
    """The questions of these levels, by default of all; with a `count`, that number of them, drawn
    at random; `on_paper`: only those that need no computer. Raises SpecError if there are fewer, or
    none."""
    fitting = [question for question in questions if question.level in (levels or LEVELS)
               and not (on_paper and question.computer)]
    wanted = len(fitting) if count is None else count
    if wanted > len(fitting) or not fitting:
        remedies = ["name more of them", *["lower --count"] * bool(fitting),
                    *["leave out --on-paper"] * on_paper]
        raise SpecError(f"the bank has {number_of(len(fitting), 'question')} of these pages and "
                        f"levels{' without a computer' if on_paper else ''}; "
                        f"{', or '.join(remedies)}")
    drawn = np.random.default_rng(seed).choice(len(fitting), size=wanted, replace=False)
    return [fitting[number] for number in sorted(drawn)]


def write_exam(path: Path, questions: Sequence[Question], answers: bool = False) -> Path:
    """Write the sheet of questions, with `answers` the lecturer's. Raises DlgoError if the packages
    that render Markdown and formulas are missing."""
    require_extra("course", "a sheet of questions", "markdown", "latex2mathml", "mkdocs")
    from markdown import markdown
    from markupsafe import Markup

    from experiments.course.pages import with_formulas
    from reports.page import environment

    def html(text: str) -> Markup:
        parts = ["sane_lists", "tables", "fenced_code"]
        return Markup(markdown(with_formulas(text), extensions=parts))

    template = environment(_TEMPLATES).get_template("exam.html")
    page = template.render(title="Answers" if answers else "Questions", questions=questions,
                           answers=answers, html=html)
    return write_file(path, page.encode())


def _tables(path: Path) -> list[Any]:
    tables = read_toml(path, error=SpecError)
    if {*tables} != {"question"} or not isinstance(tables["question"], list):
        raise SpecError(f"{path}: it must consist of tables [[question]]")
    return tables["question"]


def _question(owner: str, table: Any, page: str) -> Question:
    if not isinstance(table, dict):
        raise SpecError(f"{owner} is not a table")
    question = Question.from_table(owner, table, page=page)
    for key in ("id", "text", "answer"):
        if not getattr(question, key).strip():
            raise SpecError(f"{owner}: {key} is empty")
    return question
