"""A league in the sandbox that is attacked and killed loses nobody's games."""

from __future__ import annotations

import csv
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from dlgo.records.failures import Failure
from dlgo.records.ledger import GameRecord
from experiments.arena.inspect_ledger import check_lines
from experiments.classroom.hostile_bot import ATTACKS
from tests.arena.mocks import left_behind
from tests.classroom.test_league import COUNTS, games_of, league, marks, moves_of, write
from tests.command import ROOT
from tests.sandboxed import sandboxed

CASES = ROOT.parent / "shared/cases/class/league"


def one_pair(folder: Path) -> Path:
    """The league in this folder, with one pair of games against each bot of the staff."""
    plan = folder / "league.toml"
    plan.write_text(plan.read_text().replace("staff_pairs = 2", "staff_pairs = 1"))
    return folder


@sandboxed
@pytest.mark.long
def test_an_attacker_and_a_kill_lose_nobodys_games(tmp_path, capfd) -> None:
    """A league in the sandbox, killed when some games have ended, then played to its end.

    Everything is compared with a league that has no attacker. Each game of a bot that hangs takes
    a minute, so one of them plays.
    """
    attacks = tuple(attack for attack in ATTACKS if attack not in ("endless_loop", "sleeps"))
    folder = one_pair(write(tmp_path / "all", attacks, COUNTS))
    before = killed(folder, lambda: len(games_of(folder)) > 0)
    done = league(capfd, folder)
    assert done.returncode == 0, done.stderr
    games = games_of(folder)
    assert before.items() <= games.items(), "a game was lost or played again"
    assert [line for line, _ in check_lines(str(folder / "out/games.sqlite"))] == [
        f"{len(games)} games, 0 of them invalid"
    ]
    for path in (folder / "out/students").glob("m_*.html"):
        page = path.read_text()
        assert "grades.csv is a link; links are ignored" in page, path
        assert "<script>document" not in page, path
    reasons = {slot: game.reason for slot, game in games.items() if game.failed}
    assert not any("got" in reason.replace("'got", "") for reason in reasons.values()), reasons
    assert not any("ann" in slot and "m_" not in slot for slot in reasons), "a new process a game"
    assert len(moves_of(folder, without="student:m_")) == 2 * 2 + 2
    assert any("m_" in slot for slot in reasons)
    told = {re.sub("first|second", "it", f"{slot.split('m_')[1].split('@')[0]}: {reason}")
            for slot, reason in reasons.items()}
    with capfd.disabled():
        print("", *sorted(told), sep="\n")
    alone = one_pair(write(tmp_path / "alone", ann=COUNTS))
    assert league(capfd, alone).returncode == 0
    assert moves_of(folder, without="student:m_") == moves_of(alone)
    rows, others = marks(folder), marks(alone)
    assert all(rows[name] == others[name] for name in ("ann", "bo b", "absent"))


@sandboxed
@pytest.mark.skipif(not CASES.is_dir(), reason="needs the cases of ../shared")
@pytest.mark.long
def test_what_got_through_before_does_not(tmp_path, capfd) -> None:
    """Who lets the solver play, or hides the time of children, cannot play; who remembers earlier
    games finds nothing."""
    for path in CASES.rglob("bot.py"):
        name = path.relative_to(CASES).parts[0]
        (tmp_path / "hand-ins" / name).mkdir(parents=True)
        shutil.copy(path, tmp_path / "hand-ins" / name)
    (tmp_path / "league.toml").write_text(
        'game = "tictactoe"\nstaff_pairs = 4\nmost_staff_pairs = 4\n[[staff]]\nengine = "random"\n')
    done = league(capfd, tmp_path)
    assert done.returncode == 0, done.stderr
    for name, part in (("engine_solver", "engines.solver is not available to your bot"),
                       ("cpu_evader", "PermissionError"), ("L5", "the hand-in plays")):
        assert any(line.startswith(f"{name}: ") and part in line
                   for line in done.stderr.splitlines()), done.stderr
    games = games_of(tmp_path).values()
    assert len(games) == 8 and not any(game.failed for game in games), games


# Works for a second, or sleeps until it is ended, after the first moves.
SLOW = """\
import time
def select_move(state):
    if len(state.moves()) > 2:  # before anybody can have won
        {}
    return state.legal_moves()[0]
"""


@sandboxed
@pytest.mark.long
def test_on_a_busy_machine_cpu_time_counts(tmp_path, capfd) -> None:
    """A bot that works loses nothing, though its moves take twice as long; one that sleeps is
    ended."""
    for name, way in {"works": "until = time.process_time() + 1\n"
                      "        while time.process_time() < until: pass",
                      "sleeps": "time.sleep(1000)"}.items():
        (tmp_path / "hand-ins" / name).mkdir(parents=True)
        (tmp_path / "hand-ins" / name / "bot.py").write_text(SLOW.format(way))
    (tmp_path / "league.toml").write_text(
        'game = "tictactoe"\nstaff_pairs = 1\nmost_staff_pairs = 1\nmove_seconds = 1.5\n'
        'game_seconds = 20\n[[staff]]\nengine = "random"\n')
    cores = len(os.sched_getaffinity(0))
    # Each in a session of its own: Linux shares cores out among sessions.
    others = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"],
                               start_new_session=True) for _ in range(4 * cores)]
    try:
        done = league(capfd, tmp_path)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert done.returncode == 0, done.stderr
    games = [game for game in games_of(tmp_path).values() if "random" in game.slot]
    works, sleeps = ([game for game in games if name in game.slot] for name in ("works", "sleeps"))
    assert len(works) == len(sleeps) == 2 and not any(game.failed for game in works), games
    slowest = max(cost.wall for game in works for cost in game.costs)
    assert slowest > 2, "the machine has more cores than it says"
    assert [game.failure for game in sleeps] == [Failure.TIMEOUT] * 2, games


def killed(folder: Path, when: Callable[[], bool], wait: float = 0.0) -> dict[str, GameRecord]:
    """Start a league, kill it `wait` seconds after `when`; returns the games stored."""
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", "class", "league", folder / "hand-ins", "--plan",
         folder / "league.toml", "--out", folder / "out", "--workers=1"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not when():
        time.sleep(0.02)
    with suppress(subprocess.TimeoutExpired):
        process.wait(wait)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 400
    while left_behind(process.pid):
        assert time.monotonic() < until, "processes outlive the league"
        time.sleep(0.05)
    return games_of(folder)


@sandboxed
@pytest.mark.long
def test_kills_lose_nothing_and_the_final_table_is_the_same(tmp_path, capfd) -> None:
    alone = write(tmp_path / "alone")
    assert league(capfd, alone).returncode == 0
    whole, table = moves_of(alone), ratings_on(alone)
    moment, kills, in_play, number = random.Random(22), 0, 0, 0
    while kills < 5:
        number += 1
        folder = write(tmp_path / str(number))
        before: dict[str, GameRecord] = {}
        while kills < 5 and len(before) < len(whole):
            count = len(before)
            at_work = moment.random() < 0.7  # else at any moment, from the start
            before, earlier = killed(
                folder, lambda f=folder, n=count, w=at_work: not w or len(games_of(f)) > n,
                moment.random() * (0.3 if at_work else 6),
            ), before
            assert earlier.items() <= before.items(), "a game was lost or played again"
            kills += 1
            in_play += 0 < len(before) < len(whole)
        assert league(capfd, folder).returncode == 0
        assert moves_of(folder) == whole and before.items() <= games_of(folder).items()
        assert [line for line, _ in check_lines(str(folder / "out/games.sqlite"))] == [
            f"{len(whole)} games, 0 of them invalid"
        ]
        assert marks(folder) == marks(alone) and ratings_on(folder) == table
    print(f"{kills} kills, {in_play} of them between the first and the last game, {number} leagues")


def ratings_on(folder: Path) -> list[tuple[str, ...]]:
    """Names, ratings and results on the leaderboard; what moves cost differs from run to run."""
    names = {shown: name for name, shown in csv.reader((folder / "out/pseudonyms.csv").open())}
    rows = re.findall(
        r'scope="row">([^<]*).*?class="main">([^<]*)</td><td>([^<]*)<.*?</div></td>\s*(<td>.*?)</tr>',
        (folder / "out/leaderboard.html").read_text(), flags=re.S,
    )
    assert len(rows) == 3
    return sorted((names.get(name.rstrip("*"), name), rating, interval, cells.rpartition("<td>")[0])
                  for name, rating, interval, cells in rows)
