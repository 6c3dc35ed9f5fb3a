"""Clocks, and who has to move when: time that runs out, engines in a hurry, single steps."""

from __future__ import annotations

import pytest

from dlgo import Player
from dlgo.records.sgf import read_sgf
from experiments.studio.clocks import Clocks, read_clock
from experiments.studio.replies import StudioError
from tests.studio.client import BOTS, Studio

SHORT = "0.02"  # minutes: 1.2 s


def test_clocks_are_read_as_players_write_them() -> None:
    assert not read_clock("").limited
    assert read_clock("10").remaining(Player.black) == 600
    fischer, periods = read_clock("0.5 + 3"), read_clock("1+3x20")
    assert (fischer.main_time, fischer.increment, fischer.byo_stones) == (30, 3, 0)
    assert (periods.byo_time, periods.byo_stones, periods.japanese) == (20, 3, True)
    assert periods.remaining(Player.white) == 120
    for text in ("ten", "0", "-1", "5+", "5+3x", "0x3", "1e9", "5+3x0"):
        with pytest.raises(StudioError, match="write 10.5 for ten minutes"):
            read_clock(text)


def test_moves_that_are_taken_back_give_their_time_back() -> None:
    clocks, left = Clocks("10+5", lambda: None), [[(600, 0), (600, 0)]]
    for plies, seconds in enumerate((0, 20, 40, 90), 1):
        clocks.end_turn(plies, Player.from_index((plies - 1) % 2), seconds)
        left.append(clocks.view()["left"])
    assert left[3:] == [[(565, 0), (585, 0)], [(565, 0), (500, 0)]]
    for plies in (3, 2, 1, 0):
        clocks.go_back(plies)
        assert clocks.view()["left"] == left[plies]


def test_a_person_loses_on_time_and_undo_gives_it_back(studio: Studio) -> None:
    game = studio.new("go:size=5", clock=SHORT)
    with studio.watching(game) as watcher:
        watcher.until(lambda view: view["clock"] and view["clock"]["running"] is None)
        studio.move(game, "C3")  # the clock starts with the first move
        before = watcher.until(lambda view: view["plies"] == 1)["clock"]
        assert (before["running"], before["left"]) == (1, [[1.2, 0], [1.2, 0]])
        view = watcher.until(lambda view: view["position"]["over"], "the end")
        assert view["position"]["result"] == "black wins on time"
        assert (view["position"]["winner"], view["yourTurn"]) == (0, False)
        assert studio.move(game, "A1") == (
            400, {"error": "the game is over: black wins on time"})
        record = read_sgf(studio.ask(f"/api/games/{game}/file")[1])
        assert record.result == "B+T" and record.info["TM"] == "1.2"
        studio.ask(f"/api/games/{game}/undo", {})
        view = watcher.until(lambda view: view["plies"] == 0)
        assert not view["position"]["over"] and view["clock"]["running"] is None


@pytest.mark.parametrize(("spec", "texts", "words"), [
    ("draughts", ["11-15"], ['[Result "0-1"]', '[Termination "time forfeit"]',
                             '[TimeControl "1.2"]']),
    ("connect4", ["4"], ["result: red wins on time"]),
])
def test_files_say_that_time_was_up(
    studio: Studio, spec: str, texts: list[str], words: list[str]
) -> None:
    game = studio.new(spec, clock=SHORT)
    with studio.watching(game) as watcher:
        for text in texts:
            studio.move(game, text)
        watcher.until(lambda view: view["position"]["over"], "the end")
    data = studio.ask(f"/api/games/{game}/file")[1].decode()
    assert all(word in data for word in words), data
    name = "a.pdn" if spec == "draughts" else "a.txt"
    status, answer = studio.ask(f"/api/games/load?name={name}", data.encode(),
                                content_type="text/plain")
    assert status == 200 and studio.view(answer["id"])["ended"]


@pytest.mark.parametrize(("spec", "texts"), [
    ("go:size=5", ["C3", "D4", "B2"]), ("draughts", ["11-15"]), ("connect4", ["4", "3"]),
])
@pytest.mark.parametrize("clock", ["1.6667+3x30", "10+5", "10"])
def test_a_saved_game_goes_on_with_its_clock(
    studio: Studio, spec: str, texts: list[str], clock: str
) -> None:
    game = studio.new(spec, clock=clock)
    with studio.watching(game) as watcher:
        for plies, text in enumerate(texts, 1):
            studio.move(game, text)
            watcher.until(lambda view, plies=plies: view["plies"] == plies)
        studio.wait(lambda: studio.view(game)["clock"]["used"] > 0.2, "a turn that has begun")
    studio.wait(lambda: studio.view(game)["clock"]["running"] is None, "the clock's stop")
    before = studio.view(game)["clock"]
    before["left"][len(texts) % 2][0] -= before["used"]
    data = studio.ask(f"/api/games/{game}/file")[1]
    again = studio.ask("/api/games/load?name=a", data, content_type="text/plain")[1]["id"]
    with studio.watching(again) as watcher:
        view = watcher.until(lambda view: view["clock"])
        assert view["paused"] and view["clock"]["running"] is None
        assert view["clock"]["text"] == clock and view["clock"]["periods"] == before["periods"]
        if spec == "go:size=5":
            for left, kept in zip(before["left"], view["clock"]["left"], strict=True):
                assert kept == pytest.approx(left, abs=0.1)
            assert view["notes"] == []
        else:
            assert view["notes"] == ["the clocks start with the full time: the file does not "
                                     "record the time left"]
        studio.ask(f"/api/games/{again}/pause", {"paused": False})
        watcher.until(lambda view: view["clock"]["running"] is not None, "a running clock")


@pytest.mark.parametrize(("properties", "text", "left", "note"), [
    ("TM[600]OT[5x30 byo-yomi]", "10+5x30", [[12, 0], [30, 4]], ""),
    ("TM[600]OT[25/300 Canadian]", None, None, "600 and 25/300 Canadian"),
    ("OT[5x30 byo-yomi]", "0+5x30", [[12, 0], [30, 4]], ""),
    ("OT[25/300 Canadian]", None, None, "'25/300 Canadian' is left out"),
    ("TM[600]RE[B+3.5]", None, None, ""), ("TM[none]", None, None, "'none' is left out"),
    ("TM[-5]", None, None, "'-5' is left out"),
])
def test_clocks_of_files_from_elsewhere(
    studio: Studio, properties: str, text: str | None, left: list[list[int]] | None, note: str
) -> None:
    data = f"(;GM[1]SZ[9]{properties};B[cc]BL[12];W[gg]WL[30]OW[4];B[ee]BL[-1])".encode()
    game = studio.ask("/api/games/load?name=a.sgf", data, content_type="text/plain")[1]["id"]
    view = studio.view(game)
    assert note in str(view["notes"]) and bool(note) == bool(view["notes"])
    assert (view["clock"] or {}).get("text") == text
    assert (view["clock"] or {}).get("left") == left


def test_clocks_stand_still_while_nobody_watches_or_the_game_is_paused(studio: Studio) -> None:
    game = studio.new("tictactoe", clock="5+60")
    with studio.watching(game) as watcher:
        studio.move(game, "B2")
        studio.wait(lambda: studio.view(game)["clock"]["used"] > 0, "a running clock")
        studio.ask(f"/api/games/{game}/pause", {"paused": True})
        clock = watcher.until(lambda view: view["paused"])["clock"]
        assert clock["running"] is None and clock["used"] > 0
        studio.ask(f"/api/games/{game}/pause", {"paused": False})
        watcher.until(lambda view: view["clock"]["running"] == 1)
        studio.move(game, "A1")
        left = watcher.until(lambda view: view["plies"] == 2)["clock"]["left"][1]
        assert 300 < left[0] < 360  # what was used, and the increment
        studio.ask(f"/api/games/{game}/undo", {})
        left = watcher.until(lambda view: view["plies"] == 1)["clock"]["left"][1]
        assert left == [300, 0]
    studio.wait(lambda: studio.view(game)["clock"]["running"] is None, "the clock's stop")


def test_an_engine_shares_its_time_out_and_is_charged_its_thinking(studio: Studio) -> None:
    game = studio.new("connect4", white="mcts:wall=30", clock="0.2")
    with studio.watching(game) as watcher:
        studio.move(game, "4")
        view = watcher.until(lambda view: view["plies"] == 2)
    wall, (left, _) = view["history"][1]["wall"], view["clock"]["left"][1]
    assert wall < 6 and left == pytest.approx(12 - wall, abs=0.01)


def test_an_engine_that_cannot_limit_its_time_loses_on_time(studio: Studio) -> None:
    game = studio.new("tictactoe", white=f"{BOTS}:Hanger", clock=SHORT)
    with studio.watching(game) as watcher:
        studio.move(game, "B2")
        watcher.until(lambda view: view["clock"]["running"] == 1, "its clock")
        view = watcher.until(lambda view: view["position"]["over"], "the end")
        assert view["position"]["result"] == "X wins on time"
        assert not view["thinking"] and not view["problem"]


def test_an_engine_moves_now_if_it_can(studio: Studio) -> None:
    game = studio.new("go:size=5", white="mcts:wall=50")
    path = f"/api/games/{game}"
    assert "no engine is thinking" in studio.ask(f"{path}/now", {})[1]["error"]
    with studio.watching(game) as watcher:
        studio.move(game, "C3")
        watcher.until(lambda view: view["canHurry"], "a search")
        assert studio.ask(f"{path}/now", {}) == (200, {})
        assert watcher.until(lambda view: view["plies"] == 2)["history"][1]["wall"] < 40
        studio.ask(f"{path}/players", {"white": f"{BOTS}:Hanger"})
        studio.move(game, "A1")
        watcher.until(lambda view: view["thinking"])
        assert studio.ask(f"{path}/now", {})[0] == 400


def test_two_engines_go_step_by_step_and_at_any_speed(studio: Studio) -> None:
    game = studio.new("tictactoe", "random", "random", delay=60)
    path = f"/api/games/{game}"
    with studio.watching(game) as watcher:
        watcher.until(lambda view: view["plies"] == 1)
        for plies in (2, 3):
            studio.ask(f"{path}/pause", {"paused": True, "step": True})
            watcher.until(lambda view, n=plies: view["plies"] == n and view["paused"], "a step")
            assert not studio.view(game)["thinking"]
        assert "out of range (0 to 60)" in studio.ask(f"{path}/speed", {"delay": -1})[1]["error"]
        studio.ask(f"{path}/speed", {"delay": 0})
        studio.ask(f"{path}/pause", {"paused": False})
        watcher.until(lambda view: view["position"]["over"], "the end")


def test_a_rematch_has_the_same_settings(studio: Studio) -> None:
    game = studio.new("go:size=5,komi=0.5", "human", "random", clock="5+3")
    studio.move(game, "resign")
    for swap in (False, True):
        again = studio.view(studio.ask(f"/api/games/{game}/rematch", {"swap": swap})[1]["id"])
        assert again["game"] == "go:size=5,komi=0.5" and again["plies"] == 0
        assert again["sides"] == (["random", "human"] if swap else ["human", "random"])
        assert again["clock"]["text"] == "5+3"


def test_moments_are_the_moves_before_the_largest_changes(studio: Studio) -> None:
    """X gives the middle away, then leaves a row open; the engine's values say so."""
    game = studio.new("tictactoe", white="alphabeta:depth=9")
    with studio.watching(game) as watcher:
        assert studio.view(game)["moments"] == []
        for turn, text in enumerate(("A1", "A2", "A3", "C2", "C3"), 1):
            view = watcher.until(
                lambda view, n=turn: view["position"]["over"] or view["plies"] == 2 * n - 2)
            if not view["position"]["over"]:
                legal = [move["text"] for move in view["position"]["moves"]]
                studio.move(game, text if text in legal else legal[0])
        view = watcher.until(lambda view: view["position"]["over"], "the end")
    values = [(at, record["black"]) for at, record in enumerate(view["history"])
              if record["black"] is not None]
    (moment,) = view["moments"]  # X can lose only once
    lost = next(at for at, value in values if value == 0.0)
    assert moment["plies"] == lost
    assert moment["text"].startswith(f"Move {lost}, X ")
    assert moment["text"].endswith("50% to 0% for X")
