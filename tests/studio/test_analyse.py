"""Analyses over HTTP: what engines see as they search, exact values, positions set up."""

from __future__ import annotations

import pytest

from dlgo import GameState, get_game
from engines.solver.solver import Solver
from tests.studio.client import BOTS, Studio, View, Watcher


def look(studio: Studio, path: str, condition) -> tuple[View, list[View]]:
    """Read a stream until a condition holds; that event, and all."""
    watcher = Watcher(studio, path)
    try:
        return watcher.until(condition), watcher.events
    finally:
        watcher.close()


def test_a_tree_search_goes_on_and_ends_with_its_reader(studio: Studio) -> None:
    game = studio.new("go:size=5")
    path = f"/api/games/{game}/analysis?engine=mcts:sims=50&rate=60"
    last, events = look(studio, path, lambda event: event["cost"]["simulations"] > 30_000)
    counts = [event["cost"]["simulations"] for event in events]
    assert counts == sorted(counts) and len(counts) > 2
    assert [event["look"] for event in events] == list(range(1, len(events) + 1))
    # The kept tree: visits are those of the whole search, not of its last step.
    assert sum(move["visits"] for move in last["moves"]) >= last["cost"]["simulations"] * 0.9
    # And the tree has room for it, more than a move of 50 simulations would need.
    assert last["cost"]["nodes"] > 10_000
    assert last["who"] == "mcts:sims=50" and not last["final"]
    assert abs(sum(move["share"] for move in last["moves"]) - 1) < 1e-6
    studio.wait(lambda: studio.ask("/api/status")[1]["running"] == 0, "quiet")


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


def test_alpha_beta_goes_deeper_and_deeper(studio: Studio) -> None:
    game = studio.new("tictactoe")
    path = f"/api/games/{game}/analysis?engine=alphabeta:depth=2"
    last, events = look(studio, path, lambda event: event["final"])
    depths = [event["depth"] for event in events]
    assert depths == sorted(depths) and last["proven"] == 0


def test_alpha_beta_tells_what_it_expects_of_every_move(studio: Studio) -> None:
    game = studio.new("tictactoe")
    studio.move(game, "B2")
    path = f"/api/games/{game}/analysis?engine=alphabeta"
    last, events = look(studio, path, lambda event: event["final"])
    assert all(len(event["moves"]) == 8 for event in events)
    # In reply to the centre a corner draws and an edge loses.
    values = {move["text"]: move["value"] for move in last["moves"]}
    assert {text for text, value in values.items() if value == -1} == {"A2", "B1", "B3", "C2"}
    assert {value for text, value in values.items() if text[0] + text[1] in ("A1", "C3")} == {0}


def test_an_engine_that_fails_says_so(studio: Studio) -> None:
    game = studio.new("tictactoe")
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


def test_a_position_is_set_up(studio: Studio) -> None:
    cells = [-1] * 25
    cells[12], cells[13] = 0, 1
    status, answer = studio.ask("/api/positions", {"game": "go:size=5", "cells": cells, "turn": 1})
    assert status == 200, answer
    view = studio.view(answer["id"])["position"]
    assert (view["cells"], view["turn"]) == (cells, 1)
    cells = [-1] * 64
    cells[0], cells[9] = 3, 0  # a white king on 29, a black man on 25
    status, answer = studio.ask("/api/positions", {"game": "draughts", "cells": cells, "turn": 1})
    assert status == 200, answer
    view = studio.view(answer["id"])["position"]
    assert view["cells"] == cells
    assert [move["text"] for move in view["moves"]] == ["29x22"]


@pytest.mark.parametrize(("game", "cells", "turn"), [
    ("go:size=5", [0] * 25, 0), ("go:size=5", [0] * 24, 0), ("go:size=5", [7] * 25, 0),
    ("go:size=5", "x", 0), ("go:size=5", [-1] * 25, 2), ("draughts", [-1, 0] + [-1] * 62, 0),
    ("connect4", [-1] * 42, 0),
])
def test_impossible_positions_are_refused(
    studio: Studio, game: str, cells: object, turn: int
) -> None:
    status, answer = studio.ask("/api/positions", {"game": game, "cells": cells, "turn": turn})
    assert status == 400 and "error" in answer and "internal" not in answer["error"]


def test_a_copy_goes_another_way_and_leaves_the_game_as_it_was(studio: Studio) -> None:
    game = studio.new("tictactoe", white="random")
    with studio.watching(game) as watcher:
        studio.move(game, "B2")
        watcher.until(lambda view: view["plies"] == 2)
    status, answer = studio.ask(f"/api/games/{game}/copy", {"plies": 1})
    copy = answer["id"]
    assert status == 200 and studio.move(copy, "A1")[0] == 200
    assert studio.ask(f"/api/games/{copy}/move", {"move": "C3", "plies": 1})[0] == 200
    assert [r["text"] for r in studio.view(copy)["history"]] == ["B2", "C3"]
    assert studio.view(game)["plies"] == 2


@pytest.mark.parametrize("query", [
    "engine=", "engine=nope", "engine=my_bot.py:X", "engine=mcts&rate=0", "engine=mcts&rate=61",
    "engine=mcts&rate=x", "engine=mcts&plies=-1", "engine=mcts&plies=99", "engine=mcts&plies=1e9",
    "engine=gtp:command=ls", "",
])
def test_nonsense_is_refused(studio: Studio, query: str) -> None:
    game = studio.new("go:size=5")
    status, answer = studio.ask(f"/api/games/{game}/analysis?{query}")
    assert 400 <= status < 500 and set(answer) == {"error"}
    assert studio.ask(f"/api/games/{game}/exact")[0] == 400  # too large
