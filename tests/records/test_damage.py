"""Single bits of a ledger that have changed: an answer is the same as before, or one line.

A disk, a copy or a memory may do that. Each flip is shown to one command after the other: 60 flips;
1,000 with `--run-all` (ten minutes).
"""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from dlgo import DlgoError, LedgerError
from dlgo.records.ledger import Ledger
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan, tasks
from experiments.studio.ledgers import list_games
from experiments.studio.standings import compute
from reports.report import write_report
from tests.arena.mocks import games_of, register_mocks, run
from tests.command import ROOT, dlgo_here
from tests.conftest import RUN_ALL, one_line_error

PLAN = Plan(("connect4", "tictactoe"), ("random", "dawdler", "crasher"), 6, seed=3)
# A report or a tournament takes seconds.
SLOW = ("report", "tournament")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The games of the plan."""
    path = tmp_path_factory.mktemp("damage") / "games.sqlite"
    register_mocks()
    plan, engines = PLAN.canonical(), EngineCache()
    with Ledger(path) as ledger:
        ledger.set_meta("plan", plan.to_json())
        ledger.add(*(play_game(task, engines) for task in tasks(plan)))
    return path


def command(*words: object) -> Callable[..., object]:
    """What a command prints; a DlgoError if it fails in one line. An internal error is no answer.
    """
    def answer(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
        done = dlgo_here(capsys, *(path if word == "LEDGER" else word for word in words))
        assert done.returncode in (0, 1, 2), done.stderr
        if done.returncode == 2:
            raise DlgoError(done.stderr.strip())
        return done.stdout.replace(str(path), "LEDGER")

    return answer


def export(path: Path, capsys: pytest.CaptureFixture[str]) -> bytes:
    command("ledger", "LEDGER", "export", "--csv", path.with_name("games.csv"))(path, capsys)
    return path.with_name("games.csv").read_bytes()


def studio_list(path: Path, _: object) -> object:
    return list_games(path, failed=True), list_games(path, offset=9)


def studio_rating(path: Path, _: object) -> object:
    work = compute(str(path))
    while True:
        try:
            next(work)
        except StopIteration as end:
            return {**end.value, "cpu": None}


def report(path: Path, _: object) -> bytes:
    write_report(path, path.with_name("report"), replicates=0)
    return path.with_name("report").joinpath("games.csv").read_bytes()


def tournament(path: Path, _: object) -> object:
    """It has nothing to play any more."""
    summary, text = run(PLAN, path)
    assert summary.played == 0
    return text.partition(" played in")[0].replace(str(path), "LEDGER"), games_of(path)


READERS: dict[str, Callable[..., object]] = {
    "list": command("ledger", "LEDGER", "list"),
    "failed": command("ledger", "LEDGER", "list", "--failed", "--limit", 3),
    "check": command("ledger", "LEDGER", "check"),
    "workers": command("ledger", "LEDGER", "workers"),
    "export": export,
    "rate": command("rate", "LEDGER"),
    "compare": command("compare", "LEDGER", "random", "dawdler", "--game", "connect4"),
    "studio's list": studio_list,
    "studio's rating": studio_rating,
    "report": report,
    "tournament": tournament,
}


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def ask(name: str, path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """The answer of a reader, or the line with which it refuses."""
    try:
        return READERS[name](path, capsys), ""
    except DlgoError as error:
        assert str(path) in str(error) and "\n" not in str(error)
        return None, str(error)


@pytest.mark.slow
def test_a_flipped_bit_of_a_ledger_is_told_or_does_not_matter(
    ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = {}
    path = tmp_path / "games.sqlite"
    for name in READERS:
        shutil.copy(ledger, path)
        right[name], problem = ask(name, path, capsys)
        assert not problem, name
    data, chance, found = ledger.read_bytes(), random.Random(5), Counter()
    quick = [name for name in READERS if name not in SLOW]
    for number in range(200 if RUN_ALL else 60):
        name = quick[number % len(quick)]
        if number % 20 == 0:
            name = SLOW[number // 20 % 2]
        bit = chance.randrange(8 * len(data))
        for left in ("-wal", "-shm"):
            Path(f"{path}{left}").unlink(missing_ok=True)
        path.write_bytes(flipped(data, bit))
        answer, problem = ask(name, path, capsys)
        assert problem or answer == right[name], f"{name} differs silently, bit {bit}"
        kind = "unchanged" if not problem else (
            "names the game" if "the row of game" in problem else "another line")
        found[kind] += 1
    with capsys.disabled():
        print(f"\n{dict(found)}" if RUN_ALL else "", end="")


def damage(ledger: Path, slot: str) -> None:
    """Another result of a game, by hand."""
    with contextlib.closing(sqlite3.connect(ledger)) as database:
        database.execute("UPDATE games SET result = 1 - result WHERE slot = ?", (slot,))
        database.commit()


def test_a_repair_sets_damaged_games_aside_and_the_tournament_plays_them_again(
    ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(shutil.copy(ledger, tmp_path / "games.sqlite"))
    whole = games_of(path)
    assert dlgo_here(capsys, "ledger", path, "repair").stdout == (
        f"{path} is whole, with {len(whole)} games\n")
    slot = next(key for key, game in whole.items() if game.result != 0.5 and not game.failed)
    damage(path, slot)
    with one_line_error(LedgerError, repr(slot)):
        games_of(path)
    done = dlgo_here(capsys, "ledger", path, "repair")
    assert f"left out: {slot}" in done.stdout and f" has {len(whole) - 1} games now" in done.stdout
    assert f"1 of {len(whole)} games could not be read" in done.stdout
    assert games_of(path) == {name: game for name, game in whole.items() if name != slot}
    assert path.with_name("games.sqlite.damaged").exists()
    assert run(PLAN, path)[0].played == 1
    again = games_of(path)
    assert (again[slot].moves, again[slot].result) == (whole[slot].moves, whole[slot].result)


PLAY_AND_DIE = """
import os, signal
from dlgo.records.ledger import Ledger
from tests.sample_ledger import sample_games
ledger = Ledger({path!r})
for game in sample_games():
    ledger.add(game)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_log_that_is_missing_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a kill, the games are in it; whoever copies a ledger has to copy both."""
    path = tmp_path / "games.sqlite"
    subprocess.run([sys.executable, "-c", PLAY_AND_DIE.format(path=str(path))], cwd=ROOT)
    copy = Path(shutil.copy(path, tmp_path / "copy.sqlite"))
    for _ in range(2):  # readers leave the log alone
        assert len(games_of(path)) == 18
    for words in (("ledger", copy, "list"), ("rate", copy), ("ledger", copy, "workers"),
                  ("report", copy, "--out", tmp_path / "out")):
        done = dlgo_here(capsys, *words)
        assert done.returncode == 2 and "-wal, which" in done.stderr
    done = dlgo_here(capsys, "ledger", copy, "repair")
    assert " has 0 games now" in done.stdout
    assert not games_of(copy)
    with Ledger(path) as ledger:  # a writer empties it
        assert len(ledger) == 18
    assert len(games_of(Path(shutil.copy(path, tmp_path / "other.sqlite")))) == 18


@pytest.mark.parametrize("words", [
    ("rate", "LEDGER"), ("ledger", "LEDGER", "list"), ("report", "LEDGER", "--out", "out"),
    ("tournament", "--ledger", "LEDGER", "--game", "tictactoe", "--engine", "random",
     "--engine", "heuristic"),
])
def test_a_ledger_of_another_format_is_one_line_and_stays(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "old.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE games (slot); PRAGMA user_version = 4;")
    before = path.read_bytes()
    done = dlgo_here(capsys, *(path if word == "LEDGER" else word for word in words))
    assert done.returncode == 2
    assert "format 4" in done.stderr and len(done.stderr.splitlines()) == 1
    assert path.read_bytes() == before
