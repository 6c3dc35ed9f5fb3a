"""The table of what compiling buys: every game, and the same searches."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from dlgo import DlgoError, GameState, get_game
from dlgo.games import game_names
from engines.registry import build_engine
from experiments.bench import compiling, ladder_mcts
from experiments.bench.measure import ladder_command
from tests.conftest import FULL

ARGUMENTS = ("--game", "tictactoe", "--pairs", "1", "--rounds", "1", "--seconds", "0.05",
             "--cpu", "0.002")


def test_every_game_is_there() -> None:
    assert {get_game(game).name for game in compiling.GAMES} == set(game_names())


@pytest.mark.parametrize("name", compiling.GAMES)
def test_both_engines_search_the_same_way(name: str) -> None:
    """Alpha-beta without more gives the same value at each depth; nothing keeps a tree."""
    game = get_game(name)
    state = GameState.new_game(game)
    for search in compiling.searches(game):
        one, other = search.entrants("cpu=0.01")
        assert one.startswith("textbook-") and "cpu=0.01" in one and "cpu=0.01" in other
        if search.unit == "nodes":
            for depth in (1, 2, 3):
                values = [
                    build_engine(spec.replace("cpu=0.01", f"depth={depth}"), game)
                    .select_move(state).value for spec in (one, other)
                ]
                assert values[0] == pytest.approx(values[1], abs=1e-9)
        else:
            assert build_engine(other, game).settings["reuse"] is False


@pytest.mark.parametrize(("command", "quick"), [
    (compiling.main, ["--quick"]), (compiling.main, []),
    (ladder_command(ladder_mcts.ladder, ladder_mcts.SETTINGS, 1), []),
])
def test_all_games_are_checked_before_the_first_is_measured(
    command: click.Command, quick: list[str], monkeypatch
) -> None:
    monkeypatch.setattr(compiling, "searches", lambda game: pytest.fail("it measures"))
    monkeypatch.setattr(ladder_mcts, "random_positions", lambda *_: pytest.fail("it measures"))
    done = CliRunner().invoke(command, ["--game", "connect4", "--game", "nothing", *quick])
    assert isinstance(done.exception, DlgoError) and "'nothing'" in str(done.exception)


@pytest.mark.skipif(not FULL, reason="ten seconds: DLGO_FULL=1")
def test_the_table_has_a_row_for_each_search() -> None:
    done = CliRunner().invoke(compiling.main, ARGUMENTS)
    assert done.exit_code == 0, done.output
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| tic")]
    assert [row[1].strip() for row in rows] == ["alpha-beta", "UCT", "PUCT with a network"]
    for row in rows[:2]:  # a network takes most of the time of the third
        slow, fast = (float(row[i].replace(",", "")) for i in (3, 4))
        assert fast > slow > 0
