"""Facts about `dlgo ladder`: it finds the strength of engines, continues, repeats, and its records
are verified, forged ones refused."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dlgo import DlgoError
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from experiments.ladder.losses import phases
from experiments.ladder.record import Refused, verified
from experiments.ladder.scales import all_scales
from tests.command import ROOT, Done, dlgo, run_module_here

# Plays like `random`, and now and then a move on an occupied point.
SLOPPY = """
import random

class Sloppy:
    def select_move(self, state):
        moves = state.legal_moves()
        taken = [m for m in state.game.moves_by_action.values() if m not in moves]
        return random.choice(taken if taken and random.random() < 0.25 else moves)
"""
CRASHES = "class Broken:\n    def select_move(self, state):\n        raise ValueError('lost')\n"


def rate(
    capfd: pytest.CaptureFixture[str], folder: Path, engine: str, *more: object,
    game: str = "tictactoe",
) -> Done:
    return run_module_here(capfd, "experiments.cli", "ladder", game, engine, "--workers=1",
                           f"--out={folder}", *more)


def games(path: Path) -> list[GameRecord]:
    with Ledger(path, read_only=True) as ledger:
        return list(ledger.games())


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("record")
    done = dlgo("ladder", "tictactoe", "mcts:sims=8", "--within=100", f"--out={folder}",
                f"--submit={folder / 'record.sqlite'}", "--workers=1", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "record.sqlite"


@pytest.mark.slow
def test_an_anchor_gets_its_own_rating_back(capfd, tmp_path: Path) -> None:
    """At another seed; the interval of the anchor itself is about as wide as this one's."""
    scale = all_scales()["tictactoe-2026.12"]
    for engine in ("random", "mcts:sims=5", "alphabeta:depth=9"):
        done = rate(capfd, tmp_path / engine.replace(":", "-"), engine, "--seed=77")
        line = done.stdout.splitlines()[-1]
        found = re.fullmatch(
            rf"{engine}: (-?\d+) ± (\d+) Elo on {scale.name} \({scale.digest[:8]}\), "
            r"(\d+) games, (\d+) different, \S+ CPU ms a move", line)
        assert found, line
        rating, interval, n, n_different = map(int, found.groups())
        assert abs(rating - scale.scale.elo[scale.scale.anchors.index(engine)]) < 90
        assert 25 < interval <= 40 and n_different <= n < 500


def test_what_it_writes(record: Path) -> None:
    page = (record.parent / "index.html").read_text(encoding="utf-8")
    badge = (record.parent / "badge.svg").read_text(encoding="utf-8")
    assert "mcts:sims=8: " in page and "expected" in page
    rating = re.search(r">(\d+ ± \d+ Elo)<", badge)
    assert rating and rating[1] in page


def test_the_same_command_plays_nothing_again_and_more_continues(
    capfd, tmp_path: Path, record: Path
) -> None:
    before = games(record)
    again = rate(capfd, tmp_path, "mcts:sims=8", "--within=100")
    key = lambda r: (r.slot, r.moves, r.seed)  # noqa: E731
    assert sorted(map(key, games(tmp_path / "games.sqlite"))) == sorted(map(key, before))
    rerun = rate(capfd, tmp_path, "mcts:sims=8", "--within=100")
    pattern = r"mcts:sims=8: .* different"
    assert re.search(pattern, rerun.stdout)[0] == re.search(pattern, again.stdout)[0]
    assert "0 played" in rerun.stderr
    more = rate(capfd, tmp_path, "mcts:sims=8", "--within=80")
    slots = {r.slot for r in games(tmp_path / "games.sqlite")}
    assert slots > {r.slot for r in before} and f"{len(before)} found" in more.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_after_a_kill_it_goes_on_and_the_rating_is_the_same(tmp_path: Path, record: Path) -> None:
    command = [sys.executable, "-m", "experiments.cli", "ladder", "tictactoe", "mcts:sims=8",
               "--within=100", "--workers=2", f"--out={tmp_path}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(DlgoError):  # before the first game
            if len(games(tmp_path / "games.sqlite")) >= 4:
                break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    key = lambda r: (r.slot, r.moves)  # noqa: E731
    assert sorted(map(key, games(tmp_path / "games.sqlite"))) == sorted(map(key, games(record)))
    assert done.stdout.splitlines()[-1].startswith("mcts:sims=8: ")


@pytest.mark.slow
def test_an_engine_that_loses_by_illegal_moves_has_two_ratings(capfd, tmp_path: Path) -> None:
    bot = tmp_path / "sloppy.py"
    bot.write_text(SLOPPY)
    done = rate(capfd, tmp_path / "out", str(bot), "--within=80")
    assert done.returncode == 0, done.stderr
    all_games = re.search(r": (-?\d+) ± ", done.stdout.splitlines()[-1])
    others = re.search(r"lost by a failure .* By the other games: ([+-]\d+) Elo", done.stdout
                       + done.stderr)
    assert all_games and others
    assert int(others[1]) > int(all_games[1]) + 20
    assert -150 < int(others[1]) < 150  # like `random`


@pytest.mark.slow
def test_an_engine_that_always_fails_gets_one_line_and_no_rating(capfd, tmp_path: Path) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text(CRASHES)
    done = rate(capfd, tmp_path / "out", str(bot), "--max-failures=3")
    assert done.returncode != 0 and not done.stdout.strip()
    assert re.search(r"^dlgo: no rating: .*lost.*--max-failures$", done.stderr, re.M), done.stderr


@pytest.mark.parametrize(("line", "part"), [
    (("chess", "random"), "chess"), (("hex:size=3", "random"), "hex:size=3 has no scale"),
    (("tictactoe", "mctz"), "mctz"), (("verify",), "no record to verify"),
    (("verify", "absent.sqlite"), "absent.sqlite"),
])
def test_bad_input_gets_one_line(capfd, tmp_path: Path, line: tuple[str, ...], part: str) -> None:
    done = run_module_here(capfd, "experiments.cli", "ladder", *line, cwd=tmp_path)
    assert done.returncode != 0 and part in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_without_an_engine_it_shows_the_scale(capfd) -> None:
    done = run_module_here(capfd, "experiments.cli", "ladder", "tictactoe")
    scale = all_scales()["tictactoe-2026.12"]
    assert scale.digest in done.stdout + done.stderr
    assert all(name in done.stdout + done.stderr for name in scale.scale.anchors)


# --- records ----------------------------------------------------------------------------------


def test_a_record_is_verified_in_another_process(record: Path) -> None:
    done = dlgo("ladder", "verify", record)
    assert done.returncode == 0, done.stderr
    assert "moves of the anchors: played again in" in done.stdout + done.stderr


def forged(
    record: Path, path: Path, change: Callable[[list[GameRecord], dict[str, Any]], list[GameRecord]]
) -> Path:
    """A record whose games or claim are changed; its checksums are right."""
    with Ledger(record, read_only=True) as ledger:
        records, claim = list(ledger.games()), ledger.get_meta("ladder")
    with Ledger(path) as ledger:
        ledger.add(*change(records, claim))
        ledger.set_meta("ladder", claim)
    return path


def won_by_engine(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    """The engine wins all games that it lost."""
    won = {"mcts:sims=8": 1.0}
    return [replace(r, result=won.get(r.first, 0.0)) for r in records]


def without_a_loss(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    lost = next(r for r in records if r.result == (r.second == "mcts:sims=8"))
    return [r for r in records if r.slot != lost.slot]


def better_rating(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    claim["rating"] = [value + 10 for value in claim["rating"]]
    return records


def another_engine(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    """The games of a weak engine under the name of a strong one."""
    claim["engine"] = claim["label"] = "mcts:sims=9"
    return [replace(r, slot=r.slot.replace("sims=8", "sims=9"),
                    first=r.first.replace("sims=8", "sims=9"),
                    second=r.second.replace("sims=8", "sims=9")) for r in records]


def another_seed(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    claim["seed"] = 2
    return records


def stopped_early(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    return records[:-2]


def another_scale(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    claim["digest"] = "0" * 32
    return records


def a_move_of_an_anchor(records: list[GameRecord], claim: dict[str, Any]) -> list[GameRecord]:
    """An anchor plays its last move elsewhere, where the game ends in the same way: all else fits.
    A drawn game whose last two free points the anchor could have filled in another order."""
    for i, record in enumerate(records):
        moves = record.moves.split()
        states = list(record.positions())
        for ply in range(len(record.opening.split()), len(moves)):
            anchor = (record.first, record.second)[states[ply].next_player.index]
            for move in states[ply].legal_moves():
                text = states[ply].game.move_text(move)
                if anchor == "mcts:sims=8" or text == moves[ply]:
                    continue
                try:
                    changed = replace(record, moves=" ".join(
                        [*moves[:ply], text,
                         *(moves[ply] if m == text else m for m in moves[ply + 1:])]))
                    end = changed.replay()
                except DlgoError:
                    continue
                if (end.is_over() and (end.result() + 1) / 2 == record.result
                        and end.game.result_text(end) == record.reason):
                    return [*records[:i], changed, *records[i + 1:]]
    raise AssertionError("no game has such a move")


@pytest.mark.parametrize("change", [
    won_by_engine, without_a_loss, better_rating, another_engine, another_seed, stopped_early,
    a_move_of_an_anchor,
])
def test_a_forged_record_is_refused(record: Path, tmp_path: Path, change: Any) -> None:
    with pytest.raises(Refused):
        list(verified(forged(record, tmp_path / "forged.sqlite", change), None))


def test_a_record_on_an_unknown_scale_or_without_a_claim_cannot_be_verified(
    record: Path, tmp_path: Path
) -> None:
    with pytest.raises(DlgoError, match="no scale tictactoe-2026.12 with the digest 00000000"):
        list(verified(forged(record, tmp_path / "a.sqlite", another_scale), None))
    with Ledger(tmp_path / "b.sqlite") as ledger:
        ledger.add(*games(record))
    with pytest.raises(DlgoError, match="no record"):
        list(verified(tmp_path / "b.sqlite", None))


@pytest.mark.slow
def test_a_record_of_a_bot_is_verified_where_its_file_is_absent(capfd, tmp_path: Path) -> None:
    bot, out = tmp_path / "first.py", tmp_path / "record.sqlite"
    bot.write_text("class First:\n    def select_move(self, state):\n"
                   "        return state.legal_moves()[0]\n")
    rate(capfd, tmp_path / "out", str(bot), "--within=120", f"--submit={out}")
    assert any(re.search(r"moves of first.*: (\d+) of \1 ", line)
               for line in verified(out, None))
    bot.unlink()
    lines = list(verified(out, None))
    assert any("not played again" in line for line in lines)
    assert any(line.startswith("moves of the anchors: played again") for line in lines)


# --- moves that lose value --------------------------------------------------------------------


def test_perfect_play_loses_no_value_and_random_play_does(capfd, tmp_path: Path) -> None:
    share = {}
    for engine in ("alphabeta:depth=9", "random"):
        folder = tmp_path / engine.replace(":", "-")
        rate(capfd, folder, engine, "--within=150")
        found = phases(games(folder / "games.sqlite"), engine)
        share[engine] = sum(p.lost for p in found) / sum(p.moves for p in found)
    assert share["alphabeta:depth=9"] == 0 and share["random"] > 0.3


def test_games_without_exact_values_have_no_such_measure(record: Path) -> None:
    (first, *_) = games(record)
    assert phases([replace(first, game="go:size=9")], "random") == []


def test_claims_are_plain_data(record: Path) -> None:
    with Ledger(record, read_only=True) as ledger:
        claim = ledger.get_meta("ladder")
    assert json.loads(json.dumps(claim)) == claim and claim["engine"] == "mcts:sims=8"
