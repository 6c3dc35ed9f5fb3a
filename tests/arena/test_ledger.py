"""Facts about ledgers: one tournament at a time, what the check finds, what is exported."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dlgo import DlgoError, LedgerError
from dlgo.games.draughts.pdn import read_games
from dlgo.records.costs import MoveCost
from dlgo.records.ledger import GameRecord, Ledger, ledger_lock
from dlgo.records.sgf import read_sgf, replay
from experiments.arena.inspect_ledger import check_lines, export_games, list_lines
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan, tasks
from reports.report import write_report
from tests.arena.mocks import games_of, make_task, run
from tests.command import ROOT, dlgo_here
from tests.conftest import RUN_ALL


@pytest.fixture
def ledger_path(tmp_path: Path) -> Path:
    """Two games each of tic-tac-toe, Go, draughts and Connect Four, and two crashes."""
    games = ("tictactoe", "go:size=5", "draughts", "connect4")
    plan = Plan(games, ("random", "dawdler"), 1, seed=4)
    crashes = tasks(Plan(("connect4",), ("random", "crasher"), 1, seed=4))
    path = tmp_path / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.add(*(play_game(task, EngineCache()) for task in tasks(plan) + crashes))
    return path


def checked(path: Path) -> list[str]:
    return [line for line, _ in check_lines(str(path))]


# --- the lock ------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_tournaments_on_one_ledger_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    (tmp_path / "link.sqlite").symlink_to(path)
    plan = Plan(("tictactoe",), ("random", "dawdler"), 1)
    with ledger_lock(path):
        for name in ("l.sqlite", "link.sqlite"):
            with pytest.raises(LedgerError, match=f"in use .*process {os.getpid()}") as caught:
                run(plan, tmp_path / name)
            assert "\n" not in str(caught.value)
    assert run(plan, path)[0].played == 2


@pytest.mark.skipif(os.name != "posix", reason="needs flock")
def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    program = (
        "import time; from dlgo.records.ledger import ledger_lock\n"
        f"with ledger_lock({str(path)!r}):\n    print('held', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LedgerError, match=f"process {holder.pid}"), ledger_lock(path):
            pass
    finally:
        holder.kill()
        holder.communicate()
    until = time.monotonic() + 60
    while True:  # the system needs a moment
        with contextlib.suppress(LedgerError), ledger_lock(path):
            break
        assert time.monotonic() < until


# --- what is stored ------------------------------------------------------------------------


def test_a_game_is_stored_with_all_that_is_asked_of_it(ledger_path: Path) -> None:
    for record in games_of(ledger_path).values():
        assert record.version.startswith("0.") and len(record.version.partition("+")[2]) == 8
        assert "core" in record.machine
        assert json.loads(record.limits)["move_timeout"] == 600
        assert record.networks is None
        assert record.started <= record.finished


def test_the_network_of_an_engine_is_stored(monkeypatch) -> None:
    from tests.arena.mocks import Dawdler

    monkeypatch.setattr(Dawdler, "network_id", "sha256:abc")
    monkeypatch.setattr(Dawdler, "training_cpu_seconds", 7200.0)
    record = play_game(make_task("random", "dawdler"), EngineCache())
    assert json.loads(record.networks) == {
        "second": {"id": "sha256:abc", "training_cpu_seconds": 7200.0, "runtime": None}
    }


def test_totals_are_those_of_the_moves(ledger_path: Path) -> None:
    costs: dict[tuple[str, str], list[MoveCost]] = {}
    for record in games_of(ledger_path).values():
        for cost in record.costs:
            costs.setdefault(
                (record.game, (record.first, record.second)[cost.player]), []
            ).append(cost)
    with Ledger(ledger_path, read_only=True) as ledger:
        totals = ledger.cost_totals()
    assert totals.keys() == costs.keys()
    for key, row in totals.items():
        assert row.moves == len(costs[key])
        assert row.cpu == pytest.approx(sum(cost.cpu for cost in costs[key]))
        assert row.max_wall == max(cost.wall for cost in costs[key])
        assert row.nodes == sum(cost.nodes for cost in costs[key])


# --- the check -----------------------------------------------------------------------------


def test_good_games_pass_the_check(ledger_path: Path, capsys) -> None:
    assert checked(ledger_path) == ["10 games, 0 of them invalid"]
    assert dlgo_here(capsys, "ledger", ledger_path, "check").returncode == 0


# What is changed in which games before they are stored; a program might have played such games.
TAMPERED: dict[str, tuple[Callable[[GameRecord], bool], Callable[[GameRecord], dict]]] = {
    "the moves are not a legal game": (
        lambda game: game.game == "connect4" and game.reason.endswith("wins"),
        lambda game: {"moves": game.moves + " 1"}),
    "by the rules it is": (
        lambda game: game.game == "tictactoe" and game.result != 0.5,
        lambda game: {"result": 1 - game.result}),
    "the moves do not end the game": (
        lambda game: game.game == "go:size=5", lambda game: {"moves": game.opening}),
    "do not begin with the opening": (
        lambda game: game.game == "tictactoe", lambda game: {"opening": "A1 " + game.opening}),
    "failed, but the result is": (
        lambda game: game.failed, lambda game: {"result": 1 - game.result}),
    "the costs are not those": (
        lambda game: len(game.costs) > 5, lambda game: {"costs": game.costs[1:]}),
    "is charged to the wrong side": (
        lambda game: bool(game.costs),
        lambda game: {"costs": [cost._replace(player=1 - cost.player)
                                for cost in game.costs]}),
    "has a negative cost": (
        lambda game: bool(game.costs),
        lambda game: {"costs": [cost._replace(cpu=-1.0) for cost in game.costs]}),
    "the slot is not that": (lambda game: True, lambda game: {"pair": 7}),
    "it is not a draw by its length": (
        lambda game: game.game == "draughts",
        lambda game: {"moves": game.opening, "result": 0.5,
                      "reason": "draw: length limit of 3 plies"}),
}


@pytest.mark.parametrize("problem", TAMPERED)
def test_the_check_finds_what_cannot_be(ledger_path: Path, tmp_path: Path, problem: str) -> None:
    chosen, change = TAMPERED[problem]
    games = list(games_of(ledger_path).values())
    with Ledger(tmp_path / "changed.sqlite") as ledger:
        ledger.add(*(dataclasses.replace(game, **change(game)) if chosen(game) else game
                     for game in games))
    *found, total = checked(tmp_path / "changed.sqlite")
    assert len(found) == sum(map(chosen, games)) > 0
    assert all(problem in line for line in found)
    assert total == f"10 games, {len(found)} of them invalid"


def test_an_invalid_game_is_an_exit_status(tmp_path: Path, capsys) -> None:
    game = play_game(make_task("random", "dawdler", "connect4"), EngineCache())
    ledger_path = tmp_path / "wrong.sqlite"
    with Ledger(ledger_path) as ledger:
        ledger.add(dataclasses.replace(game, moves="1 1 1 1 1 1 1", opening=""))
    done = dlgo_here(capsys, "ledger", ledger_path, "check")
    assert done.returncode == 1
    assert "is illegal: the column is full" in done.stdout
    assert done.stderr == ""


# --- lists and exports ---------------------------------------------------------------------


def test_lists_can_be_filtered(ledger_path: Path) -> None:
    def slots(**filters) -> list[str]:
        *lines, total = list_lines(str(ledger_path), **filters)
        assert total == f"{len(lines)} of 10 games"
        return [line.split()[0] for line in lines]

    assert len(slots()) == 10
    assert len(slots(limit=3)) == 3
    assert [slot.split("|")[0] for slot in slots(game="go5")] == ["go:size=5"] * 2
    assert len(slots(engine="dawdler:ms=0")) == 8
    assert slots(failed=True) == ["connect4|crasher|random|0", "connect4|random|crasher|0"]
    assert slots(failed=True, engine="dawdler") == []


def test_exports_can_be_read_by_others(ledger_path: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    done = dlgo_here(capsys, "ledger", ledger_path, "export", "--csv", tmp_path / "games.csv",
                     "--sgf", out / "sgf", "--pdn", out / "pdn")
    assert done.returncode == 0, done.stderr
    assert [line.split(" in ")[0] for line in done.stdout.splitlines()] == [
        "10 games", "2 games", "2 games",
    ]
    games = games_of(ledger_path)
    with (tmp_path / "games.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["slot"]: row for row in csv.DictReader(file)}
    assert {slot: row["moves"] for slot, row in rows.items()} == {
        slot: record.moves for slot, record in games.items()
    }
    assert sum(row["failed"] == "True" for row in rows.values()) == 2
    for path in (out / "sgf").iterdir():
        read = read_sgf(path)
        record = games[read.info["GN"]]
        *_, last = replay(read)
        assert last == record.replay()
        assert (read.black, read.white) == (record.first, record.second)
        assert read.result[:2] == {1.0: "B+", 0.0: "W+", 0.5: "0"}[record.result]
    for path in (out / "pdn").iterdir():
        read = read_games(path.read_text())[0]
        record = games[read.tags["Event"]]
        assert read.state == record.replay()
        assert read.result == {1.0: "0-1", 0.0: "1-0", 0.5: "1/2-1/2"}[record.result]


def test_what_cannot_be_exported_is_one_line(ledger_path: Path, tmp_path: Path, capsys) -> None:
    with pytest.raises(LedgerError, match="no games of"):
        list(export_games(str(ledger_path), None, str(tmp_path / "x"), None, game="connect4"))
    for arguments, part in (
        ((ledger_path, "export"), "no file to write"),
        ((ledger_path, "export", "--csv", ledger_path), "is the file that is read"),
        ((ledger_path, "export", "--csv", tmp_path / "kept.csv", "--engine", "mctss"), "no games"),
        ((ledger_path, "export", "--csv", tmp_path / "kept.csv", "--game", "hex"), "no such games"),
        ((ledger_path, "list", "--engine", "mctss"), "has no games of 'mctss'; there are"),
        ((tmp_path / "none.sqlite", "check"), "does not exist"),
        ((tmp_path / "none.sqlite", "repair"), "does not exist"),
        ((ledger_path, "list", "--game", "chess"), "unknown game"),
        ((ROOT / "README.md", "list"), "README.md"),
    ):
        done = dlgo_here(capsys, "ledger", *arguments)
        assert done.returncode == 2
        assert not (tmp_path / "kept.csv").exists()
        assert part in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_adding_is_all_or_nothing(tmp_path: Path) -> None:
    one = play_game(make_task("random", "dawdler"), EngineCache())
    bad = dataclasses.replace(one, slot="other", pair=1, moves=None)
    with Ledger(tmp_path / "l.sqlite") as ledger:
        with pytest.raises(LedgerError, match="NOT NULL"):
            ledger.add(one, bad)
        assert len(ledger) == 0
        assert ledger.add(one, one) == 1


# --- damage --------------------------------------------------------------------------------

DAMAGE = {
    "bad UTF-8": "UPDATE games SET first = CAST(x'ff41fe' AS TEXT)",
    "a result that is a text": "UPDATE games SET result = 'x'",
    "a result beyond 1": "UPDATE games SET result = 7",
    "a cost that is a text": "UPDATE games SET costs = 'much'",
    "costs that are too short": "UPDATE games SET costs = x'01'",
    "a name that is a BLOB": "UPDATE games SET second = x'0102'",
    "a slot that is a BLOB": "UPDATE games SET slot = CAST(slot AS BLOB)",
    "a game that has vanished": "DELETE FROM games WHERE id = 1",
    "a pair that is another": "UPDATE games SET pair = 7",
    "moves that are a BLOB": "UPDATE games SET moves = x'07'",
    "a failure nobody knows": "UPDATE games SET failure = 'boredom'",
    "a plan that is no plan": "UPDATE meta SET value = '[1, {\"a\": 1e999}]'",
    "a plan that is not JSON": "UPDATE meta SET value = '{' || x'ff'",
    "a plan nested too deep": "UPDATE meta SET value = replace(hex(zeroblob(50000)), '0', '[')",
    "a plan of endless numbers": "UPDATE meta SET value = '{\"opening_plies\": 1e999, "
                                 "\"games\": [], \"entrants\": [], \"pairs\": 1, \"seed\": 1}'",
    "a table that is not SQL": "UPDATE sqlite_master SET sql = 'CREATE ' || CAST(x'a1' AS TEXT) "
                               "WHERE name = 'games'",
}


# Two of the damaged plans leave a ledger of which a whole report is made: one is enough.
@pytest.mark.parametrize("damage", [
    name for name in DAMAGE if RUN_ALL or name != "a plan that is no plan"
])
def test_a_damaged_ledger_is_one_line_for_every_command(
    ledger_path: Path, tmp_path: Path, damage: str
) -> None:
    with Ledger(ledger_path) as ledger:
        plan = Plan(("tictactoe",), ("random", "mcts"), 1, seed=4).canonical()
        ledger.set_meta("plan", plan.to_json())
    with contextlib.closing(sqlite3.connect(ledger_path)) as database:
        database.execute("PRAGMA writable_schema = 1")
        assert database.execute(DAMAGE[damage]).rowcount > 0
        database.commit()
    plan = Plan(("tictactoe",), ("random", "dawdler"), 1, seed=4)
    commands = [
        lambda: list(list_lines(str(ledger_path))),
        lambda: list(check_lines(str(ledger_path))),
        lambda: list(export_games(str(ledger_path), str(tmp_path / "x.csv"), None, None)),
        lambda: run(plan, ledger_path),
        lambda: write_report(ledger_path, tmp_path / "report", replicates=0),
    ]
    complaints = 0
    for command in commands:
        try:
            command()
        except DlgoError as error:
            complaints += 1
            assert "\n" not in str(error)
            assert str(ledger_path) in str(error)
    assert complaints


def test_a_full_disk_is_one_line(ledger_path: Path, capsys) -> None:
    done = dlgo_here(capsys, "ledger", ledger_path, "export", "--csv", "/dev/full")
    assert done.returncode in (1, 2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "No space left" in done.stderr


@pytest.mark.skipif(os.getuid() == 0 and not shutil.which("setpriv"), reason="root needs setpriv")
def test_a_ledger_in_a_protected_folder_can_be_read(ledger_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "protected"
    folder.mkdir()
    path = shutil.copy(ledger_path, folder)
    folder.chmod(0o555)
    bare = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    done = subprocess.run([*bare, sys.executable, "-m", "dlgo", "ledger", path, "list"],
                          capture_output=True, text=True, cwd=ROOT)
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert [*folder.iterdir()] == [Path(path)]
