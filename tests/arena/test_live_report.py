"""A page while the tournament goes on: when it comes, what it says, and that it ends with it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dlgo.records.ledger import Ledger
from experiments.arena.live_report import LiveReport
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from tests.arena.mocks import Said

PLAN = Plan(
    games=("tictactoe",), entrants=("random", "heuristic", "mcts:sims=10"), pairs=3).canonical()


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[Path, Said]:
    path, reporter = tmp_path_factory.mktemp("live") / "games.sqlite", Said()
    run_tournament(PLAN, path, workers=1, progress=reporter)
    return path, reporter


@pytest.mark.slow
def test_a_page_comes_once_every_pair_has_met(played, tmp_path):
    path, reporter = played
    games = list(reporter.games)
    ledger, out, live = tmp_path / "games.sqlite", tmp_path / "out", None
    with Ledger(ledger) as file:
        quiet = Said()
        live = LiveReport(quiet, PLAN, ledger, out)
        live.begin(0, 18)
        for game in games[:2]:
            file.add(game)
            live.game(game)
        assert live._process is None  # one pair has not met yet
        file.add(games[2])
        live.game(games[2])
        assert live._process is not None
        live._process.wait(120)
        file.add(games[3])
        live.game(games[3])
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "3 of 18 games" in text and 'http-equiv="refresh"' in text
    assert any("first page" in line for line in quiet.lines)
    assert live._process is None and live._next > time.monotonic() + 15  # the games come first
    live.end()
