"""Games over HTTP: played to their ends, taken back, saved and loaded, engines at work."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from dlgo import GameState, get_game
from dlgo.display import result_text
from dlgo.system import processes
from experiments.studio.position import find_turn
from tests.studio.client import BOTS, OWN_GAME, Studio

GAMES = (
    "tictactoe", "connect4", "connectn:cols=5,rows=4,n=3,pie=yes",
    "connectn:cols=6,rows=6,n=4,gravity=no", "go:size=5", "draughts", OWN_GAME,
    "hex:size=4,swap=yes", "othello:size=4", "breakthrough:rows=5,cols=4",
)


@pytest.mark.parametrize("spec", GAMES)
def test_a_random_game_ends_with_the_result_of_the_rules(studio: Studio, spec: str) -> None:
    draw = random.Random(7)
    game, state = studio.new(spec), GameState.new_game(get_game(spec))
    view = studio.view(game)
    while not view["position"]["over"] and view["plies"] < 400:
        move = draw.choice(view["position"]["moves"])
        assert studio.move(game, move["text"]) == (200, {})
        for step in find_turn(state, move["text"]):
            state = state.apply_move(step)
        view = studio.view(game)
        assert view["plies"] == len(state.moves())
    assert state.is_over()
    assert view["position"]["result"] == result_text(state)
    winner = state.winner()
    assert view["position"]["winner"] == (None if winner is None else winner.index)
    status, refused = studio.move(game, "A1" if "go" in spec else "1")
    assert status == 400 and "error" in refused


def test_whole_captures_are_one_move(studio: Studio) -> None:
    draw, double = random.Random(1), None
    game = studio.new("draughts")
    while double is None:
        view = studio.view(game)
        if view["position"]["over"]:
            game = studio.new("draughts")
            continue
        moves = view["position"]["moves"]
        double = next((move for move in moves if move["text"].count("x") == 2), None)
        if double is None:
            studio.move(game, draw.choice(moves)["text"])
    assert len(double["path"]) == 3
    assert studio.move(game, double["text"]) == (200, {})
    after = studio.view(game)
    assert after["plies"] == view["plies"] + 2
    assert after["history"][-1]["text"] == double["text"]
    assert after["position"]["turn"] != view["position"]["turn"]
    _, data = studio.ask(f"/api/games/{game}/file")
    _, answer = studio.ask("/api/games/load?name=a.pdn", data, content_type="text/plain")
    loaded = studio.view(answer["id"])["history"]
    assert [(r["text"], r["plies"]) for r in loaded] == [
        (r["text"], r["plies"]) for r in after["history"]
    ]


def test_a_page_is_told_what_is_new(studio: Studio) -> None:
    """Put together it is the whole view; the board and the turns before are not sent again."""
    draw, game = random.Random(3), studio.new("go:size=9")
    with studio.watching(game) as watcher:
        for plies in range(1, 31):
            view = watcher.until(lambda view, n=plies: view["plies"] == n - 1, "a move")
            studio.move(game, draw.choice(view["position"]["moves"])["text"])
        watcher.until(lambda view: view["plies"] == 30, "a move")
        studio.ask(f"/api/games/{game}/undo", {})
        told = watcher.until(lambda view: view["plies"] == 29, "an undo")
        whole = studio.view(game)
    assert {**told, "seconds": 0} == {**whole, "seconds": 0}
    assert max(watcher.sizes[1:]) + 700 < watcher.sizes[0]


def test_moves_are_explained_looked_at_and_the_game_resigned(studio: Studio) -> None:
    game = studio.new("go:size=5")
    assert studio.move(game, "C3") == (200, {})
    assert studio.move(game, "c3") == (400, {"error": "C3 is illegal: the point is occupied"})
    assert "not a point" in studio.move(game, "zebra")[1]["error"]
    assert "more than one turn" in studio.move(game, "A1 A2")[1]["error"]
    assert "to resign, write only resign" in studio.move(game, "resign now")[1]["error"]
    assert studio.move(game, "A1") == (200, {})
    status, position = studio.ask(f"/api/games/{game}/positions/1")  # an earlier one
    assert (status, position["cells"].count(-1), position["last"]) == (200, 24, 12)
    assert studio.ask(f"/api/games/{game}/positions/3")[0] == 404
    studio.move(game, "resign")
    assert studio.view(game)["position"]["result"] == "white wins by resignation"


def test_a_page_that_shows_an_earlier_position_moves_nothing(studio: Studio) -> None:
    game = studio.new("tictactoe")
    for move in ("B2", "A1"):
        assert studio.move(game, move) == (200, {})
    path, move = f"/api/games/{game}/move", {"move": "C3"}
    assert studio.ask(path, {**move, "plies": 1})[0] == 400
    assert [turn["text"] for turn in studio.view(game)["history"]] == ["B2", "A1"]
    assert studio.ask(path, {**move, "plies": 2}) == (200, {})


def test_undo_goes_back_to_the_persons_turn(studio: Studio) -> None:
    game = studio.new("connect4", white=f"{BOTS}:First")
    with studio.watching(game) as watcher:
        studio.move(game, "4")
        view = watcher.until(lambda view: view["plies"] == 2)
        assert [record["who"] for record in view["history"]] == ["human", f"{BOTS}:First"]
        assert studio.ask(f"/api/games/{game}/undo", {}) == (200, {})
        assert watcher.until(lambda view: view["plies"] == 0)["yourTurn"]
    assert "have not moved yet" in studio.ask(f"/api/games/{game}/undo", {})[1]["error"]


@pytest.mark.parametrize(("spec", "moves", "form"), [
    ("go:size=5,komi=0.5", ("C3", "pass", "D4"), "sgf"),
    ("draughts", ("11-15", "22-18", "15x22", "25x18"), "pdn"),
    ("connectn:cols=5,rows=4,n=3,pie=true", ("3", "swap", "2"), "txt"),
])
def test_a_saved_game_is_loaded_as_it_was(
    studio: Studio, spec: str, moves: tuple[str, ...], form: str
) -> None:
    game = studio.new(spec)
    for text in moves:
        assert studio.move(game, text) == (200, {}), text
    status, data = studio.ask(f"/api/games/{game}/file")
    assert status == 200
    status, answer = studio.ask(f"/api/games/load?name=a.{form}", data,
                                content_type="application/octet-stream")
    assert status == 200, answer
    before, after = studio.view(game), studio.view(answer["id"])
    for key in ("game", "position", "plies"):
        assert before[key] == after[key], key
    assert after["assisted"] and not before["assisted"]  # it says nothing of a level that fits
    assert [r["text"] for r in after["history"]] == [r["text"] for r in before["history"]]


def test_an_engine_answers_with_what_it_expects_and_costs(studio: Studio) -> None:
    game = studio.new("tictactoe", white="alphabeta:depth=9")
    with studio.watching(game) as watcher:
        studio.move(game, "B2")
        view = watcher.until(lambda view: view["plies"] == 2)
    record = view["history"][1]
    assert record["counted"] == "nodes" and record["count"] > 10
    assert record["wall"] >= 0 and record["cpu"] >= 0  # clocks stand still while code is compiled
    assert (record["who"], record["black"]) == ("alphabeta:depth=9", 0.5)


def test_a_hint_wins_where_a_win_is_there(studio: Studio) -> None:
    game = studio.new("connect4")
    for column in "414242":
        studio.move(game, column)
    with studio.watching(game) as watcher:
        assert studio.ask(f"/api/games/{game}/hint", {"engine": "mcts:sims=500"})[0] == 200
        hint = watcher.until(lambda view: view["hint"])["hint"]
    assert (hint["text"], hint["proven"], hint["black"]) == ("4", 1, 1.0)
    assert hint["moves"][0]["path"] == [24]


def test_two_engines_play_while_somebody_watches(studio: Studio) -> None:
    game = studio.new("tictactoe", "random", "random", delay=0)
    time.sleep(0.5)
    assert studio.view(game)["plies"] == 0
    with studio.watching(game) as watcher:
        assert watcher.until(lambda view: view["position"]["over"])["position"]["result"]


@pytest.mark.parametrize(("bot", "words"), [
    ("Crasher", "ZeroDivisionError: one over nothing"),
    ("Leaver", "process died (exit code 3)"),
    ("Cheater", "the column is full"),
    ("Broken", "not today"),
])
def test_an_engine_that_fails_is_reported_and_replaced(
    studio: Studio, bot: str, words: str
) -> None:
    game = studio.new("connectn:cols=4,rows=1,n=3", white=f"{BOTS}:{bot}")
    with studio.watching(game) as watcher:
        studio.move(game, "2")
        view = watcher.until(lambda view: view["problem"], bot)
        assert words in view["problem"] and "Traceback" not in view["problem"]
        status, _ = studio.ask(f"/api/games/{game}/players", {"white": f"{BOTS}:First"})
        assert status == 200
        view = watcher.until(lambda view: view["plies"] == 2)
        assert view["problem"] == "" and view["history"][-1]["text"] == "1"


@pytest.mark.slow
def test_an_engine_that_hangs_is_reported() -> None:
    server = Studio("--allow", BOTS, "--move-timeout", "2")
    try:
        game = server.new("tictactoe", white=f"{BOTS}:Hanger")
        with server.watching(game) as watcher:
            server.move(game, "B2")
            view = watcher.until(lambda view: view["problem"])
            assert "no answer within 2 s" in view["problem"]
    finally:
        server.close()


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_an_engine_that_is_killed_is_reported_and_replaced(studio: Studio) -> None:
    game = studio.new("go:size=5", white="mcts:wall=30")
    with studio.watching(game) as watcher:
        studio.move(game, "C3")
        watcher.until(lambda view: view["engine"] and view["engine"]["phase"] == "thinking")
        for pid in processes.descendants(studio.process.pid):
            with suppress(OSError):  # some end by themselves
                if b"engines.isolation.host" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
        view = watcher.until(lambda view: view["problem"], "the report")
        assert "process died (signal 9)" in view["problem"]
        studio.ask(f"/api/games/{game}/players", {"white": "mcts:sims=10"})
        assert watcher.until(lambda view: view["plies"] == 2)["problem"] == ""


def test_searches_wait_in_order_and_end_with_their_page(studio: Studio) -> None:
    games = [studio.new("connect4", f"{BOTS}:Hanger", "human") for _ in range(3)]
    watchers = [studio.watching(game) for game in games]
    opened = [watcher.__enter__() for watcher in watchers]
    studio.wait(lambda: 2 in [
        (w.events[-1]["engine"] or {}).get("before") for w in opened if w.events
    ], "a queue")
    assert studio.ask("/api/status")[1]["waiting"] >= 1
    for watcher in watchers:
        watcher.__exit__(None, None, None)
    started = time.monotonic()
    studio.wait_for_quiet()
    # The search would have gone on to its time limit of 60 s and the next one as well.
    assert time.monotonic() - started < 60


@pytest.mark.slow
def test_the_same_seed_gives_the_same_game(studio: Studio) -> None:
    replies = []
    for _ in range(2):
        game = studio.new("go:size=5", white="mcts:sims=200", seed=5)
        with studio.watching(game) as watcher:
            studio.move(game, "C3")
            replies.append(watcher.until(lambda view: view["plies"] == 2)["history"][1]["text"])
    assert replies[0] == replies[1]
