"""Facts about a class's league: attacks harm nobody, kills lose nothing, who counts and for what.

Leagues are played in this process here, which is quick. `--run-all` plays them in the sandbox,
too, with attackers and without, and kills one five times.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dlgo.api import GameSpec
from dlgo.errors import DlgoError
from dlgo.imports import imports_of
from dlgo.records.ledger import GameRecord, Ledger
from engines.jobs import Inline
from engines.programs import needed, sandbox
from engines.registry import build_engine
from experiments.arena import engine_cache, tournament
from experiments.arena.tournament import seed_of
from experiments.classroom import league_bots
from experiments.classroom.league_bots import Entry, entrant_name
from experiments.classroom.league_plan import read_league_plan
from experiments.classroom.make_class import bot, make_class, write_hostile
from tests.command import ROOT, Done, assert_one_line, dlgo_here
from tests.sandboxed import sandboxed

PLAN = """\
game = "tictactoe"
seed = 1
staff_pairs = 2
most_staff_pairs = 2
move_seconds = 5
game_seconds = 10
participation = 1
pseudonyms = true
roster = "class.csv"
due = 2026-11-20T23:59:00
[[staff]]
engine = "random"
hidden = true
points = 3
confidence = 0.6
"""
# It notices a second game in one process. (Before its first move, an engine warms up by one.)
COUNTS = """\
played = 0
def select_move(state):
    global played
    played += 1
    assert played < 8, "not a new process"
    return state.legal_moves()[-1]
"""


@dataclass
class AtHome:
    """Stands in for `IsolatedEngine`: the bot plays in this process, which takes no second."""

    spec: str
    game: GameSpec
    timeout: float
    sandbox: object = None
    pid: int = 0

    def __post_init__(self) -> None:
        self._engine = build_engine(self.spec, self.game)

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)


@pytest.fixture(autouse=True)
def bots_run_as_this_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trusted bots of root run as another user where there is one, who cannot enter the folders of
    tests."""
    for module in (league_bots, sandbox):
        monkeypatch.setattr(module, "other_user", lambda: 0)


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leagues are played in this process, one game after the other."""
    monkeypatch.setattr(engine_cache, "IsolatedEngine", AtHome)
    monkeypatch.setattr(league_bots, "IsolatedEngine", AtHome)
    monkeypatch.setattr(tournament, "Processes", lambda workers: Inline())


def league(capfd: pytest.CaptureFixture[str], folder: Path, *more: object) -> Done:
    return dlgo_here(capfd, "class", "league", folder / "hand-ins", "--plan",
                     folder / "league.toml", "--out", folder / "out", "--workers=1", *more)


def games_of(folder: Path) -> dict[str, GameRecord]:
    try:
        with Ledger(folder / "out/games.sqlite", read_only=True) as ledger:
            return {game.slot: game for game in ledger.games()}
    except DlgoError:  # there is none yet
        return {}


def moves_of(folder: Path, without: str = "nobody") -> dict[str, tuple[str, float, str]]:
    """Moves, result and reason by slot, without somebody's games."""
    return {
        slot: (game.moves, game.result, game.reason) for slot, game in games_of(folder).items()
        if without not in slot
    }


def marks(folder: Path) -> dict[str, list[str]]:
    header, *rows = list(csv.reader((folder / "out/marks.csv").open()))
    assert header == ["student", "name", "plays", "random", "total", "hand-in", "late"]
    return {row[0]: row for row in rows}


LAST = "def select_move(state):\n    return state.legal_moves()[-1]\n"


def write(folder: Path, attacks: tuple[str, ...] = (), ann: str = LAST) -> Path:
    """A class of two that play well enough, and attackers."""
    for student, hand_in, source in (
        ("ann", "2026-11-19", ann), ("ann", "2026-11-20", "def select_move(state:\n"),
        ("bo b", "2026-11-21T0800", bot(1)),
    ):
        place = folder / "hand-ins" / student / hand_in
        place.mkdir(parents=True)
        (place / "bot.py").write_text(source)
    for attack in attacks:
        write_hostile(folder / "hand-ins" / f"m_{attack}", attack)
    (folder / "class.csv").write_text('student,name\nbo b,"=B"\nann,A\nabsent,N\n')
    (folder / "league.toml").write_text(PLAN)
    return folder


def test_the_last_valid_hand_in_counts_and_students_see_no_names(tmp_path, capfd, at_home) -> None:
    folder = write(tmp_path)
    assert league(capfd, folder, "--trust").returncode == 0
    assert len(moves_of(folder)) == 2 * 4 + 2
    rows = marks(folder)
    assert rows["ann"][-2:] == ["2026-11-19", ""]
    assert rows["bo b"][-2:] == ["2026-11-21T0800", "late"]
    assert rows["bo b"][1] == "'=B", "no spreadsheet takes it for a formula"
    assert rows["absent"][2:] == ["no", "0", "0", "", ""]
    own = (folder / "out/students/ann.html").read_text()
    assert "hand-in 2026-11-20 cannot play" in own and "line 1" in own
    assert (folder / "out/students/bo b.html").read_text().count("handed in late") == 1
    assert "(1 for a game played to its end)" in own
    # By whom others are called: pseudonyms, and roles of hidden bots.
    names = dict(csv.reader((folder / "out/pseudonyms.csv").open()))
    public = (folder / "out/leaderboard.html").read_text()
    assert names["ann"] in public and names["bo b"] in own and "hidden bot 1" in public
    for page in (public, own):
        assert "bo b" not in page and "bo_b" not in page
        assert "random" not in page and "without a sandbox" in page
    lecturer = (folder / "out/lecturer.html").read_text()
    assert "bo b" in lecturer and ">random<" in lecturer and names["bo b"] in lecturer


def test_marks_go_by_confidence(tmp_path, capfd, at_home) -> None:
    """No bot is sure to 99% after 9 pairs; a better bot is soon sure to 50%, and plays no more."""
    folder = write(tmp_path)
    shutil.rmtree(folder / "hand-ins/ann")
    (folder / "hand-ins/bo b/2026-11-21T0800/bot.py").write_text(bot(2))
    plan = PLAN.replace("_pairs = 2", "_pairs = 9")
    for confidence, points in (("0.99", "1"), ("0.5", "4")):
        (folder / "league.toml").write_text(plan.replace("0.6", confidence))
        done = league(capfd, folder, "--trust")
        assert done.returncode == 0
        assert ("write most_staff_pairs = 11" in done.stderr) == (points == "1")
        assert marks(folder)["bo b"][4] == points and len(games_of(folder)) == 18
    (folder / "league.toml").write_text(plan.replace("0.6", "0.5").replace(" 9", " 2", 1).replace(
        " 9", " 50"))
    shutil.rmtree(folder / "out")
    assert league(capfd, folder, "--trust").returncode == 0
    assert marks(folder)["bo b"][4] == "4" and len(games_of(folder)) == 2 * 12


def test_nobody_can_try_versions_until_one_is_lucky(tmp_path, capfd, at_home) -> None:
    """The seed is secret until the end; against the staff, each version has openings of its own, of
    which earlier ones and other students say nothing."""
    seeds = set()
    for name in ("one", "two"):
        folder = write(tmp_path / name)
        (folder / "league.toml").write_text(PLAN.replace("seed = 1\n", ""))
        assert league(capfd, folder, "--trust").returncode == 0
        seeds.add(seed_of(folder / "out/games.sqlite"))
    assert len(seeds) == 2 and min(seeds) > 2**32
    seed, before = str(seed_of(folder / "out/games.sqlite")), games_of(folder)
    assert stat.S_IMODE((folder / "out/games.sqlite").stat().st_mode) == 0o600
    pages = [folder / "out/leaderboard.html", *(folder / "out/students").glob("*.html")]
    drawn = [seed, *(str(game.seed) for game in before.values())]
    assert not any(text in page.read_text() for page in pages for text in drawn)
    place = folder / "hand-ins/ann/2026-11-20T12:00"
    place.mkdir()
    (place / "bot.py").write_text(f"{LAST}# Please win.\n")
    done = league(capfd, folder, "--trust", "--final", "--minutes=0")
    assert "the seed stays secret" in done.stderr and seed not in pages[0].read_text()
    done = league(capfd, folder, "--trust", "--final")
    assert f"seed of the games: {seed}" in done.stdout and seed in pages[0].read_text()
    openings = [{(game.pair, game.opening, game.seed) for slot, game in games_of(folder).items()
                 if student in slot and "random" in slot and (slot in before) == known}
                for student, known in (("ann", True), ("ann", False), ("bo_b", True))]
    assert all(openings) and not openings[0] & openings[1] and not openings[0] & openings[2]
    assert marks(folder)["ann"][-2] == "2026-11-20T12:00"


def test_who_has_an_extension_is_not_late(tmp_path, capfd, at_home) -> None:
    folder = write(tmp_path)
    for extension, late in (
        ("", "late"), ("1", ""), ("2026-11-21", ""), ("2026-11-21T07:00", "late"),
    ):
        (folder / "class.csv").write_text(f"student,extension\nbo b,{extension}\nann,\n")
        assert league(capfd, folder, "--trust", "--minutes=0").returncode == 0
        rows = csv.DictReader((folder / "out/marks.csv").open())
        assert [row["late"] for row in rows] == [late, ""]
        page = (folder / "out/lecturer.html").read_text()
        assert page.count("handed in late") == (late == "late"), "said once"
    (folder / "class.csv").write_text("student,extension\nbo b,soon\n")
    done = league(capfd, folder, "--trust")
    assert done.returncode == 2 and "the extension 'soon' of bo b is neither" in done.stderr


def test_all_versions_count_and_points_stay(tmp_path, capfd, at_home) -> None:
    """Versions are those of the ledger: whatever lies in the folder today, also under another name
    of a student whose number the roster knows. Comments and spaces make new versions."""
    folder = write(tmp_path)
    shutil.rmtree(folder / "hand-ins/bo b")
    shutil.rmtree(folder / "hand-ins/ann")
    (folder / "class.csv").write_text("student,name\n4711,A\n")
    plan = PLAN.replace("0.6", "0.5").replace("_pairs = 2", "_pairs = 9")
    (folder / "league.toml").write_text(plan)
    for number, (student, source) in enumerate([
        ("a_4711", bot(2)), ("a_4711", f"{LAST}\n"), ("Ann_4711", f"{LAST} \n"), ("4711", LAST),
    ], 1):
        place = folder / "hand-ins" / student
        place.mkdir(parents=True)
        (place / "bot.py").write_text(source)
        assert league(capfd, folder, "--trust").returncode == 0
        shutil.rmtree(folder / "hand-ins")
        assert marks(folder)["4711"][3] == "3", "a staff bot stays beaten"
        page = (folder / f"out/students/{student}.html").read_text()
        assert (f"version 1 of {number}" in page) == (number > 1)
    # What has a name without the number, or a new folder of games, begins again.
    for student in ("zoe", "4711"):
        (folder / "hand-ins" / student).mkdir(parents=True)
        (folder / "hand-ins" / student / "bot.py").write_text(LAST)
        assert league(capfd, folder, "--trust").returncode == 0
        assert "version 1 of" not in (folder / f"out/students/{student}.html").read_text()
        shutil.rmtree(folder / "out")


# Ways to let a built-in engine play, and a look at its files.
BORROWERS = {
    "imports": "import engines.solver.engine\ndef select_move(state):\n"
               "    return state.legal_moves()[0]\n",
    "builds": "from engines.registry import build_engine\ndef select_move(state):\n"
              "    return build_engine('solver', state.game).select_move(state).move\n",
    "reads": "import engines, pathlib\nfrom engines.base import Decision\n"
             "def select_move(state):\n"
             "    folder = pathlib.Path(engines.__file__).parent\n"
             "    assert not [*folder.glob('s*/*.book'), *folder.glob('models/*')], 'a book'\n"
             "    return Decision(state.legal_moves()[0])\n",
}


MAY_IMPORT = "is not available to your bot, which may import the standard library, NumPy, dlgo"
PACKAGES = Path(pytest.__file__).parents[1]
# Ways to load what else is installed: here pytest, and Numba, which dlgo needs.
LOADERS = {
    "statement": "import pytest\n",
    "member": "from pytest.fixtures import x\n",
    "loaded": "import numba\n",
    "importlib": "import importlib\nimportlib.import_module('pytest')\n",
    "late": "class Bot:\n    def select_move(self, state):\n        import pytest\n",
}
# Ways around the refusal: the files are hidden, too.
INTRUDERS = {
    "unguarded": "import sys, builtins\ndel sys.meta_path[0]\n"
                 f"sys.path.insert(0, {str(PACKAGES)!r})\n"
                 "raise RuntimeError(f'got {__import__(\"pyte\" + \"st\")}')\n",
    "runs": "import subprocess, sys\n"
            "assert subprocess.run([sys.executable, '-c', 'import numpy']).returncode == 0\n"
            "raise RuntimeError('got' if subprocess.run([sys.executable, '-c', 'import pytest'])"
            ".returncode == 0 else 'nothing')\n",
    "reads": f"open({str(PACKAGES / 'pytest/__init__.py')!r})\nraise RuntimeError('got it')\n",
    "lists": "import glob, os, sys\n"
             "found = [path for end in ('lib*/python3*/*-packages/pytest', 'bin/pytest*',"
             " 'bin/p[ei]*')\n"
             f"         for prefix in ({sys.prefix!r}, {sys.base_prefix!r}, '/usr', '/usr/local')\n"
             "         for path in glob.glob(os.path.join(prefix, end))]\n"
             "raise RuntimeError(f'got {found}' if found else 'nothing')\n",
    "walks": "import os\n"
             "found = [os.path.join(place, name) for place, folders, files in os.walk('/')\n"
             "         for name in (*folders, *files) if name in ('pytest', '_pytest', 'solver',"
             " 'exercises', 'games.sqlite') and not place.startswith('/proc')]\n"
             "raise RuntimeError(f'got {found}' if found else 'nothing')\n",
}
PLAYS = "def select_move(state):\n    return state.legal_moves()[0]\n"
HONEST = "import math, numpy, dlgo, helper\nfrom engines.base import Decision\n" + PLAYS


def entries(
    capfd: pytest.CaptureFixture[str], folder: Path, bots: dict[str, str], *more: str
) -> dict[str, str]:
    """What the league says of hand-ins, by student."""
    for name, source in bots.items():
        (folder / "hand-ins" / name).mkdir(parents=True)
        (folder / "hand-ins" / name / "bot.py").write_text(source)
        (folder / "hand-ins" / name / "helper.py").write_text("")
    (folder / "class.csv").write_text("student\n")
    done = league(capfd, folder, "--minutes=0", *more)
    assert done.returncode == 0, done.stderr
    lines = [line.partition(": ") for line in done.stderr.splitlines()]
    return {name: text for name, _, text in lines if name in bots}


@pytest.mark.slow
@sandboxed
def test_bots_have_the_engines_that_the_rules_name_and_no_others(tmp_path, capfd) -> None:
    for allow, refused in (("", ("imports", "builds")), ('allow = ["solver"]\n', ("reads",))):
        (tmp_path / "league.toml").write_text(f'game = "connect4"\nroster = "class.csv"\n{allow}')
        for name, line in entries(capfd, tmp_path, BORROWERS).items():
            assert ("cannot play" in line) == (name in refused), line
            if not allow and name in refused:
                assert "engines.solver" in line and MAY_IMPORT in line and "line " in line
        shutil.rmtree(tmp_path / "hand-ins")


@pytest.mark.slow
@sandboxed
def test_bots_import_numpy_dlgo_and_nothing_else_that_is_installed(tmp_path, capfd) -> None:
    (tmp_path / "league.toml").write_text('game = "tictactoe"\nroster = "class.csv"\n')
    told = entries(capfd, tmp_path, {"honest": HONEST, **LOADERS, **INTRUDERS})
    assert told.pop("honest") == "the hand-in plays"
    for name in LOADERS:
        assert MAY_IMPORT in told[name] and "line " in told[name], told[name]
    for name in INTRUDERS:
        assert "cannot play" in told[name] and "got" not in told[name], told[name]


@pytest.mark.slow
def test_without_a_sandbox_imports_are_refused_in_words_and_limits_remain(tmp_path, capfd) -> None:
    (tmp_path / "league.toml").write_text('game = "tictactoe"\nroster = "class.csv"\n')
    told = entries(capfd, tmp_path, {
        "honest": HONEST, **LOADERS, "imports": BORROWERS["imports"],
        "eats": f"import os\nos.environ['HOME']\nx = bytearray(1 << 30)\n{PLAYS}",
    }, "--trust")
    assert told.pop("honest") == "the hand-in plays"
    assert "out of memory" in told.pop("eats")
    assert all(MAY_IMPORT in text and "line " in text for text in told.values()), told


def test_other_users_read_copies_only_where_trusted_bots_run_as_one(tmp_path, monkeypatch) -> None:
    plan = tmp_path / "league.toml"
    plan.write_text('game = "tictactoe"\n')
    (tmp_path / "hand-in").mkdir()
    (tmp_path / "hand-in/bot.py").write_text(PLAYS)
    monkeypatch.setattr(league_bots, "IsolatedEngine", AtHome)

    def enter(out: Path) -> Entry:
        entry = Entry(read_league_plan(plan), out, True, out / "games.sqlite")
        assert entry.bot_of("ann", tmp_path / "hand-in", print).folder is not None
        return entry

    enter(tmp_path / "out")
    assert stat.S_IMODE((tmp_path / "out/bots").stat().st_mode) == 0o700
    monkeypatch.setattr(league_bots, "other_user", lambda: os.getgid() or 4711)
    monkeypatch.setattr(sandbox, "other_user", lambda: os.getgid() or 4711)
    tmp_path.chmod(0o700)
    with pytest.raises(DlgoError, match="runs bots as another user, who cannot enter"):
        enter(tmp_path / "out")
    modes = {folder: folder.stat().st_mode for folder in (tmp_path, *tmp_path.parents)}
    closed = {folder: mode for folder, mode in modes.items() if not mode & 0o001}
    try:
        for folder, mode in closed.items():
            folder.chmod(mode | 0o001)
        enter(tmp_path / "out")
    finally:
        for folder, mode in closed.items():
            folder.chmod(mode)
    assert stat.S_IMODE((tmp_path / "out/bots").stat().st_mode) == 0o710


def test_bots_see_the_packages_that_dlgo_imports() -> None:
    """Those of its adapters only where their user has them."""
    files = [path for path in (ROOT / "dlgo").rglob("*.py") if "adapters" not in path.parts]
    tops = {name.partition(".")[0] for file in files for name in imports_of(file)}
    tops -= {*sys.stdlib_module_names, "dlgo", "engines", "experiments"}
    tops -= {"processes"}  # a script of dlgo imports the file beside it
    assert tops == {*needed.OF_DLGO} == {*needed.packages(())}
    assert {*needed.packages((), ("pytest",))} >= {"pytest", "_pytest", "pluggy"}


def test_whoever_fails_in_all_games_has_not_taken_part(tmp_path, capfd, at_home) -> None:
    folder = write(tmp_path, ann="def select_move(state):\n    return state.moves() or 'A1'\n")
    assert league(capfd, folder, "--trust").returncode == 0
    rows = marks(folder)
    assert rows["ann"][2:5] == ["no", "0", "0"] and rows["bo b"][2] == "yes"
    assert int(rows["bo b"][4]) == int(rows["bo b"][3]) + 1


def test_whoever_hands_in_again_plays_again_and_nobody_else(tmp_path, capfd, at_home) -> None:
    folder = write(tmp_path)
    assert league(capfd, folder, "--trust").returncode == 0
    before = moves_of(folder)
    place = folder / "hand-ins/ann/2026-11-20T12:00"
    place.mkdir()
    (place / "bot.py").write_text(
        "def select_move(state):\n    return [][0]  # nothing is there\n"
    )
    assert league(capfd, folder, "--trust").returncode == 0
    assert moves_of(folder) == before, "a bot that cannot move does not count"
    (place / "bot.py").write_text(
        "def select_move(state):\n"
        "    if len(state.moves()) > 2:\n"
        "        return [][0]  # <nothing> is there\n"
        "    return state.legal_moves()[0]\n"
    )
    done = league(capfd, folder, "--trust", "--minutes=0")
    # The bot's first 2 games with the staff bot, 2 more, and 2 with the other student.
    assert moves_of(folder) == before and "time is up; 6 games left" in done.stderr
    assert "Not all games" in (folder / "out/leaderboard.html").read_text()
    assert league(capfd, folder, "--trust").returncode == 0
    after = moves_of(folder)
    assert before.items() <= after.items()
    new = {slot for slot in after if slot not in before}
    assert len(new) == 2 and all(entrant_name("ann") in slot for slot in new), new
    page = (folder / "out/students/ann.html").read_text()
    assert "it failed in 2 of its first 2 games" in page
    assert "bot.py, line 3" in page and "return [][0]  # &lt;nothing&gt; is there" in page


def test_a_flood_of_hand_ins_costs_ten_trials(tmp_path, capfd, at_home) -> None:
    folder = write(tmp_path)
    for number in range(1, 13):
        place = folder / "hand-ins/cy" / str(number)
        place.mkdir(parents=True)
        (place / "bot.py").write_text(LAST if number < 3 else "1 / 0\n")
    done = league(capfd, folder, "--trust", "--minutes=0")
    assert done.stderr.count("cy: hand-in") == 11 and "cy: hand-in 3 cannot play" in done.stderr
    assert "cy: hand-ins up to 2 were not tried, only the last 10" in done.stderr


def test_bad_rules_and_damaged_files_give_one_line(tmp_path, capfd, at_home) -> None:
    folder = write(tmp_path / "class")
    for text, part in (
        ("gaem = 1", "has no key 'gaem' (did you mean game?)"),
        ("pairs = 0", "pairs=0 is out of range (1 to 1,000)"),
        ("due = 5", "due=5 is not a date"),
        ("game = 'goo'", "unknown game 'goo' (did you mean go?)"),
        ("game = 'mine.py:Mine'", "is a file, which the sandbox cannot read"),
        ("game = ", "is not TOML"),
        ("pseudonyms = yes", "write pseudonyms = true"),
        ("roster = 'none.csv'", "none.csv cannot be read"),
        ("allow = ['mtcs']", "is not the name of a built-in engine (did you mean mcts?)"),
        ("staff = 3", "under a line [[staff]]"),
        ("[[staff]]\nengine = 'goblin'", "staff bot 1: unknown engine 'goblin'"),
        ("[[staff]]\nhidden = true", "staff bot 1 lacks the key engine"),
        ("[[staff]]\nengine = 'random'\npoints = 'x'", "points='x' is not a whole number"),
        ("[[staff]]\nengine = 'random'\n[[staff]]\nengine = 'random'", "random occurs twice"),
    ):
        game = "" if text.startswith("game =") else 'game = "tictactoe"\n'
        (folder / "league.toml").write_text(game + text + "\n")
        assert_one_line(league(capfd, folder, "--trust"), part)
    (folder / "league.toml").write_text("")
    assert_one_line(league(capfd, folder, "--trust"), "lacks the key game")
    (folder / "league.toml").write_text('game = "tictactoe"\n')
    empty = tmp_path / "empty"
    (empty / "hand-ins").mkdir(parents=True)
    shutil.copy(folder / "league.toml", empty)
    assert_one_line(league(capfd, empty, "--trust"), "contains no hand-ins")
    out = folder / "out"
    assert not out.exists()
    out.mkdir()
    (folder / "league.toml").write_text(PLAN)
    for name, part in (("pseudonyms.csv", "is a damaged"), ("games.sqlite", "is not a ledger")):
        (out / name).write_bytes(b"\xff\0nonsense" * 99)
        done = league(capfd, folder, "--trust")
        assert done.returncode == 2 and f"{name} {part}" in done.stderr.splitlines()[-1]
        (out / name).unlink()


def test_a_kill_while_a_hand_in_is_copied_leaves_no_half_of_it(tmp_path, monkeypatch) -> None:
    (tmp_path / "league.toml").write_text('game = "tictactoe"\n')
    (tmp_path / "hand-in").mkdir()
    for name, source in (("bot.py", f"import helper\n{LAST}"), ("helper.py", "")):
        (tmp_path / "hand-in" / name).write_text(source)
    monkeypatch.setattr(league_bots, "IsolatedEngine", AtHome)
    entry = Entry(read_league_plan(tmp_path / "league.toml"), tmp_path, True, tmp_path / "none")

    def killed(source: Path, target: Path) -> Path:
        target.mkdir()
        shutil.copy(source / "bot.py", target)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(league_bots.shutil, "copytree", killed)
        entry.bot_of("ann", tmp_path / "hand-in", print)
    folder = entry.bot_of("ann", tmp_path / "hand-in", print).folder
    assert folder is not None and (folder / "helper.py").exists()


def test_students_have_names_that_differ() -> None:
    students = ["ann", "bo b", "bo_b", "bo-b", "4711", "Zoë", "a" * 300, "../x", "student:x@1"]
    names = [entrant_name(student) for student in students]
    assert len(set(names)) == len(names) and names[0] == "student:ann"
    assert all(re.fullmatch(r"student:[^\W\d]\w*", name) for name in names)


def test_a_class_is_made_once(tmp_path) -> None:
    names = make_class(tmp_path / "demo", 10, "tictactoe")
    assert len(names) == 10 and {re.sub(r"\d", "", name) for name in names} == {
        "good", "weak", "hostile", "broken", "late", "twice", "zipped"
    }
    with pytest.raises(DlgoError, match="is not empty"):
        make_class(tmp_path / "demo", 10, "tictactoe")


@pytest.mark.slow
def test_a_bot_is_tried_in_one_shown_game(tmp_path: Path, capfd) -> None:
    (tmp_path / "league.toml").write_text(
        'game = "tictactoe"\n[[staff]]\nengine = "random"\nname = "Dice"\n')
    (tmp_path / "mine.py").write_text(
        "def select_move(state):\n    return state.legal_moves()[0]\n")
    (tmp_path / "bad.py").write_text("1 / 0\n")
    more = ("--plan", tmp_path / "league.toml", "--trust")
    done = dlgo_here(capfd, "class", "try", tmp_path / "mine.py", *more, "--second")
    assert done.returncode == 0, done.stderr
    assert "Dice against mine: " in done.stdout and "1. " in done.stdout
    assert_one_line(dlgo_here(capfd, "class", "try", tmp_path / "mine.py", *more, "--against=Ann"),
                    "there is no staff bot 'Ann'; the plan's staff bots are: Dice")
    done = dlgo_here(capfd, "class", "try", tmp_path / "bad.py", *more)
    assert done.returncode == 2 and "ZeroDivisionError" in done.stderr
