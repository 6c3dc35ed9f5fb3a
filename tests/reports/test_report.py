"""The report from end to end: a small ledger written by hand, and every number that follows."""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from dlgo.records.costs import MoveCost
from dlgo.records.ledger import GameRecord, Ledger
from reports.report import write_report
from reports.tables import (
    cost_table,
    crosstable,
    family_and_budget,
    games_frame,
    rate_games,
    ratings_frame,
)
from tests.reports.simulation import game_record

FAST, SLOW = "mcts:sims=10", "mcts:sims=100"
SIMULATIONS = {FAST: 10, SLOW: 100, "random": 0}


def record(
    number: int, first: str, second: str, result: float, game: str = "connect4",
    moves: str = "", reason: str = "", costs: bool = True,
) -> GameRecord:
    """A game after an opening of two plies; a move costs 0.001 CPU seconds a simulation."""
    moves = moves or f"4 4 {1 + number // 6} {1 + number % 6} 3"
    rows = []
    for ply in range(2, len(moves.split()) if costs else 0):
        sims = SIMULATIONS[(first, second)[ply % 2]]
        cpu = 0.001 * sims + 1e-6
        rows.append(MoveCost(ply, ply % 2, cpu, 2 * cpu, 3 * sims, sims, 0, 0.1))
    return game_record(
        number, first, second, result, game=game, moves=moves, opening="4 4", costs=tuple(rows),
        reason=reason or ("draw" if result == 0.5 else "black (x) wins"),
        started=f"2025-01-01T00:00:{number:02d}", finished=f"2025-01-01T00:01:{number:02d}",
        machine="Test CPU, 2 cores", version="0.1.0",
    )


@pytest.fixture(scope="module")
def ledger_path(tmp_path_factory) -> Path:
    """SLOW beats FAST 3:1 with one draw; random lost to FAST three times, once by a crash.

    One game is there twice. In Go, random beats FAST once and loses once.
    """
    crash = "crash of second: ZeroDivisionError: division by zero"
    records = [
        record(0, SLOW, FAST, 1), record(1, FAST, SLOW, 0), record(2, SLOW, FAST, 1),
        record(3, FAST, SLOW, 1), record(4, SLOW, FAST, 0.5),
        record(5, SLOW, FAST, 1, moves=record(0, SLOW, FAST, 1).moves),
        record(6, FAST, "random", 1), record(7, "random", FAST, 0),
        record(8, FAST, "random", 1, moves="4 4", reason=crash, costs=False),
        record(0, FAST, "random", 1, game="go:size=5,komi=0.5", moves="C3 pass A1 pass pass"),
        record(1, "random", FAST, 1, game="go:size=5,komi=0.5", moves="C3 pass B1 pass pass"),
    ]
    path = tmp_path_factory.mktemp("ledger") / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.set_meta("plan", {"games": ["connect4"], "pairs": 5, "seed": 1234})
        for game in records:
            assert ledger.add(game)
    return path


@pytest.fixture(scope="module")
def written(ledger_path: Path) -> list[Path]:
    """The files of the report on it, in a folder with a table of an earlier report."""
    out = ledger_path.parent / "new" / "report"
    out.mkdir(parents=True)
    (out / "answers.csv").write_text("old\n", encoding="utf-8")
    return write_report(ledger_path, out)


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_report_from_end_to_end(written, tmp_path):
    import matplotlib.image

    paths, out = written, written[0].parent
    games = ("connect4", "go-size5-komi0.5")
    stems = ["strength", *(f"strength_{game}{cost}" for game in games
                                      for cost in ("", "_wall")),
             "strength_connect4_work"]  # in Go a single entrant has simulations
    names = {
        "report.html", "games.csv", "ratings.csv", "overview.csv", "cost_table.csv",
        "frontier.csv", "failures.csv",  # a failure, but no answers of language models
        *(f"{kind}_{game}.csv" for kind in ("crosstable", "superiority", "residuals")
          for game in games),
        *(f"{stem}.{ending}" for stem in stems for ending in ("png", "svg")),
    }
    assert {path.name for path in paths} == names
    assert {path.name for path in out.iterdir()} == names  # nothing temporary is left
    for path in paths:
        if path.suffix == ".png":
            image = matplotlib.image.imread(path)
            assert min(image.shape[:2]) > 400
            assert image[..., :3].std() > 0.02  # something is drawn
        elif path.suffix == ".svg":
            assert path.read_text(encoding="utf-8").rstrip().endswith("</svg>")

    # A list of games gives the same report, but for what it does not tell: the dearest moves.
    again = write_report(out / "games.csv", tmp_path)
    assert {path.name for path in again} == names
    for name in ("ratings", "frontier", "overview", "failures"):
        for row, expected in zip(*(read_csv(folder / f"{name}.csv") for folder in (tmp_path, out)),
                                 strict=True):
            assert row == expected, name

    games = {row["slot"]: row for row in read_csv(out / "games.csv")}
    assert len(games) == 11
    row = games[f"connect4|{SLOW}|{FAST}|0"]
    # Five plies, two of the opening: the first player chose moves 3 and 5, the second move 4.
    assert (row["plies"], row["first_moves"], row["second_moves"]) == ("5", "2", "1")
    assert float(row["first_cpu_ms"]) == pytest.approx(100.001)
    assert float(row["second_wall_ms"]) == pytest.approx(20.002)
    assert (row["first_nodes"], row["second_simulations"]) == ("300", "10")
    counted = [slot for slot, row in games.items() if row["counted"] == "False"]
    assert counted == [f"connect4|{SLOW}|{FAST}|5"]
    failed = [slot for slot, row in games.items() if row["failed"] == "True"]
    assert failed == [f"connect4|{FAST}|random|8"]

    page = (out / "report.html").read_text(encoding="utf-8")
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
    for fact in (
        "9 games, 1 of them repeated, 8 rated", "Plan: seed 1234", "Test CPU, 2 cores",
        "Version 0.1.0", "An engine broke down in 1 of 11 games", "crash of second",
        "The first mover scored 68.8%; 12.5% were draws",  # 5.5 of 8 points; 1 of 8 games
        "lost every game",
    ):
        assert fact in text
    frontier = read_csv(out / "frontier.csv")
    assert {row["game"] for row in frontier} == {
        row["game"] for row in games.values()
    }
    assert page.count("<summary>Best for its cost</summary>") == 2


def test_ratings_csv(written):
    rows = read_csv(written[0].with_name("ratings.csv"))
    connect4 = {row["entrant"]: row for row in rows if row["game"] == "connect4"}
    assert list(connect4) == [SLOW, FAST, "random"]  # best first
    slow, fast, rand = connect4[SLOW], connect4[FAST], connect4["random"]
    assert [slow[key] for key in ("games", "wins", "draws", "losses")] == ["5", "3", "1", "1"]
    assert [fast[key] for key in ("games", "wins", "draws", "losses")] == ["8", "4", "1", "3"]
    assert [rand[key] for key in ("games", "wins", "draws", "losses")] == ["3", "0", "0", "3"]
    assert float(slow["score"]) == pytest.approx(0.7)
    # Odds of three wins to one loss, whatever the draw says about nu.
    assert 100 < float(slow["rating"]) - float(fast["rating"]) < 300
    for row in rows:
        assert float(row["low95"]) < float(row["rating"]) < float(row["high95"])
    assert float(slow["mean_cpu_ms"]) == pytest.approx(100.001, rel=1e-5)
    assert float(fast["mean_wall_ms"]) == pytest.approx(20.002, rel=1e-5)
    assert (slow["mean_nodes"], slow["mean_simulations"]) == ("300", "100")
    assert [row["family"] for row in (slow, fast, rand)] == ["mcts", "mcts", "random"]
    assert (slow["note"], fast["note"]) == ("", "")
    assert rand["note"].startswith("lost every game")


def test_the_tables_agree_with_the_fit(ledger_path):
    with Ledger(ledger_path, read_only=True) as ledger:
        games = games_frame(ledger)
    cross = crosstable(games, "connect4", [SLOW, FAST, "random"])
    assert cross.loc[SLOW].tolist() == ["", "3.5/5", ""]  # the repetition is not counted
    assert cross.loc[FAST].tolist() == ["1.5/5", "", "3/3"]
    assert cross.loc["random"].tolist() == ["", "0/3", ""]
    tables, frame = rate_games(games), ratings_frame(games)
    assert list(tables) == ["connect4", "go:size=5,komi=0.5"]
    for game, table in tables.items():
        part = frame[frame["game"] == game]
        assert part["rating"].tolist() == [rating.value for rating in table.ratings]
        assert part["games"].sum() == 2 * table.games


@pytest.mark.slow
def test_the_same_ledger_gives_the_same_files(written, ledger_path, tmp_path):
    """And so it does for a user who draws in another style, which is left alone."""
    import matplotlib

    with matplotlib.rc_context({"lines.linewidth": 7.5, "axes.facecolor": "black"}):
        settings = dict(matplotlib.rcParams)
        again = write_report(ledger_path, tmp_path / "styled")
        assert dict(matplotlib.rcParams) == settings
    for before, after in zip(written, again, strict=True):
        assert before.read_bytes() == after.read_bytes(), before.name


@pytest.mark.parametrize(("ledger", "out", "message"), [
    ("empty.sqlite", "report", "empty.sqlite holds no games; play some"),
    ("none.sqlite", "report", "does not exist"),
    (None, "file/report", "cannot write .*file.*; name another folder"),
])
def test_what_cannot_be_reported_is_said(ledger, out, message, ledger_path, tmp_path):
    Ledger(tmp_path / "empty.sqlite").close()
    (tmp_path / "file").write_text("in the way")
    path = ledger_path if ledger is None else tmp_path / ledger
    with pytest.raises(DlgoError, match=message) as error:
        write_report(path, tmp_path / out)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "report").exists()


def test_the_tables_of_a_ledger_have_the_budgets_of_named_entrants(tmp_path):
    path = tmp_path / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.add(record(1, FAST, "random", 1.0), record(2, "random", FAST, 1.0))
        ledger.set_meta("plan", {"names": {FAST: "Quick"}})
        ledger.show_names()
        games = games_frame(ledger)
        costs = cost_table(games, ledger.cost_totals()).set_index("entrant")
    assert costs.loc["Quick", "asked"] == "sims=10"
    ratings = ratings_frame(games).set_index("entrant")
    assert tuple(ratings.loc["Quick", ["family", "budget"]]) == ("Quick", "sims=10")


def test_families_are_the_registry_s():
    # A report imports no engine, so it cuts the text; the registry knows what it means.
    from engines.registry import EngineSpec

    for text in ("random", "mcts:sims=800,c_uct=1.4", "mcts:cpu=0.5", "alphabeta:depth=3"):
        spec = EngineSpec.parse(text)
        assert family_and_budget(spec.text)[0] == spec.family
