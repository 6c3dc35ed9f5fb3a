"""How long the course takes: a page, and a week of a term. Tables of docs/term.md.

Times are estimates, in minutes. Reading: 60 words of prose a minute, which leaves time for the
formulas and the code, five minutes for each search in the page and ten for each *Try this*.
Questions: what their labels say. A graded exercise: 20 minutes, and two for each line of its
solution; 40 minutes for a prediction.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.classroom.exercise import written_exercises

_ROOT = Path(__file__).resolve().parents[2]
_CELL = re.compile(r"^# %%.*$", re.M)
_QUESTIONS = re.compile(r"^## (?:Questions|Exercises)$", re.M)
_ASIDE = re.compile(r"^```.*?^```$|^(?: {4}[^\n]*\n)+|<!--.*?-->|^\|[^\n]*$", re.M | re.S)
_LABEL = re.compile(r"\((?:easy|medium|hard), (\d+) (minute|hour)s?\)")
LECTURE = 90


@dataclass(frozen=True)
class Page:
    """A page of the course, with its times in minutes."""

    name: str
    title: str
    link: str  # from docs/
    reading: int
    questions: int


@dataclass(frozen=True)
class Week:
    """A week: numbers or names of pages, "04/2" for the half of one, and graded exercises."""

    topic: str
    pages: str
    exercises: str


# Search and AlphaZero take two weeks each.
TERMS = {
    14: [
        Week("Rules of Go", "02/2", "liberties captures"),
        Week("States, keys, speed", "02/2", "ko counting zobrist random_bot"),
        Week("Minimax and alpha-beta", "04/2",
             "rules_of_thumb minimax alpha_beta evaluation predict_alpha_beta"),
        Week("Monte Carlo tree search", "04/2", "uct rave predict_uct"),
        Week("Networks", "05", "dense encoder"),
        Week("Data", "07", "leaking_split"),
        Week("Bots and ratings", "08 compare", "elo better"),
        Week("Policy gradients", "09", "masking reinforce"),
        Week("Values", "11", "q_update"),
        Week("Actor-critic and PPO", "12", "advantages"),
        Week("AlphaGo", "13", "puct"),
        Week("AlphaZero: the program", "14/2", "back_up noise"),
        Week("AlphaZero: experiments", "14/2 story", ""),
        Week("Projects and the final of the league", "", ""),
    ],
    10: [
        Week("Rules of Go", "02", "liberties captures ko"),
        Week("Minimax and alpha-beta", "04/2", "minimax alpha_beta predict_alpha_beta"),
        Week("Monte Carlo tree search", "04/2", "uct predict_uct"),
        Week("Networks", "05", "dense encoder"),
        Week("Data and ratings", "07 compare", "leaking_split elo"),
        Week("Policy gradients", "09", "masking reinforce"),
        Week("Values and critics", "11 12", "q_update advantages"),
        Week("AlphaGo", "13", "puct"),
        Week("AlphaZero: the program", "14/2", "back_up noise"),
        Week("AlphaZero: experiments; final of the league", "14/2 story", ""),
    ],
}


def course_pages() -> list[Page]:
    """The pages with questions or exercises, and the story, in the order of the site."""
    notebooks = sorted((_ROOT / "notebooks").glob("[0-9]*.py"))
    return [*map(_page, notebooks),
            *(_page(_ROOT / f"docs/{name}.md") for name in ("compare", "build", "story"))]


def exercise_minutes() -> dict[str, int]:
    """The minutes of each exercise in which students write functions or predict a search."""
    return {name: 40 if exercise.is_prediction
            else _rounded(20 + 2 * len(exercise.solution_lines()))
            for name, exercise in written_exercises().items()}


def page_rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table of pages: page, reading, questions, exercises, all together."""
    pages, minutes = course_pages(), exercise_minutes()
    chapters = [page.name[:2] for page in pages if page.name[0].isdigit()]
    graded = dict.fromkeys(chapters, 0)
    for name, exercise in written_exercises().items():
        chapter = chapters[bisect_right(chapters, f"{exercise.chapter:02}") - 1]
        graded[chapter] += minutes[name]
    for page in pages:
        parts = page.reading, page.questions, graded.get(page.name[:2], 0)
        yield (f"[{page.title}]({page.link})", *map(str, (*parts, sum(parts))))


def week_rows(weeks: int) -> Iterator[tuple[str, ...]]:
    """The rows of the table of a term: number, topic, exercises, minutes of each; the last column
    adds the lecture."""
    pages, minutes = {page.name: page for page in course_pages()}, exercise_minutes()
    for number, week in enumerate(TERMS[weeks], 1):
        links, reading, questions = [], 0, 0
        for text in week.pages.split():
            start, _, share = text.partition("/")
            page = next(page for name, page in pages.items() if name.startswith(start))
            links.append(f"[{page.name[:2] if page.name[0].isdigit() else page.name}]({page.link})")
            reading += _rounded(page.reading / int(share or 1))
            questions += _rounded(page.questions / int(share or 1))
        exercises = week.exercises.split()
        parts = reading, questions, sum(minutes[name] for name in exercises)
        yield (str(number), f"{week.topic} ({', '.join(links)})" if links else week.topic,
               ", ".join(f"`{name}`" for name in exercises),
               *map(str, (*parts, LECTURE + sum(parts))))


def _page(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        cells = zip(_CELL.findall(text), _CELL.split(text)[1:], strict=True)
        text = "\n".join(re.sub(r"^# ?", "", cell, flags=re.M)
                         for head, cell in cells if "[markdown]" in head)
    heading = re.search(r"^# (.+)", text, re.M)
    prose = _ASIDE.sub("", _QUESTIONS.split(text)[0])
    hours = {"minute": 1, "hour": 60}
    return Page(
        name=path.stem, title=heading[1] if heading else path.stem,
        link=path.name if path.suffix == ".md" else f"../notebooks/{path.name}",
        reading=_rounded(len(prose.split()) / 60 + 5 * text.count("<!-- try: ")
                         + 10 * prose.count("**Try this.**")),
        questions=sum(int(number) * hours[unit] for number, unit in _LABEL.findall(text)),
    )


def _rounded(minutes: float) -> int:
    """To five minutes, upwards."""
    return -int(-minutes // 5) * 5
