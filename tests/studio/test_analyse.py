"""Analyses over HTTP: what engines see as they search, exact values, copies."""

from __future__ import annotations

from dlgo import GameState, get_game
from engines.solver.solver import Solver
from tests.studio.client import BOTS, Studio, View, Watcher


def look(studio: Studio, path: str, condition) -> tuple[View, list[View]]:
    """The first event of a stream for which a condition holds, and all events before."""
    watcher = Watcher(studio, path)
    assert watcher.status == 200
    try:
        return watcher.until(condition), watcher.events
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


def test_a_copy_goes_another_way_and_leaves_the_game_as_it_was(studio: Studio) -> None:
    game = studio.new("tictactoe")
    for move in ("B2", "A1"):
        studio.move(game, move)
    status, answer = studio.ask(f"/api/games/{game}/copy", {"plies": 1})
    copy = answer["id"]
    assert status == 200 and studio.move(copy, "C1")[0] == 200
    assert studio.ask(f"/api/games/{copy}/move", {"move": "C3", "plies": 1})[0] == 200
    assert [r["text"] for r in studio.view(copy)["history"]] == ["B2", "C3"]
    assert studio.view(game)["plies"] == 2
