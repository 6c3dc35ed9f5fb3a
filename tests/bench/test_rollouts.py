"""The bench of rollouts, and the study of what a fast policy learns: what they print."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from dlgo import get_game
from engines.fast_policy.policy import FastPolicy
from experiments.bench.rollouts import main, plies_of
from experiments.studies import fast_policy
from tests.fast_policy.test_fast_policy import planted, write_games


def test_the_kinds_of_rollouts_are_compared_in_one_run(tmp_path: Path) -> None:
    game = get_game("connect4")
    path = planted(game).save(tmp_path / "policy.npz")
    options = ["--game", "connect4", "--seconds", "0.01", "--rounds", "1", "--policy", str(path)]
    done = CliRunner().invoke(main, options, catch_exceptions=False)
    assert done.exit_code == 0
    rates = re.findall(r"\| ([a-z ]+) \| ([\d,]+) \| ([\d.]+) \|", done.stdout)
    assert [name for name, _, _ in rates] == ["light", "heavy", "policy as trained"]
    assert rates[-1][2] == "1.00"
    assert 7 <= plies_of(FastPolicy.load(path), 1) <= 42


def test_the_study_learns_saves_and_plays(tmp_path: Path) -> None:
    data = write_games(tmp_path / "games", planted(get_game("connect4")), 20)
    out = tmp_path / "fast"
    options = [str(data.folder), "--quick", "--out", str(out)]
    done = CliRunner().invoke(fast_policy.main, options, catch_exceptions=False)
    assert done.exit_code == 0
    assert "held out: " in done.stdout
    assert FastPolicy.load(out / "connect4.npz").training["epochs"] == 1
    assert len(re.findall(r"^mcts:.*rollout=policy.*%", done.stdout, re.MULTILINE)) == 4
    assert len(re.findall(r"^fast_policy:.*%", done.stdout, re.MULTILINE)) == 2
