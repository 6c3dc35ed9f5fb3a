"""The count of dead stones after two passes, over HTTP and in real Chromium."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from dlgo import get_game
from experiments.play.game_file import read_games
from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")


def finished(studio: Studio) -> str:
    """Black holds the whole board of 5 by 5, but for White's stone on A1."""
    game = studio.new("go:size=5,komi=0.5")
    for move in ("C3", "A1", "B2", "", "D4", "", "B4", "", "D2", "", "B1", "", ""):
        assert studio.move(game, move or "pass") == (200, {}), move
    return game


def count(studio: Studio, game: str, **given: int) -> tuple[int, dict]:
    return studio.ask(f"/api/games/{game}/count", given)


def test_dead_stones_change_the_count_and_not_the_result_of_the_rules(studio: Studio) -> None:
    game = finished(studio)
    rules = studio.view(game)["position"]["result"]
    assert count(studio, game) == (200, {})
    proposal = studio.view(game)["count"]
    assert proposal["proposed"] and proposal["dead"] == [0]
    assert (proposal["black"], proposal["white"], proposal["result"]) == (
        25, 0, "black wins by 24.5")
    count(studio, game, toggle=0)
    alive = studio.view(game)["count"]
    assert (alive["dead"], alive["black"], alive["white"], alive["proposed"]) == ([], 6, 1, False)
    assert alive["result"] == "black wins by 4.5" and alive["owner"].count(-1) == 18
    count(studio, game, toggle=0)
    assert studio.view(game)["count"]["dead"] == [0]
    assert studio.view(game)["position"]["result"] == rules
    status, answer = count(studio, game, toggle=24)
    assert status == 400 and "no stone" in answer["error"]

    _, data = studio.ask(f"/api/games/{game}/file")
    (saved,) = read_games(data, PurePath("a.sgf"), get_game)
    last = saved.root.main_line()[-1]
    assert len(last.markup["TB"]) == 19 and b"ae" in last.markup["TB"] and "TW" not in last.markup
    assert "black 25, white 0 + 0.5: black wins by 24.5" in last.comment

    loaded = studio.ask("/api/games/load?name=a.sgf", data, content_type="text/plain")[1]["id"]
    assert studio.view(loaded)["count"] == {**studio.view(game)["count"], "proposed": False}
    assert studio.ask(f"/api/games/{loaded}/file")[1] == data

    studio.ask(f"/api/games/{game}/undo", {})
    assert studio.view(game)["count"] is None
    status, answer = count(studio, game)
    assert status == 400 and "two passes" in answer["error"]
    assert count(studio, studio.new("tictactoe"))[0] == 400


def test_dead_stones_are_clicked(studio: Studio, page: Page) -> None:
    page.go(f"play/{finished(studio)}")
    page.see_text("Black 6, white 1 + 0.5 komi, black wins by 4.5", ".agreed")
    page.press("Mark dead stones")
    page.see_text("Without 1 dead stone: black 25", ".agreed")
    assert page.count(".marks .owner.side0") == 18 and page.count(".marks .owner.side1") == 0
    assert page.texts(".drawn-text") == ["×"]
    assert page.find("[data-cell='0']").get_attribute("aria-label").endswith("marked ×")
    page.click_cell(0)
    page.see_text("Without 0 dead stones: black 6", ".agreed")
    assert page.count(".marks .owner, .drawn-text") == 0
    assert page.errors() == [] and page.nameless() == []
