"""Pages of a class: grades; the league for the public, for the lecturer, and for each student.

What students have written is escaped. In the league, students see others by pseudonym, if the rules
say so, and hidden staff bots by their role.
"""

from __future__ import annotations

import csv
import dataclasses
import secrets
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from dlgo.digests import hex_digest
from dlgo.errors import ForeignFileError
from dlgo.files import make_folder, write_csv, write_file
from dlgo.readers import reading
from dlgo.records.game_record import GameRecord
from experiments.classroom.grading import TRUSTED, Grade, notes_of, shortest
from experiments.classroom.standings import Standing, Standings
from reports.page import environment, rating_rows
from reports.replays import replay

_TEMPLATES = Path(__file__).with_name("templates")
# Lost games on a student's page: a long game takes a tenth of a megabyte.
_MOST_GAMES = 24
# Bytes of a student's name in the name of a file: at most 255 with what is added while it is
# written.
_LONGEST_NAME = 100
_QUALITIES = (
    "Amber", "Brave", "Calm", "Clever", "Coral", "Early", "Gentle", "Golden", "Happy", "Honest",
    "Keen", "Lively", "Lucky", "Merry", "Noble", "Patient", "Proud", "Quick", "Quiet", "Silver",
    "Steady", "Swift", "Tidy", "Wise",
)
_ANIMALS = (
    "Badger", "Beaver", "Bison", "Crane", "Dolphin", "Falcon", "Finch", "Fox", "Hare", "Heron",
    "Ibex", "Lynx", "Marten", "Mole", "Newt", "Otter", "Owl", "Panda", "Puffin", "Raven", "Robin",
    "Seal", "Stork", "Wren",
)


def pseudonyms(path: Path, students: Iterable[str]) -> dict[str, str]:
    """The pseudonym of each student; the CSV file at `path` keeps them, and new ones are drawn.

    If they were computed from names, students could compute them. Raises DlgoError if the file is
    damaged.
    """
    names = {"student": "pseudonym"}
    with reading(path, "list of pseudonyms", restore="restore it from a copy, or rename it to draw "
                 "new pseudonyms"):
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                names = dict(csv.reader(file))
            if names.get("student") != "pseudonym":
                raise ForeignFileError("it does not begin with student,pseudonym")
    free = {f"{quality} {animal}" for quality in _QUALITIES for animal in _ANIMALS}
    free -= set(names.values())
    for student in students:
        if student not in names:
            name = secrets.choice(sorted(free)) if free else f"Player {len(names)}"
            names[student] = name
            free.discard(name)
    header, *rows = names.items()
    write_csv(path, header, rows)
    return names


def page_name(student: str) -> str:
    """The file of a student's page: file systems limit the length of names."""
    if len(student.encode()) > _LONGEST_NAME:
        student = f"{student[:40]}-{hex_digest(student, 12)}"
    return f"{student}.html"


def write_grades(
    folder: Path, grades: Mapping[str, list[Grade]], exercises: list[str], due: str = "",
    feedback: bool = True, absent: Iterable[str] = (), dues: Mapping[str, str] | None = None,
) -> None:
    """Write the class's page, `grades.html`, and `students/NAME.html` for each student alone;
    without `feedback`, students only see that their work has come. `due`: the deadline in words.
    `absent`: who handed in nothing, for the class's page. `dues`: each student's own deadline."""
    template = environment(_TEMPLATES).get_template("grades.html")
    students = make_folder(folder / "students")
    pages = [(folder / "grades.html", grades, ""), *(
        (students / page_name(student), {student: row}, student)
        for student, row in grades.items())]
    for path, rows, student in pages:
        write_file(path, template.render(
            rows=rows, exercises=exercises, date=date.today().isoformat(), student=student,
            due=(dues or {}).get(student, due), feedback=feedback or not student, points=shortest,
            absent=() if student else absent,
            trusted=TRUSTED if any(grade.trusted for row in rows.values() for grade in row) else "",
            notes=notes_of,
        ))


def write_league(
    out: Path, standings: Standings, shown: Mapping[str, str], final: bool = False
) -> None:
    """Write `leaderboard.html`, `lecturer.html`, `students/NAME.html` into the folder `out`.

    `shown` is how others see each student; with `final`, the leaderboard shows the seed.
    """
    league, pages = standings.league, environment(_TEMPLATES)
    staff = league.plan.staff
    bots = [bot for bot in league.bots if bot.entrant]
    public = _distinct({bot.entrant: shown[bot.student] for bot in bots}
                       | {bot.entrant: bot.role for bot in staff})
    real = _distinct({bot.entrant: bot.student for bot in bots}
                     | {bot.entrant: bot.name for bot in staff})

    def write(path: str, template: str, **content: Any) -> None:
        write_file(out / path, pages.get_template(template).render(
            page_name=page_name,
            title="The league", game=league.plan.game, date=date.today().isoformat(),
            trusted=TRUSTED if league.trusted else "", complete=league.complete,
            most_pairs=league.plan.most_pairs, participation=league.plan.participation,
            **content,
        ))

    for path, names, rows in (("lecturer.html", real, standings.students),
                              ("leaderboard.html", public, [])):
        ratings = _ratings(standings, names)
        write(path, "leaderboard.html", rows=rows, shown=shown, names=names, staff=staff,
              students=len(bots), all_students=standings.students, games=len(standings.games),
              seed=league.seed if final else None, **ratings)
    make_folder(out / "students")
    ranking = [item["row"] for item in ratings["view"]["rows"]] if ratings["view"] else []
    places = {row.entrant: (place, row) for place, row in enumerate(ranking, 1)}
    for standing in standings.students:
        bot = standing.bot
        place, row = places.get(public.get(bot.entrant), (0, None))
        lost_games = _choose(standing)
        write(f"students/{page_name(bot.student)}", "league_student.html", student=bot.student,
              shown=shown[bot.student], standing=standing, row=row, place=place,
              entrants=len(ranking),
              replays=_replays(lost_games, public | {bot.entrant: bot.student}),
              shown_games=len(lost_games), left_out=len(standing.lost) - len(lost_games))


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """The names by entrant; where two have one name, the entrant is added."""
    values = list(names.values())
    return {
        entrant: name if values.count(name) == 1 else f"{name} ({entrant})"
        for entrant, name in names.items()
    }


def _ratings(standings: Standings, names: Mapping[str, str]) -> dict[str, Any]:
    result = standings.ratings(names)
    if result is None:
        return {"view": None, "zero": "", "notes": []}
    table, rows = result
    notes = [rating for rating in table.ratings if rating.note]
    return {"view": rating_rows(table, rows), "zero": table.zero_text(), "notes": notes}


def _choose(standing: Standing) -> list[GameRecord]:
    """Lost games to show: one against each opponent first, then others."""
    pairings: set[frozenset[str]] = set()
    first: list[Any] = []
    repeats: list[Any] = []
    for game in standing.lost:
        players = frozenset((game.first, game.second))
        (repeats if players in pairings else first).append(game)
        pairings.add(players)
    return [*first, *repeats][:_MOST_GAMES]


def _replays(games: list[GameRecord], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The data of the viewer, without anything that identifies an opponent."""
    entries = []
    for game in games:
        anonymous = dataclasses.replace(
            game, first=names[game.first], second=names[game.second], slot="")
        if (data := replay(anonymous, "failure" if game.failed else "lost")) is not None:
            entries.append(data)
    return [{"game": games[0].game, "games": entries}] if entries else []
