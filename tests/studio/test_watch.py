"""The view Watch: tournaments while they run, ledgers of every age, and files that are none."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from dlgo.records.ledger import GameRecord, Ledger
from experiments.arena.running import running_path
from experiments.studio.ledgers import PAGE
from experiments.studio.opponents import name_of
from experiments.studio.position import position_view
from reports.rate import rate_file
from tests.command import ROOT
from tests.sample_ledger import write_sample
from tests.studio.client import BOTS, PATIENCE, Studio, View, Watcher

GAMES = 48
# Holds the next answer of the server back until `release` is called.
_LATE = """
const { fetch } = window;
window.fetch = async (...given) => {
  window.fetch = fetch;
  const reply = await fetch(...given), found = await reply.json();
  await new Promise((done) => { window.release = done; });
  setTimeout(() => { window.told = true; });
  return { ok: true, json: async () => found };
};
"""


def tournament(ledger: Path, hold: Path) -> subprocess.Popen:
    """A tournament that stops in one of its first games as long as a file is there."""
    return subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", "tournament", "--ledger", str(ledger), "--game",
         "tictactoe", "--engine", "random", "--engine", "heuristic", "--engine", f"{BOTS}:Patient",
         "--pairs", str(GAMES // 6), "--workers", "1", "--seed", "5"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        # Not yet while the engines warm up, which is before the tournament tells of its games.
        env={**os.environ, "DLGO_TEST_HOLD": f"{hold} {running_path(ledger)}"},
    )


def event_of(studio: Studio, name: str, condition) -> View:
    """The first event of a ledger's stream for which a condition holds."""
    watcher = Watcher(studio, f"/api/ledgers/{quote(name)}/events")
    try:
        return watcher.until(condition)
    finally:
        watcher.close()


def record(slot: str, **more: object) -> GameRecord:
    """A game of tic-tac-toe for a ledger."""
    plain = {
        "game": "tictactoe", "first": "random", "second": "heuristic", "pair": 0, "opening": "B2",
        "seed": 1, "result": 0.5, "reason": "draw", "moves": "B2 A1 C3",
        "started": "2026-11-22T10:00:00", "finished": "2026-11-22T10:00:01", "machine": "m",
        "version": "1",
    }
    return GameRecord(slot=slot, **(plain | more))


def test_a_tournament_is_watched_live_to_its_end(
    studio: Studio, page, tmp_path: Path
) -> None:
    page.go("watch/tour.sqlite")
    page.see_text("does not exist", ".watch-status")
    hold = tmp_path / "hold"
    hold.touch()
    process = tournament(studio.ledgers["tour"], hold)
    try:
        page.see_text("Playing: ", ".watch-status")
        page.see("[...document.querySelectorAll('.tile')].some((tile) => "
                 "tile.innerText.includes('Patient') && tile.querySelector('.pieces > g'))")
        early = page.until(lambda: table_of(page), "standings")
        hold.unlink()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
    page.see_text(f"{GAMES} games; no tournament", ".watch-status")
    (rated,) = rate_file(studio.ledgers["tour"])
    expected = {}
    for row in rated.rows.itertuples():
        half = (row.high95 - row.low95) / 2
        expected[row.entrant] = [f"{round(row.rating)}", f"± {round(half)}", str(row.games),
                                 f"{row.wins} {row.draws} {row.losses}"]
    assert sum(int(row[2]) for row in expected.values()) == 2 * (GAMES - rated.repeated)
    page.until(lambda: table_of(page) == expected, f"{expected}, not {table_of(page)}")
    # The intervals have grown narrower.
    for entrant, row in early.items():
        if row[2] != expected[entrant][2]:
            assert width(row) > width(expected[entrant])
    assert not page.driver.find_elements("css selector", ".tile")
    assert page.errors() == []


@pytest.fixture
def tour(studio: Studio, tmp_path: Path) -> Path:
    """The ledger of the tournament, played unseen where there is no browser."""
    if not studio.ledgers["tour"].exists():
        assert tournament(studio.ledgers["tour"], tmp_path / "none").wait(PATIENCE) == 0
    return studio.ledgers["tour"]


def table_of(page) -> dict[str, list[str]]:
    """The standings on the page: rating, interval, games, results by entrant, best first."""
    rows = page.driver.execute_script(
        "return [...document.querySelectorAll('.standings tbody tr')].map((row) => "
        "[row.querySelector('[data-entrant]').dataset.entrant, "
        "...[...row.children].map((cell) => cell.textContent)])"
    )
    return {
        row[0]: [text.replace("−", "-") for text in (row[3], row[4], row[6], row[7])]
        for row in rows
    }


def width(row: list[str]) -> int:
    return int(row[1].removeprefix("± "))


def test_a_finished_game_is_opened_with_its_players_and_costs(
    studio: Studio, tour: Path, page
) -> None:
    with Ledger(tour, read_only=True) as ledger:
        ledger.show_names()
        record = max(ledger.games(), key=lambda game: len(game.costs))
    page.go("watch/tour.sqlite")
    page.see(f"document.querySelectorAll('.games-table tbody tr').length === {PAGE}", "games")
    page.find(".standings tbody tr")
    assert page.nameless() == []
    page.driver.execute_script(_LATE)  # the games of one entrant come after those of another
    page.click(".standings [data-entrant=random]")
    page.click(".standings [data-entrant=heuristic]")
    page.see("Boolean(window.release)", "the first answer")
    page.see_text("Games of heuristic", ".finished h2")
    page.driver.execute_script("release()")
    page.see("window.told", "its end")
    assert all("heuristic" in text for text in page.texts(".games-table tbody tr"))
    page.go(f"watch/tour.sqlite/{quote(record.slot, safe='')}")
    page.find(".moves li")
    assert page.texts(".moves .text") == record.moves.split()
    assert page.text(".player b") == name_of(record.first, record.game)
    assert page.text(".player .note").endswith(record.first)
    states = list(record.positions())
    page.see_pieces(sum(cell >= 0 for cell in position_view(states[-1])["cells"]), "the end")
    view = studio.view(page.driver.current_url.rpartition("/")[2])
    cost = record.costs[-1]
    told = view["history"][cost.ply]
    assert (told["wall"], told["who"]) == (cost.wall, (record.first, record.second)[cost.player])
    page.press("Analyse")
    page.find(".analyse")
    assert page.errors() == []


@pytest.mark.slow
def test_games_are_listed_last_one_first_and_by_entrant(studio: Studio, tour: Path) -> None:
    path = "/api/ledgers/tour.sqlite/games"
    status, found = studio.ask(path)
    assert status == 200 and found["total"] == GAMES
    moments = [game["finished"] for game in found["games"]]
    assert moments == sorted(moments, reverse=True)
    _, own = studio.ask(f"{path}?entrant=random")
    assert own["total"] == 2 * GAMES // 3
    assert all("random" in (game["first"], game["second"]) for game in own["games"])
    assert studio.ask(f"{path}?failed=yes")[1]["total"] == 0
    assert len(studio.ask(f"{path}?offset={GAMES - 3}")[1]["games"]) == 3


def test_ledgers_of_a_folder_are_found_as_they_appear(
    studio: Studio, page, tmp_path: Path
) -> None:
    folder, elsewhere = tmp_path / "mine", tmp_path / "other.sqlite"
    folder.mkdir()
    write_sample(elsewhere)
    (folder / "link.sqlite").symlink_to(elsewhere)
    server = Studio("--ledger", str(folder), "--ledger", str(tmp_path / "later.sqlite"))
    try:
        page.studio = server
        page.go("watch")
        page.see_text("later.sqlite does not exist", ".ledgers")
        assert "link" not in page.text(".ledgers")
        assert server.ask("/api/ledgers/link.sqlite/games")[0] == 404
        write_sample(folder / "new.sqlite")
        page.see_text("new.sqlite", ".ledgers")
        write_sample(tmp_path / "later.sqlite")
        page.see("[...document.querySelectorAll('.ledgers span')]"
                   ".filter((one) => /games/.test(one.textContent)).length === 2", "both ledgers")
    finally:
        page.driver.get("about:blank")
        page.errors()
        page.studio = studio
        server.close()


def test_a_ledger_is_shown_and_left_as_it_is(studio: Studio) -> None:
    old = write_sample(studio.ledgers["old"])
    before, around = old.read_bytes(), sorted(path.name for path in old.parent.iterdir())
    view = event_of(studio, "old.sqlite", lambda view: view["standings"])
    rated = {game.game: game for game in rate_file(old)}
    assert {table["game"] for table in view["standings"]["tables"]} == set(rated)
    for table in view["standings"]["tables"]:
        assert [row["entrant"] for row in table["rows"]] == list(rated[table["game"]].rows.entrant)
    assert studio.ask("/api/ledgers/old.sqlite/games?failed=yes")[1]["total"] == 17
    assert old.read_bytes() == before
    assert sorted(path.name for path in old.parent.iterdir()) == around


def _truncated(path: Path) -> None:
    path.write_bytes(write_sample(path).read_bytes()[:9000])


def _scrambled(path: Path) -> None:
    data = bytearray(write_sample(path).read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)


def _foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript("PRAGMA user_version = 1; CREATE TABLE visits (url TEXT);")


def _lying(path: Path) -> None:
    """A table of games with other columns."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "PRAGMA user_version = 3; CREATE TABLE meta (key, value);"
            "CREATE TABLE games (id INTEGER PRIMARY KEY, slot, result);"
            "INSERT INTO games VALUES (1, x'00', 'won');"
        )


@pytest.mark.parametrize("make", [
    _truncated, _scrambled, _foreign, _lying, lambda path: path.write_bytes(b""),
    lambda path: path.write_text("<script>alert(1)</script>\n" * 999),
])
def test_a_file_that_is_no_ledger_is_told_in_one_line(studio: Studio, make) -> None:
    path = studio.ledgers["broken"]
    make(path)
    try:
        view = event_of(studio, path.name, lambda view: view["problem"] or view["rating"])
        words = view["problem"] or view["rating"]
        assert "ledger" in words and "\n" not in words and "Traceback" not in words
        for what, body in (("games", None), ("open", {"slot": "x"})):
            status, answer = studio.ask(f"/api/ledgers/{path.name}/{what}", body)
            assert 400 <= status < 500 and set(answer) == {"error"}, (what, answer)
            assert "internal" not in answer["error"] and "\n" not in answer["error"]
        listed = studio.ask("/api/ledgers")[1]["ledgers"]
        assert path.name in [ledger["name"] for ledger in listed]
    finally:
        path.unlink()


def test_a_ledger_brings_no_code_and_no_markup(studio: Studio, tmp_path: Path, page) -> None:
    trap, sign = tmp_path / "trap.py", tmp_path / "sprung"
    trap.write_text(f"import pathlib; pathlib.Path({str(sign)!r}).touch()\n")
    name = "<img src=x onerror=document.title='hacked'>"
    with Ledger(studio.ledgers["trap"]) as ledger:
        ledger.add(
            record("outside", game=f"{trap}:Trap"), record(f"{name}/#?", first=name, reason=name),
        )
    running = {"slot": "outside", "game": f"{trap}:Trap", "first": name, "second": name,
               "actions": [1, 2], "began": 0.0, "player": None, "value": None}
    running_path(studio.ledgers["trap"]).write_text(json.dumps({
        "done": 1, "planned": 2, "cluster": None,
        "games": [running, running | {"game": "tictactoe", "actions": [99]}],
    }))
    status, answer = studio.ask("/api/ledgers/trap.sqlite/open", {"slot": "outside"})
    assert status == 403 and "--allow" in answer["error"]
    view = event_of(studio, "trap.sqlite", lambda view: view["live"])
    assert [game["position"] for game in view["live"]] == [None, None]
    assert "--allow" in view["live"][0]["problem"]
    page.go("watch/trap.sqlite")

    def tiles() -> int:
        os.utime(running_path(studio.ledgers["trap"]))  # it is still going on
        return page.count(".tile")

    page.until(lambda: tiles() == 2, "two games")
    page.press("tictactoe")
    page.see_text(name, ".standings")
    page.see_text(name, ".games-table")
    page.click(".games-table a")
    page.see_text(name, ".players")
    assert page.driver.title == "Play · dlgo studio" and not sign.exists()
    assert not page.driver.find_elements("css selector", "main img")
    assert page.errors() == []
