"""Analyses over HTTP: what engines see as they search, exact values, copies."""

from __future__ import annotations

import pytest

from dlgo import GameState, get_game
from engines.solver.solver import Solver
from tests.studio.client import BOTS, Studio, View, Watcher


def look(studio: Studio, path: str, condition) -> tuple[View, list[View]]:
    """The first event of a stream for which a condition holds, and all events before; those that
    tell what an engine does before it thinks are left out."""
    watcher = Watcher(studio, path)
    assert watcher.answer == {"status": 200}
    try:
        found = watcher.until(lambda event: "progress" not in event and condition(event))
        return found, [event for event in watcher.events if "progress" not in event]
    finally:
        watcher.close()


def test_a_tree_search_goes_on_and_ends_with_its_reader(studio: Studio) -> None:
    game = studio.new("go:size=5")
    path = f"/api/games/{game}/analysis?engine=mcts:sims=50"
    last, events = look(studio, path, lambda event: event["cost"]["simulations"] > 30_000)
    counts = [event["cost"]["simulations"] for event in events]
    assert counts == sorted(counts) and len(counts) > 2
    assert [event["look"] for event in events] == list(range(1, len(events) + 1))
    # The kept tree: visits are those of the whole search, not of its last step.
    assert sum(move["visits"] for move in last["moves"]) >= last["cost"]["simulations"] * 0.9
    # And the tree has room for it, more than a move of 50 simulations would need.
    assert last["cost"]["nodes"] > 10_000 and not last["final"]
    assert abs(sum(move["share"] for move in last["moves"]) - 1) < 1e-6
    studio.wait_for_quiet()


def test_a_known_win_is_seen_and_proved(studio: Studio) -> None:
    game = studio.new("connect4")
    for column in "414242":
        studio.move(game, column)
    for engine in ("mcts", "alphabeta"):
        path = f"/api/games/{game}/analysis?engine={engine}"
        last, _ = look(studio, path, lambda event: event["final"])
        assert (last["text"], last["proven"], last["black"]) == ("4", 1, 1.0), engine
        assert last["line"][0]["path"] == [24]
    # The move before it was a mistake: two plies earlier nothing is proved.
    path = f"/api/games/{game}/analysis?engine=mcts&plies=1"
    first, _ = look(studio, path, lambda event: True)
    assert first["proven"] is None


def test_alpha_beta_goes_deeper_and_a_failure_is_told(studio: Studio) -> None:
    game = studio.new("tictactoe")
    path = f"/api/games/{game}/analysis?engine=alphabeta:depth=2"
    last, events = look(studio, path, lambda event: event["final"])
    depths = [event["depth"] for event in events]
    assert depths == sorted(depths) and last["proven"] == 0
    path = f"/api/games/{game}/analysis?engine={BOTS}:Crasher"
    event, _ = look(studio, path, lambda event: "problem" in event)
    assert "ZeroDivisionError" in event["problem"]


def test_exact_values_of_connect_four_are_the_solvers(studio: Studio) -> None:
    moves = "44444232151"
    game, state = studio.new("connect4"), GameState.new_game(get_game("connect4"))
    for column in moves:
        studio.move(game, column)
        state = state.apply_move(column)
    ((_, _, _, _, scores),) = next(Solver(20).analyse([moves], all_moves=True))
    event, _ = look(studio, f"/api/games/{game}/exact",
                    lambda event: len(event["exact"]) == event["of"])
    values = {move["text"]: move["value"] for move in event["exact"]}
    expected = {
        str(column): (score > 0) - (score < 0)
        for column, score in enumerate(scores, 1) if score is not None
    }
    assert values == expected and len(set(values.values())) > 1


def test_lines_begin_with_their_moves_and_are_legal(studio: Studio) -> None:
    game = studio.new("go:size=5")
    path = f"/api/games/{game}/analysis?engine=mcts:sims=50"
    last, _ = look(studio, path, lambda event: event["cost"]["simulations"] > 5000)
    lines = [move["line"] for move in last["moves"] if "line" in move]
    assert len(lines) == 12 and max(map(len, lines)) > 3
    assert [line[0]["text"] for line in lines] == [move["text"] for move in last["moves"][:12]]
    assert lines[0] == last["line"]
    for line in lines:
        state = GameState.new_game(get_game("go:size=5"))
        for step in line:
            state = state.apply_move(step["text"])


def test_territory_of_a_divided_board(studio: Studio) -> None:
    """Black has walled off the left, White the right."""
    game = studio.new("go:size=5,komi=0.5")
    for row in range(1, 6):
        for column in "BD":
            assert studio.move(game, f"{column}{row}")[0] == 200
    status, answer = studio.ask(f"/api/games/{game}/territory")
    assert status == 200
    owner = [answer["owner"][5 * row : 5 * row + 5] for row in range(5)]
    assert all(row[0] > 0.5 and row[1] > 0.5 and row[3] < -0.5 and row[4] < -0.5 for row in owner)
    assert abs(answer["lead"]) < 5 and "1,000 random games" in answer["words"]
    status, answer = studio.ask(f"/api/games/{studio.new('tictactoe')}/territory")
    assert status == 400 and "has no territory; Go has" in answer["error"]


@pytest.mark.slow
def test_a_position_travels_as_a_link_and_as_a_command(studio: Studio) -> None:
    import subprocess
    import sys

    from tests.command import ROOT

    for spec, moves in (("go:size=5,komi=0.5", "C3 B2 pass D4"), ("connect4", "4 4 5"),
                        ("draughts", "11-15 23-19 8-11 22-17 11-16 24-20 15x24 20x11 7x16")):
        game = studio.new(spec)
        for move in moves.split():
            assert studio.move(game, move)[0] == 200, move
        status, answer = studio.ask(f"/api/games/{game}/address?engine=mcts:sims=50")
        assert status == 200 and (answer["game"], answer["moves"]) == (spec, moves)
        given = {key: answer[key] for key in ("game", "moves")}
        status, opened = studio.ask("/api/positions", given)
        assert status == 200
        there, here = studio.view(opened["id"]), studio.view(game)
        assert there["position"] == here["position"] and there["plies"] == here["plies"]
    command = answer["command"].replace("dlgo ", f"{sys.executable} -m experiments.cli ", 1)
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "best 27x20" in done.stdout, done


def test_a_link_that_cannot_be_opened_says_why(studio: Studio) -> None:
    for given, words in (
        ({"game": "tictactoe", "moves": "B2 B2"}, "move 2: "),
        ({"game": "tictactoe", "moves": 5}, "moves must be a text"),
        ({"game": "chess"}, "chess"), ({}, "game must be a text"),
        ({"game": "tictactoe", "moves": "A1 " * 7000}, "moves must be a text of at most 20000"),
        ({"game": "go", "moves": "p " * 2001}, "at most 2000 moves"),
    ):
        status, answer = studio.ask("/api/positions", given)
        assert status == 400 and words in answer["error"] and "\n" not in answer["error"], answer
