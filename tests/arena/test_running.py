"""Games in progress, as a running tournament tells of them in a file beside its ledger."""

from __future__ import annotations

import os
import threading
import time
from io import StringIO
from pathlib import Path

import pytest

from dlgo import get_game
from dlgo.records.ledger import Ledger
from engines.jobs import processes
from experiments.arena import running
from experiments.arena.reporter import Reporter
from experiments.arena.running import Running, RunningFile, RunningGame, read_running, running_path
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament

GAME = RunningGame("s", "tictactoe", "random", "mcts", (4, 0), 1.5, 1, -0.25)


@pytest.mark.slow
def test_what_is_seen_of_a_running_tournament_is_the_beginning_of_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_INTERVAL", "_CPU_SHARE", "_WALL_SHARE"):  # other programs may hold the machine
        monkeypatch.setattr(running, name, 0.0)
    # The tournament looks when games end and when nothing has ended for so long: several times
    # within each of these moves, so that it does not depend on luck whether it meets a game.
    monkeypatch.setattr(processes, "_HEALTH_CHECK", 0.01)
    ledger = tmp_path / "games.sqlite"
    plan = Plan(("tictactoe",), ("random", "mcts:wall=0.2"), 3, seed=3).canonical()
    seen: dict[str, Running] = {}

    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.005):
            now = read_running(ledger)
            for game in now.games if now else ():
                seen[game.slot] = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        run_tournament(plan, ledger, 1, Reporter(StringIO()))
    finally:
        ended.set()
        watcher.join()
    assert not running_path(ledger).exists()
    with Ledger(ledger, read_only=True) as file:
        games = {record.slot: record for record in file.games()}
    assert seen
    notation = get_game("tictactoe")
    for slot, now in seen.items():
        (game,) = (game for game in now.games if game.slot == slot)
        moves = [notation.move_text(notation.move_of(action)) for action in game.actions]
        record = games[slot]
        assert record.moves.split()[: len(moves)] == moves
        assert (game.first, game.second, now.planned) == (record.first, record.second, 6)
        assert 0 <= now.done < 6


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with RunningFile(tmp_path / "a.sqlite") as file:
        file.done, file.planned = 3, 8
        file.update(lambda: [GAME])
        assert read_running(tmp_path / "a.sqlite") == Running(3, 8, (GAME,))
        file.done = 4
        file.update(list)  # not yet: the last one is too fresh
        assert read_running(tmp_path / "a.sqlite").done == 3
    assert read_running(tmp_path / "a.sqlite") is None


def test_the_file_of_a_killed_tournament_is_ignored(tmp_path: Path) -> None:
    file = RunningFile(tmp_path / "a.sqlite")
    file.update(lambda: [GAME])
    os.utime(running_path(tmp_path / "a.sqlite"), (time.time() - 60,) * 2)
    assert read_running(tmp_path / "a.sqlite") is None


@pytest.mark.parametrize("data", [
    b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"done": 1, "planned": 2}',
    b'{"done": "x", "planned": 2, "games": []}', b'{"done": 1, "planned": 2, "games": [{}]}',
    b'{"done": 1, "planned": 2, "games": [{"slot": 3, "game": "", "first": "", "second": "", '
    b'"actions": [], "began": 0, "player": null, "value": null}]}',
])
def test_a_damaged_file_is_ignored(tmp_path: Path, data: bytes) -> None:
    running_path(tmp_path / "a.sqlite").write_bytes(data)
    assert read_running(tmp_path / "a.sqlite") is None
