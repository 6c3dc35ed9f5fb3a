"""Pages of the league: one for everybody, one for the lecturer, one for each student alone.

Students see others by pseudonym, if the rules say so, and hidden staff bots by their role.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from dlgo.files import make_folder, write_file
from dlgo.records.ledger import GameRecord
from experiments.classroom.league_bots import Bot
from experiments.classroom.outputs import TRUSTED
from experiments.classroom.standings import Standing, Standings
from reports.page import environment, rating_rows
from reports.replays import replay

_TEMPLATES = Path(__file__).with_name("templates")
_TITLE = "The league"
# Lost games on a student's page: a long game takes a tenth of a megabyte.
_MOST_GAMES = 24
LATE = "handed in late"


def write_pages(out: Path, standings: Standings, shown: Mapping[str, str]) -> None:
    """Write `leaderboard.html`, `lecturer.html` and `students/NAME.html`.

    Args:
        out: the league's folder.
        standings: what there is to tell.
        shown: how others see each student.
    """
    league = standings.league
    names = {bot.entrant: shown[bot.student] for bot in league.bots if bot.entrant}
    names |= {bot.entrant: bot.role for bot in league.plan.staff}
    real = {bot.entrant: bot.student for bot in league.bots if bot.entrant}
    real |= {bot.entrant: bot.label for bot in league.plan.staff}
    pages = environment(_TEMPLATES)
    common = {
        "title": _TITLE, "game": league.plan.game, "date": date.today().isoformat(),
        "trusted": TRUSTED if league.trusted else "", "complete": league.complete,
    }
    for file, called, people in (
        ("leaderboard.html", _apart(names), shown),
        ("lecturer.html", _apart(real), {bot.student: bot.student for bot in league.bots}),
    ):
        rows = [] if file == "leaderboard.html" else [
            {
                "student": standing.bot.student, "shown": shown[standing.bot.student],
                "standing": standing, "hand_in": hand_in_text(standing.bot),
                "remarks": remarks_of(standings, standing.bot),
            }
            for standing in standings.students
        ]
        write_file(out / file, pages.get_template("leaderboard.html").render(
            **common, **_rated(standings, called), rows=rows, games=standings.games,
            students=sum(bool(bot.entrant) for bot in league.bots),
            staff=_staff(standings, called, people),
        ))
    make_folder(out / "students")
    own = _rated(standings, _apart(names))
    places = [item["row"] for item in own["view"]["rows"]] if own["view"] else []
    template = pages.get_template("league_student.html")
    for standing in standings.students:
        bot = standing.bot
        called = _apart(names) | {bot.entrant: bot.student}
        place, row = next(
            ((number, row) for number, row in enumerate(places, 1)
             if row.entrant == _apart(names).get(bot.entrant)), (0, None),
        )
        chosen = _choose(standing)
        write_file(out / "students" / f"{bot.student}.html", template.render(
            **common, student=bot.student, shown=shown[bot.student], standing=standing, row=row,
            place=place, entrants=len(places), hand_in=hand_in_text(bot),
            remarks=remarks_of(standings, bot),
            first_wins={key: moment[:10] for key, moment in standing.first_wins.items()},
            replays=_replays(chosen, called), shown_games=len(chosen),
            left_out=len(standing.lost) - len(chosen),
        ))


def hand_in_text(bot: Bot) -> str:
    """Which hand-in counts, in words."""
    if not bot.entrant:
        return "none that can play"
    text = bot.hand_in or "the only one"
    return f"{text}, {LATE}" if bot.late else text


def remarks_of(standings: Standings, bot: Bot) -> list[str]:
    """What is to be said about a hand-in."""
    excluded = standings.league.excluded.get(bot.entrant, "")
    return [*bot.notes, *([LATE] if bot.late else []), *([excluded] if excluded else [])]


def _apart(names: Mapping[str, str]) -> dict[str, str]:
    """The names, those that two have made different."""
    values = list(names.values())
    return {
        entrant: name if values.count(name) == 1 else f"{name} ({entrant})"
        for entrant, name in names.items()
    }


def _rated(standings: Standings, names: Mapping[str, str]) -> dict[str, Any]:
    rated = standings.ratings(names)
    if rated is None:
        return {"view": None, "zero": "", "notes": []}
    table, rows = rated
    notes = [rating for rating in table.ratings if rating.note]
    return {"view": rating_rows(table, rows), "zero": table.zero_text(), "notes": notes}


def _staff(
    standings: Standings, names: Mapping[str, str], people: Mapping[str, str]
) -> list[dict[str, Any]]:
    rows = []
    for number, bot in enumerate(standings.league.plan.staff):
        first = standings.pioneer(bot)
        rows.append({
            "bot": bot, "name": names[bot.entrant],
            "beaten": sum(standing.marks[number].beaten for standing in standings.students),
            "first": (people[first[0]], first[1][:10]) if first else None,
        })
    return rows


def _choose(standing: Standing) -> list[GameRecord]:
    """Lost games to show: one against each opponent first, then others."""
    me, seen = standing.bot.entrant, set()
    first, others = [], []
    for game in standing.lost:
        opponent = game.second if game.first == me else game.first
        (others if opponent in seen else first).append(game)
        seen.add(opponent)
    return [*first, *others][:_MOST_GAMES]


def _replays(games: list[GameRecord], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the viewer shows, with nothing that tells who an opponent is."""
    if not games:
        return []
    shown = []
    for game in games:
        told = dataclasses.replace(
            game, first=names[game.first], second=names[game.second], slot=""
        )
        if (data := replay(told, "failure" if game.failed else "lost")) is not None:
            shown.append(data)
    return [{"game": games[0].game, "games": shown}] if shown else []
