"""The ladder of networks: a plan is checked, trained, played and measured once."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from dlgo import GameState
from dlgo.errors import SpecError
from dlgo.records.ledger import Ledger
from engines.learning.runs import run
from engines.solver.outcomes import outcomes_of
from experiments.measures import frequency
from experiments.studies.ladder import Part, meetings, run_part
from experiments.studies.plans import plan_file, read_plan
from reports import tables
from tests.command import assert_one_line, run_module, run_module_here
from tests.conftest import RUN_ALL

STUDY = "experiments.studies.scaling"
PLAN, QUICK = plan_file("scaling"), plan_file("scaling", quick=True)


def test_players_meet_who_differ_in_one_thing() -> None:
    part = Part("x", "tictactoe", "mlp:hidden={}", (4, 8), (1, 2), (1, 2), seeds=2)
    players = part.players()
    pairs = meetings(players)
    assert len(players) == 16 and len(pairs) == 16 * 4 / 2
    assert all(sum(a != b for a, b in zip(players[i], players[k], strict=True)) == 1
               for i, k in pairs)


def test_the_plans_that_come_with_the_study_can_be_read() -> None:
    for path in (PLAN, QUICK):
        parts, claims = read_plan(path, Part)
        assert {claim.part for claim in claims} <= parts.keys()


def test_a_part_may_be_like_an_earlier_one() -> None:
    parts, _ = read_plan(PLAN, Part)
    first, without = parts["hex6"], parts["hex6_linear"]
    assert without.game == first.game == "hex:size=6" and without.settings["games"] == 500
    assert without.settings["visits_exponent"] == without.player_options["visits_exponent"] == 1.0
    assert "visits_exponent" not in first.settings
    assert without.player_options["runtime"] == "compiled"


def test_a_wrong_plan_is_refused_in_one_line(tmp_path: Path, capsys) -> None:
    path = tmp_path / "plan.toml"
    right = QUICK.read_text(encoding="utf-8")
    for old, new, message in (
        ("mistakes_by_weights", "mistakes_by_weight", "law='mistakes_by_weight' is not one of"),
        ('part = "tictactoe"', 'part = "tictac"', "part='tictac' (did you mean tictactoe?)"),
        ("high = 0.0", "high = nan", "claim 1: high=nan is out of range"),
        ("high = 0.0", "high = 0\nlow = 2", "low=2 is above high=0"),
        ("[[claims]]", "[claims]", "is not a list of texts or tables"),
        ("seeds = 1", "seed = 1", "has no key 'seed' (did you mean seeds?)"),
        ("seeds = 1", 'seeds = "three"', "part tictactoe: seeds='three' is not a whole number"),
        ("pairs = 0", "pairs = -1", "pairs=-1 is out of range (at least 0)"),
        ("parts.tictactoe]", 'parts."../x"]', "part ../x cannot name a folder; use letters"),
        ('game = "tictactoe"', "", "part tictactoe lacks the key game"),
        ('game = "tictactoe"', 'game = "chess"', "part tictactoe: unknown game 'chess'"),
        ("hidden={}", "hidden=4", "has no {}, which stands for the size; write {} in place"),
        ("games = 500", "gamess = 500", "has no setting 'gamess' (did you mean games?)"),
        ("games = 500", "seed = 500", "has no setting 'seed'"),
        ("options]", "options]\nsims = 4", "sets sims twice"),
        (right, "", "has no parts"),
        (right, 'parts = {x = "y"}', "part x is 'y', not a table of keys"),
        *(("[4, 16, 64]", wrong, "is not a list of whole numbers that rise")
          for wrong in ("4", "[]", "[4, 4]", "[0, 4]", '["4"]', "[[4]]", "{a = 1}")),
    ):
        assert old in right
        path.write_text(right.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(SpecError, match=r"plan .*plan\.toml.*" + re.escape(message)):
            read_plan(path, Part)
    path.write_text(PLAN.read_text(encoding="utf-8").replace('like = "hex6"', 'like = "hx6"', 1),
                    encoding="utf-8")
    with pytest.raises(SpecError, match=r"like='hx6' \(did you mean hex6\?\) is not one of con"):
        read_plan(path, Part)
    for arguments, message in (
        (("hex55",), "part='hex55' (did you mean hex5?) is not one of connect4, draughts"),
        (("--quick", "--plan", path), "--quick has a plan of its own"),
        (("--quick", "--save"), "--save keeps results of the study's own plan"),
        (("--fits", "--positions", 3), "--fits only fits and draws; leave out --positions"),
        (("--fits", "hex3", "--quick"), "part='hex3' is not one of tictactoe"),
        (("--quick", "--fits", "--out", tmp_path / "none"), "no results yet"),
    ):
        assert_one_line(run_module_here(capsys, STUDY, *arguments), message)


@pytest.mark.slow
def test_what_is_trained_and_played_is_not_done_again(
    capfd, tiny: Path, tmp_path: Path
) -> None:
    out, arguments = tmp_path / "out", ("--plan", tiny, "--out", tmp_path / "out", "--workers", 1)
    first = run_module_here(capfd, STUDY, *arguments)
    assert first.returncode == 0, first.stderr
    games = pd.read_csv(out / "tictactoe/games.csv")
    players = pd.read_csv(out / "tictactoe/players.csv")
    assert len(players) == 4
    assert set(games["first"]) | set(games["second"]) == set(range(4))
    assert (players["mistakes"].notna() == (players["sims"] == 4)).all()
    frequencies = pd.read_csv(out / "tictactoe/frequencies.csv")
    (out / "tictactoe/frequencies.csv").write_text("of a shorter training", encoding="utf-8")
    assert (frequencies.groupby("size")["count"].max() >= 20).all(), "the empty board, in each game"
    assert players["late"].between(0.3, 0.9).all()
    again = run_module_here(capfd, STUDY, *arguments)
    assert pd.read_csv(out / "tictactoe/frequencies.csv").equals(frequencies)
    assert "8 found, 0 played" in again.stderr and "iteration" not in again.stdout
    fitted = run_module_here(capfd, STUDY, *arguments, "--fits")
    assert fitted.stdout == again.stdout and "decades of mistakes" in fitted.stdout
    errors = pd.read_csv(out / "tictactoe/mistakes_by_rank.csv")
    assert errors["size"].unique().tolist() == [4, 16] and set(errors["sims"]) == {4}
    assert (errors["mistakes"] <= errors["positions"]).all() and errors["mistakes"].any()
    assert errors["rank"].min() > 1, "from the empty board, all moves draw"
    for name in ("tictactoe", "tictactoe_positions"):
        assert (out / f"{name}.png").stat().st_size > 10_000
    (claim,) = pd.read_csv(out / "claims.csv").itertuples(index=False)
    final = players[players["sims"] == 4]["cpu_seconds"].sum()
    assert claim.training_cpu_seconds == pytest.approx(final, abs=0.1)
    assert claim.command == f"python -m {STUDY} --plan {tiny} tictactoe"
    asked = pd.read_csv(out / "exploratory.csv")
    assert asked["law"].tolist() == ["elo_by_search"], "no claim asks for it"
    assert asked["verdict"].tolist() == ["exploratory"] and "exploratory" in fitted.stdout
    (out / "tictactoe").rename(out / "other")
    text = tiny.read_text(encoding="utf-8")
    tiny.write_text(text.replace("[[claims]]", '[parts.other]\nlike = "tictactoe"\n\n[[claims]]\n'
                                 'text = "Two"\nlaw = "late"\npart = "other"\n\n[[claims]]', 1),
                    encoding="utf-8")
    run_module_here(capfd, STUDY, *arguments, "tictactoe")
    assert pd.read_csv(out / "claims.csv")["part"].tolist() == ["other", "tictactoe"], "all results"
    assert not (out / "other.png").exists(), "the parts that are named are drawn"


@pytest.mark.train
def test_positions_of_games_are_solved_by_how_often_they_occur(tiny: Path, tmp_path: Path) -> None:
    part = replace(read_plan(tiny, Part)[0]["tictactoe"], sizes=(4,), pairs=0, positions=0)
    run_part(part, tmp_path, 1)
    game, games = frequency.last_games(tmp_path / "tictactoe/4-1")
    ranks = frequency.by_rank(game, games)
    assert ranks[1][0].times == len(games) == 40 and len(ranks[1][0].line) == 0
    counts = [position.times for positions in ranks.values() for position in positions]
    assert counts == sorted(counts, reverse=True) and len(ranks[4]) == 4
    assert sum(counts) == sum(len(one.actions) for one in games)
    solved = frequency.solved_by_rank(tmp_path / "tictactoe/4-1", 3)
    assert max(map(len, solved.values())) == 3
    for rank, positions in solved.items():
        keys = {GameState.new_game(game).play(*map(game.move_of, one.line.tolist())).key()
                for one in ranks[int(rank)]}
        for position in positions:
            line = [game.action_of(move) for move in position.state.moves()]
            assert position.asks and [position.outcomes] == outcomes_of(game)([line])
            assert position.state.key() in keys


def test_a_game_without_solved_positions_is_refused_before_any_training(
    capsys, tiny: Path, tmp_path: Path
) -> None:
    text = tiny.read_text(encoding="utf-8")
    second = text[:text.index("[[claims]]")].replace("parts.tictactoe", "parts.other").replace(
        '"tictactoe"', '"hex:size=5"')
    tiny.write_text(second + text, encoding="utf-8")
    done = run_module_here(capsys, STUDY, "--plan", tiny, "tictactoe", "other", "--out", tmp_path,
                           "--workers", 1)
    assert_one_line(done, "hex:size=5 has no solved positions; use a size of up to 4")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A plan of two trainings, of an iteration each, and eight games."""
    plan = tmp_path / "plan.toml"
    text = QUICK.read_text(encoding="utf-8")
    for old, new in (
        ("[4, 16, 64]", "[4, 16]"), ("[2, 4, 8]", "[1]"), ("games = 500", "games = 40"),
        ("sims = [1]", "sims = [1, 4]"), ("pairs = 0", "pairs = 1"), ("workers = 2", "workers = 1"),
    ):
        assert old in text
        text = text.replace(old, new)
    plan.write_text(text, encoding="utf-8")
    return plan


class Killed(BaseException):
    """Stands for the end of the process: nothing after it is done."""


# Where the study is broken off: before or after a call, by its number, of a function that writes.
MOMENTS = [
    (run, "write_checkpoint", 1, "before"), (run, "write_checkpoint", 1, "after"),
    (run, "write_checkpoint", 2, "before"), (Ledger, "add", 1, "before"),
    (Ledger, "add", 1, "after"), (Ledger, "add", 3, "after"), (tables, "write_csv", 1, "before"),
    (tables, "write_csv", 1, "after"), (tables, "write_csv", 2, "before"),
    (tables, "write_csv", 4, "before"),
]


@pytest.mark.slow
def test_broken_off_at_any_moment_it_ends_with_equal_results(tiny: Path, tmp_path: Path) -> None:
    """Ten times in a row with --run-all; else four times, without games and solved positions."""
    part = read_plan(tiny, Part)[0]["tictactoe"]
    part = part if RUN_ALL else replace(part, pairs=0, positions=0, sizes=(4,))
    moments = [moment for moment in MOMENTS
               if RUN_ALL or (moment[0] is not Ledger and moment[2] < 3)]
    out, whole, finished = tmp_path / "out", tmp_path / "whole", 0
    run_part(part, out, 1)
    out.rename(whole)  # the same names again, since games are drawn from the players' names
    for owner, name, number, side in moments[:: 1 if RUN_ALL else 2]:
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Killed):
            patch.setattr(owner, name, dying(getattr(owner, name), number, side))
            run_part(part, out, 1)
            finished += 1  # the moment had passed
    assert finished <= len(moments) / 4
    run_part(part, out, 1)
    for name in ("games", "mistakes", "frequencies", "players") if RUN_ALL else ("players",):
        one, other = (
            pd.read_csv(folder / "tictactoe" / f"{name}.csv").drop(
                columns="cpu_seconds", errors="ignore") for folder in (whole, out))
        pd.testing.assert_frame_equal(one, other)


def dying(function: Callable, number: int, side: str) -> Callable:
    calls = itertools.count(1)

    def write(*arguments: object, **more: object) -> object:
        last = next(calls) == number
        if last and side == "before":
            raise Killed
        result = function(*arguments, **more)
        if last:
            raise Killed
        return result

    return write


@pytest.mark.long
def test_the_quick_edition_shows_the_effect_within_a_minute(tmp_path: Path) -> None:
    before = os.times()
    done = run_module(STUDY, "--quick", "--out", tmp_path / "out")
    after = os.times()
    assert done.returncode == 0, done.stderr
    cpu = sum(after[2:4]) - sum(before[2:4])
    assert cpu < 120, f"{cpu:.0f} CPU seconds, more than two cores have in a minute"
    (claim,) = pd.read_csv(tmp_path / "out-quick/claims.csv").itertuples(index=False)
    assert claim.verdict == "holds" and claim.high95 < 0
