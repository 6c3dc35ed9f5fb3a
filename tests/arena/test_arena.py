"""Facts about the arena: what is scheduled, who loses when an engine breaks, what is stored.

What needs worker processes is in `test_tournament.py`; the engines that break in `mocks.py`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sqlite3
from collections import Counter

import pytest

from dlgo import GameState, LedgerError, Player, game_names, get_game
from dlgo.errors import FileError
from dlgo.records.costs import MoveCost
from dlgo.records.failures import Failure
from dlgo.records.ledger import Ledger
from experiments.arena import referee
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan, tasks
from tests.arena.mocks import make_task, run

# --- schedule ------------------------------------------------------------------------------

PLAN = Plan(("tictactoe", "go5"), ("random", "dawdler", "dawdler:ms=1"), pairs=4, seed=7)


def test_every_match_plays_each_opening_with_both_colours():
    planned = tasks(PLAN)
    assert len(planned) == 2 * 3 * 4 * 2  # games, matches of 3 entrants, pairs, colours
    assert len({task.slot for task in planned}) == len(planned)
    assert len({task.seed for task in planned}) == len(planned)
    by_slot = {task.slot: task for task in planned}
    for task in planned:
        swapped = by_slot[f"{task.game}|{task.second}|{task.first}|{task.pair}"]
        assert swapped.opening == task.opening
    matches = {(task.game, frozenset((task.first, task.second))) for task in planned}
    assert len(matches) == 6


def test_openings_are_unfinished_positions_all_different_and_without_passes():
    for name, plies in (("tictactoe", 5), ("connect4", 4), ("go5", 4)):
        game = get_game(name)
        plan = Plan((name,), ("random", "dawdler"), pairs=30, opening_plies=plies)
        keys = set()
        for opening in {task.pair: task.opening for task in tasks(plan)}.values():
            assert len(opening) == plies
            assert game.pass_action not in opening
            state = GameState.new_game(game)
            for action in opening:
                state = state.apply_move(game.move_of(action))
            assert not state.is_over()
            keys.add(state.key())
        assert len(keys) == 30


def test_an_interrupted_schedule_is_balanced():
    planned = tasks(PLAN)
    for n in range(len(planned)):
        played = Counter((t.game, frozenset((t.first, t.second))) for t in planned[:n])
        counts = [*played.values(), *[0] * (6 - len(played))]
        assert max(counts) - min(counts) <= 2  # one pair


# --- one game ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", game_names())
def test_costs_name_the_player_whose_turn_it_was(name):
    task = dataclasses.replace(make_task("random", "dawdler", name), opening=())
    record = play_game(task, EngineCache())
    state, players = GameState.new_game(get_game(name)), []
    for text in record.moves.split():
        players.append(state.next_player.index)
        state = state.apply_move(state.game.parse_move(state, text))
    assert [cost.player for cost in record.costs] == players
    assert [cost.ply for cost in record.costs] == list(range(len(players)))
    assert all(cost.wall > 0 and cost.nodes == 1 for cost in record.costs)


def test_an_engine_does_not_mirror_itself():
    """The two have seeds of their own: else both would draw the same columns in turn."""
    task = dataclasses.replace(make_task("random", "random", "connect4"), opening=())
    moves = play_game(task, EngineCache()).moves.split()
    assert moves[0:6:2] != moves[1:6:2]


@pytest.mark.parametrize(
    ("spec", "failure", "reason"),
    [
        ("cheater", Failure.ILLEGAL_MOVE,
         "illegal move by {}: pass is illegal: Tic-tac-toe has no pass"),
        ("crasher", Failure.CRASH, "crash of {}: ZeroDivisionError: one over nothing"),
        ("badstart", Failure.CRASH, "crash of {}: RuntimeError: cold"),
        ("unbuildable", Failure.CRASH, "crash of {}: FileNotFoundError: no such checkpoint"),
    ],
)
def test_an_engine_that_breaks_loses_whatever_its_colour(spec, failure, reason):
    first = play_game(make_task(spec, "random"), EngineCache())
    second = play_game(make_task("random", spec), EngineCache())
    assert (first.result, first.reason) == (0.0, reason.format("first"))
    assert (second.result, second.reason) == (1.0, reason.format("second"))
    assert first.failure is second.failure is failure


def test_resigning_is_a_normal_end():
    record = play_game(make_task("random", "resigner"), EngineCache())  # white moves after B2
    assert (record.result, record.failed) == (1.0, False)
    assert record.reason == "black (x) wins by resignation"
    assert record.replay().winner() is Player.black


def test_a_game_without_end_is_a_draw(monkeypatch):
    monkeypatch.setattr(referee, "length_limit", lambda game: 4)
    record = play_game(make_task("random", "random", "go:size=5"), EngineCache())
    assert (record.result, record.reason) == (0.5, "draw: length limit of 4 plies")
    assert len(record.moves.split()) == 4


# --- ledger --------------------------------------------------------------------------------


def test_a_game_comes_back_from_the_ledger_as_it_went_in(tmp_path):
    record = play_game(make_task("random", "dawdler"), EngineCache())
    valued = dataclasses.replace(
        record, costs=(MoveCost(1, 1, 0.25, 0.5, 9, 8, 7, -0.125), *record.costs[1:])
    )
    with Ledger(tmp_path / "new folder" / "l.sqlite") as ledger:
        assert ledger.add(valued)
        assert not ledger.add(record), "a slot is played once"
        assert list(ledger.games()) == [valued]
        assert len(ledger) == 1


def test_what_is_no_ledger_is_refused_in_one_line(tmp_path):
    (tmp_path / "noise").write_bytes(os.urandom(5000))
    (tmp_path / "folder").mkdir()
    with contextlib.closing(sqlite3.connect(tmp_path / "other.sqlite")) as other:
        other.execute("CREATE TABLE games (x)")
    with Ledger(tmp_path / "newer.sqlite") as newer:
        newer._db.execute("PRAGMA user_version = 99")
    for name in ("noise", "folder", "other.sqlite", "newer.sqlite"):
        with pytest.raises((LedgerError, FileError), match=name) as caught:
            run(PLAN, tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_reader_neither_creates_nor_changes_a_ledger(tmp_path):
    path = tmp_path / "100% #1?.sqlite"
    with pytest.raises(LedgerError, match="does not exist"):
        Ledger(path, read_only=True)
    path.touch()
    with pytest.raises(LedgerError, match="no games"):
        Ledger(path, read_only=True)
    assert path.read_bytes() == b""
    Ledger(path).close()
    with Ledger(path, read_only=True) as ledger, pytest.raises(LedgerError, match="readonly"):
        ledger.set_meta("plan", 1)
