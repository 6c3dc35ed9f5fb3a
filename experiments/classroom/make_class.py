"""A demo class: good, weak, broken, late and hostile hand-ins, and resubmissions.

    python -m experiments.classroom.make_class demo
    dlgo class grade demo/hand-ins --roster demo/class.csv --due 2026-11-20T23:59 --out demo/marks
    dlgo class league demo/hand-ins --plan demo/league.toml --out demo/league

All students hand in a bot, and all but the hostile ones also four exercises.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from datetime import datetime
from itertools import cycle
from pathlib import Path

import click

from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_csv, write_file
from experiments.classroom.exercise import get_exercise
from experiments.classroom.hostile_bot import ATTACKS
from experiments.command import run
from experiments.options import Number

_EXERCISES = ("liberties", "ko", "minimax", "elo")
_LATE, _IN_TIME = "2026-11-21T0930", "2026-11-20T1800"
_WRITTEN = datetime(2026, 11, 20, 12).timestamp()
_LEAGUE = """\
game = "{game}"
due = 2026-11-20T23:59:00
roster = "class.csv"
pseudonyms = true
staff_pairs = {staff_pairs}
pairs = 1
move_seconds = 3
game_seconds = 20
participation = 1

[[staff]]
engine = "random"
points = 2

[[staff]]
engine = "alphabeta:depth=2"
points = 3

[[staff]]
engine = "mcts:sims=100"
hidden = true
points = 3

[[staff]]
engine = "mcts:sims=1000"
hidden = true
points = 3
confidence = 0.8
"""
# What broken bots are; each is refused, or loses by it.
_BROKEN = (
    "def select_move(state:\n    return None\n",
    "def select_move(state):\n    moves = state.legal_moves()\n    return moves[len(moves)]\n",
    "import time\ntime.sleep(1000)\n",
    "def select_move(state):\n    if state.moves()[3:]:\n        return 'Z99'\n"
    "    return state.legal_moves()[-1]\n",
    "def choose(state):\n    return state.legal_moves()[0]\n",
)
_KINDS = ("good", "weak", "hostile", "broken", "late", "twice", "hostile", "zipped", "weak", "good")


def make_class(folder: Path, students: int, game: str, staff_pairs: int = 5) -> list[str]:
    """Write hand-ins, a roster and the league's rules into a new folder; return students' names.

    The kinds of students, in their names, take turns; `staff_pairs`: openings with a staff bot.
    """
    if folder.exists() and any(folder.iterdir()):
        raise DlgoError(f"{folder} is not empty; name a new folder")
    hand_ins = make_folder(folder / "hand-ins")
    names = []
    for number, kind in zip(range(students), cycle(_KINDS), strict=False):
        names.append(f"{kind}{number + 1:02d}")
        _hand_in(kind, hand_ins / names[-1], number)
    write_csv(folder / "class.csv", ["student", "group"], [
        [name, "AB"[number % 2]] for number, name in enumerate(names)
    ])
    write_file(folder / "league.toml", _LEAGUE.format(game=game, staff_pairs=staff_pairs))
    return names


def _hand_in(kind: str, place: Path, number: int) -> None:
    match kind:
        case "good":
            _write(place, bot(2 + number % 2), True)
        case "weak":
            _write(place, bot(number % 2), False)
        case "hostile":  # the attacks in turn; what is in the folder is an attack as well
            write_hostile(place, ATTACKS[number // 2 % len(ATTACKS)])
        case "broken":
            _write(place, _BROKEN[number // 10 % len(_BROKEN)], False)
        case "late":
            _write(place / _IN_TIME, bot(0), False)
            _write(place / _LATE, bot(1), True)
        case "twice":
            _write(place / "1", bot(1), True)
            _write(place / "2", _BROKEN[0], True)
        case "zipped":
            _write(place, bot(1), True)
            _keep_date(Path(shutil.make_archive(str(place), "zip", place)))
            shutil.rmtree(place)


def write_hostile(place: Path, attack: str) -> None:
    """Write a hand-in with an attack, links to others' work and a bomb of zeros. Without links
    where the system forbids them, as Windows does."""
    make_folder(place)
    write_file(place / "bot.py", _source("hostile_bot.py", "ATTACK", f'"{attack}"'))
    with suppress(OSError):
        (place / "grades.csv").symlink_to("../../class.csv")
        (place / "others").symlink_to("..")
    with (place / "bomb.bin").open("wb") as file:
        file.truncate(1 << 30)
    _keep_date(place / "bot.py", place / "bomb.bin")


def _write(place: Path, source: str, solved: bool) -> None:
    make_folder(place)
    write_file(place / "bot.py", source)
    for name in _EXERCISES:
        exercise = get_exercise(name)
        right, wrong = next(iter(exercise.planted.values()))
        text = exercise.solution() if solved else exercise.solution().replace(right, wrong)
        write_file(place / f"{name}.py", text)
    _keep_date(*place.iterdir())


def _keep_date(*paths: Path) -> None:
    """What has no date in its name was written in time."""
    for path in paths:
        os.utime(path, (_WRITTEN, _WRITTEN))


def bot(depth: int) -> str:
    """The source of a bot that looks some plies ahead."""
    return _source("sample_bot.py", "DEPTH", str(depth))


def _source(file: str, constant: str, value: str) -> str:
    """One of the bots beside this file, with a constant set."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return re.sub(rf"^{constant} = .*$", f"{constant} = {value}", text, count=1, flags=re.M)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--students", type=Number(int, 2, 1000), default=30, show_default=True,
              help="Number of students.")
@click.option("--game", default="connect4", show_default=True, help="Game of the league.")
def main(folder: Path, students: int, game: str) -> None:
    """Write a class's hand-ins, its roster and the rules of its league."""
    names = make_class(folder, students, game)
    click.echo(f"wrote hand-ins of {len(names)} students to {folder / 'hand-ins'}")


if __name__ == "__main__":
    run(main)
