"""The HTML page: what a ledger says is text, nothing comes from elsewhere, games replay."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game
from dlgo.games import game_names
from dlgo.records.costs import MoveCost
from dlgo.records.ledger import GameRecord, Ledger
from reports import report
from reports.replays import replay
from reports.report import write_report
from reports.tables import cost_table, games_frame
from tests.conftest import random_game
from tests.reports.simulation import game_record

EVIL = "<script>alert('x')</script>&\"$a_b$"


def record(
    number: int, first: str, second: str, result: float, game: str = "tictactoe",
    moves: str = "A1 B2 C3", reason: str = "", pair: int = 0, networks: str | None = None,
) -> GameRecord:
    costs = tuple(
        MoveCost(ply, ply % 2, 0.01 * (ply + 1), 0.02, 7, 100 + ply, 0, 0.5)
        for ply in range(1, len(moves.split()))
    )
    return game_record(
        number, first, second, result, game=game, reason=reason, pair=pair, moves=moves,
        opening=moves.split()[0], started="2025-01-01T10:20:30", finished="2025-01-01T10:21:30",
        machine=f"machine {EVIL}", version=EVIL, costs=costs, networks=networks,
    )


class Page(HTMLParser):
    """Elements, identifiers, texts and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append("")
        for name, value in attributes:
            if name == "id":
                self.ids.append(str(value))
            if name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
                self.addresses.append(str(value))
            assert not name.startswith("on"), "no handlers in attributes"

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["script"]:
            self.scripts[-1] += data
        else:
            self.text += data


def write_page(folder: Path, records: list[GameRecord], **meta: object) -> str:
    with Ledger(folder / "games.sqlite") as ledger:
        for key, value in meta.items():
            ledger.set_meta(key, value)
        assert ledger.add(*records) == len(records)
    paths = write_report(folder / "games.sqlite", folder / "out")
    assert paths[0].name == "report.html"
    return paths[0].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def evil_page(tmp_path_factory) -> str:
    """Names, reasons, games, machines and plans that try to be HTML."""
    return write_page(
        tmp_path_factory.mktemp("evil"),
        [
            record(0, EVIL, "mcts:sims=100", 1, networks=EVIL),
            record(1, "mcts:sims=100", EVIL, 1, networks='{"first": "long", "second": {"id": 1}}'),
            record(2, EVIL, "mcts:sims=100", 0, reason=f"crash of first: {EVIL}"),
            record(3, "a", EVIL, 1, game=f"../{EVIL}", moves="x y"),
            record(4, EVIL, "a", 1, game=f"../{EVIL}", moves="x z"),
        ],
        plan={"games": [EVIL], "seed": EVIL, "pairs": None},
    )


@pytest.mark.slow
def test_what_a_ledger_says_is_text(evil_page, tmp_path):
    page = Page(evil_page)
    assert len(page.scripts) == 3  # our modules, the games as JSON, and what runs
    assert not any("<script>" in script for script in page.scripts)
    assert page.text.count(EVIL) > 10  # it is shown as it is
    assert page.tags.count("img") == page.tags.count("iframe") == page.tags.count("object") == 0
    games = json.loads(page.scripts[1])
    assert games[0]["games"][0]["first"] in (EVIL, "mcts:sims=100")


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take most of a report's time, and other tests look at them."""
    for name in ("draw_strength", "save"):
        monkeypatch.setattr(report, name, lambda *_, **options: [])


@pytest.mark.slow
def test_a_name_is_text_wherever_it_stands(tmp_path):
    """No line of its own, no escape sequence, in whatever place a ledger has a name."""
    evil = "[x](javascript:alert(1)) `a` *b* _c_ https://example.org | \x1b[31m\n# heading\u202e"
    write_page(
        tmp_path,
        [record(0, evil, "b", 1, networks="{}"), record(1, "b", evil, 0),
         record(2, evil, "b", 0, reason=f"crash of first: {evil}"),
         record(3, "b", evil, 1, game=f"x{evil}", moves="x")],
        plan={"games": [evil], evil: 1},
    )
    for name in ("report.html", "games.csv", "ratings.csv", "cost_table.csv"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert all(char.isprintable() or char == "\n" for char in text), name
        assert r"\x1b[31m" in text


def test_the_page_needs_nothing_else(evil_page):
    page = Page(evil_page)
    assert all(address.startswith("#") for address in page.addresses), page.addresses
    targets = {address.removeprefix("#") for address in page.addresses}
    assert targets <= set(page.ids) and len(page.ids) == len(set(page.ids))
    assert not re.search(r"@import|url\((?!#)", evil_page)
    # Names of namespaces look like addresses, but no browser goes there.
    addresses = set(re.findall(r"https?://[^\s\"']*", evil_page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


@pytest.mark.slow
def test_the_facts_of_a_small_ledger(tmp_path):
    text = write_page(
        tmp_path,
        [
            record(0, "mcts:sims=100", "b", 1, moves="A1 A2 B1 B2 C1", networks=json.dumps({
                "first": {"id": "x", "training_cpu_seconds": 9000.0, "runtime": "int8"},
                "second": {"id": "y", "training_cpu_seconds": 36000.0},
            })),
            record(1, "b", "mcts:sims=100", 1, moves="A1 A2 B1 B2 C1"),
            record(2, "mcts:sims=100", "b", 0, moves="A1 A2", reason="no move from first within"),
            record(3, "b", "mcts:sims=100", 0.5, moves="A1"),
        ],
        plan={"pairs": 3, "seed": 7, "opening_plies": None},
    )
    page = Page(text)
    for fact in (
        "2025-01-01 10:20 to 2025-01-01 10:21 UTC", "An engine broke down in 1 of 4 games",
        "no move from first within", "each game's own number", "Training cost",
        "CPU time per move", "Wall time per move", "Likelihood of superiority",
    ):
        assert fact in page.text, fact
    assert (tmp_path / "out" / "strength_tictactoe_training.png").exists()
    rows = csv.DictReader((tmp_path / "out" / "ratings.csv").open())
    assert {row["entrant"]: float(row["training_cpu_hours"]) for row in rows} == {
        "mcts:sims=100": 2.5, "b": 10.0
    }
    rows = [*csv.DictReader((tmp_path / "out" / "games.csv").open())]
    assert {row["slot"][-1]: row["first_runtime"] + row["second_runtime"] for row in rows} == {
        "0": "int8", "1": "", "2": "", "3": ""}
    # Only mcts has simulations or evaluations: no plot of a single point.
    with Ledger(tmp_path / "games.sqlite", read_only=True) as ledger:
        spent = cost_table(games_frame(ledger), ledger.cost_totals()).set_index("entrant")
    row = spent.loc["mcts:sims=100"]
    # Second to move it chose plies 1 and 3, first plies 2 and 4: 101, 103, 102, 104 simulations
    # in two games, none in the third and fourth (ply 1 of game 2 was b's).
    assert (row["asked"], row["moves"], row["max_simulations"]) == ("sims=100", 4, 104)
    assert row["mean_simulations"] == pytest.approx(102.5)
    assert row["over"] == pytest.approx(0.04)
    assert np.isnan(spent.loc["b"]["over"])


@pytest.mark.usefixtures("no_plots")
def test_an_unfinished_report_says_so_and_reloads_itself(tmp_path):
    with Ledger(tmp_path / "games.sqlite") as ledger:
        ledger.add(record(0, "a", "b", 1), record(1, "b", "a", 1))
    for planned, complete in ((8, False), (2, True), (None, True)):
        page, *_ = write_report(tmp_path / "games.sqlite", tmp_path / "out", planned=planned)
        text = page.read_text(encoding="utf-8")
        assert ("2 of 8 games (25%)" in text) is not complete
        assert ('http-equiv="refresh"' in text) is not complete


# Games to replay


@pytest.mark.parametrize("name", [*game_names(), "connectn:cols=9,rows=4,n=3,gravity=false"])
def test_every_game_shows_its_board(name):
    """Each cell of each position is what the rules say stands there."""
    game = get_game(name)
    states = random_game(game, seed=5, max_plies=60)
    moves = " ".join(
        state.game.move_text(state.last_move) for state in states if state.last_move
    )
    shown = replay(record(0, "a", "b", 1, game=str(game), moves=moves), "why")
    assert shown is not None
    assert len(shown["frames"]) == len(states)
    for state, frame in zip(states, shown["frames"], strict=True):
        for cell, piece in enumerate(frame["cells"]):
            row, col = divmod(cell, game.board_cols)
            owner = game.cell(state, row + 1, col + 1)
            assert piece == "." if owner is None else int(piece) % 2 == owner.index
    for before, frame in zip(states, shown["frames"][1:], strict=False):
        assert frame["by"] == before.next_player.index


def test_a_game_of_other_rules_is_left_out():
    assert replay(record(0, "a", "b", 1, moves="A1 A1"), "why") is None
    assert replay(record(0, "a", "b", 1, game="shogi"), "why") is None
    resigned = replay(record(0, "a", "b", 0, moves="A1 B2 resign"), "why")
    assert resigned["plies"] == 3


def test_players_have_the_names_of_the_pieces_on_the_page():
    for reason, shown in (("black (x) wins", "red wins with 4 in a row"), ("hung", "hung")):
        four = record(0, "a", "b", 1, game="connect4", moves="1 2 1 2 1 2 1", reason=reason)
        assert replay(four, "why")["reason"] == shown


# In a browser


@pytest.fixture(scope="module")
def browser() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("needs Chromium, to lay the page out")


@pytest.fixture(scope="module")
def wide_page(tmp_path_factory) -> str:
    """Twelve entrants with long names."""
    names = [f"alphabeta:depth={i},table=off,some_other_option=true" for i in range(12)]
    rng = np.random.default_rng(1)
    return write_page(tmp_path_factory.mktemp("wide"), [
        record(7 * i + j, names[i], names[j], float(rng.integers(0, 2)), moves=f"A1 B2 C3 A{k}")
        for i in range(12) for j in range(12) if i != j for k in (2, 3)
    ][::2])


@pytest.mark.slow
def test_the_page_never_scrolls_sideways(browser, wide_page, tmp_path):
    """Laid out in frames of two widths with all details open; the script runs, too."""
    widths = (400, 1280)
    (tmp_path / "page.html").write_text(wide_page, encoding="utf-8")
    frames = "".join(f'<iframe src="page.html" style="width:{width}px;height:900px;border:0">'
                     "</iframe>" for width in widths)
    (tmp_path / "frames.html").write_text(frames + """<script>onload = () => {
    document.title = JSON.stringify([...document.querySelectorAll("iframe")].map((frame) => {
      const page = frame.contentDocument;
      page.querySelectorAll("details").forEach((one) => { one.open = true; });
      return [page.documentElement.scrollWidth,
        page.querySelectorAll("#board .pieces > g").length,
        page.getElementById("status").textContent];
    }));
    }</script>""")
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom",
         f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "frames.html").as_uri()],
        capture_output=True, text=True, timeout=300, check=False,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title, done.stderr[-500:]
    for width, (scroll_width, shapes, status) in zip(widths, json.loads(title[1]), strict=True):
        assert scroll_width <= width
        assert shapes == 4 and "Ply 4 of 4" in status
