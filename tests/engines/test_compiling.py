"""Compiling is never part of a budget: not of our engines', nor of those from outside.

The commands run with an empty cache. Counted are simulations and nodes, and CPU time by generous
factors: a search that paid for its compilation would have made a few dozen simulations, or spent
seconds.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dlgo.jit import clocks_stopped, cpu_time, wall_time, watch_clocks
from dlgo.records.ledger import Ledger
from tests.command import dlgo, run_module

FIRST_MOVES = """
import json, sys
from dlgo import GameState, get_game
from engines.registry import build_engine
game = get_game("tictactoe")
for spec in sys.argv[1:]:
    cost = build_engine(spec, game, seed=1).select_move(GameState.new_game(game)).cost
    print(json.dumps([spec, cost.simulations or cost.nodes, cost.cpu_seconds]))
"""

# Its compilation takes three CPU seconds, as that of a large search does.
BOT = """
import time
import numba
from numba.extending import overload

def answer():
    pass

@overload(answer)
def _answer():
    end = time.process_time() + 3
    while time.process_time() < end:
        pass
    return lambda: 42

@numba.njit
def search():
    return answer()

class Late:
    '''Compiles in a move, which no warming up has foreseen.'''
    def select_move(self, state, budget):
        if len(state.moves()) > 2:
            assert search() == 42
        return state.legal_moves()[0]

class Slow:
    '''Thinks for as long.'''
    def select_move(self, state, budget):
        if len(state.moves()) > 2:
            end = time.process_time() + 3
            while time.process_time() < end:
                pass
        return state.legal_moves()[0]
"""


@pytest.mark.slow
def test_the_first_move_with_an_empty_cache_has_the_whole_budget(tmp_path: Path) -> None:
    specs = ("mcts:cpu=0.1", "puct:cpu=0.1", "textbook-mcts:cpu=0.1", "alphabeta:nodes=2000,cpu=1")
    (tmp_path / "first_moves.py").write_text(FIRST_MOVES)
    done = run_module("first_moves", *specs, cwd=tmp_path, DLGO_CACHE_DIR=str(tmp_path / "cache"),
                      PYTHONPATH=f"{tmp_path}:{':'.join(sys.path)}")
    assert done.returncode == 0, done.stderr
    least = {"textbook-mcts:cpu=0.1": 20, "alphabeta:nodes=2000,cpu=1": 200}
    for spec, steps, cpu in map(json.loads, done.stdout.splitlines()):
        assert steps >= least.get(spec, 1000), (spec, steps)
        assert cpu < 0.5, (spec, cpu)
    assert len(done.stdout.splitlines()) == len(specs)


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("bots")
def test_the_referee_of_a_tournament_does_not_count_it_either(tmp_path: Path) -> None:
    done = dlgo("tournament", "--ledger", "t.sqlite", "--game", "tictactoe", "--pairs", 1,
                "--engine", "bot.py:Late:cpu=0.1", "--engine", "bot.py:Slow:cpu=0.1",
                "--move-timeout", 2.5, "--workers", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with Ledger(tmp_path / "t.sqlite", read_only=True) as ledger:
        games = list(ledger.games())
    assert len(games) == 2
    for game in games:
        assert ("Late" in game.first) == (game.result == 1), game.reason  # Slow has lost both
        assert game.failure == "timeout"


def test_clocks_stand_still_for_as_long_as_anybody_compiles() -> None:
    seen: list[bool] = []
    with watch_clocks(seen.append), clocks_stopped():
        before = wall_time(), cpu_time()
        with clocks_stopped():
            sum(range(100_000))
        assert (wall_time(), cpu_time()) == before
    assert seen == [True, False]
    assert wall_time() > before[0] and cpu_time() > before[1]


def test_an_engine_that_compiles_stops_no_other_clocks() -> None:
    def elapsed() -> float:
        before = wall_time()
        time.sleep(0.02)
        return wall_time() - before

    with ThreadPoolExecutor(1) as other, clocks_stopped():
        assert elapsed() == 0 and other.submit(elapsed).result() >= 0.02
