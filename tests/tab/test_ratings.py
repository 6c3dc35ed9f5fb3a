"""The ratings of the tab are those of `reports/`: of the same games, in node and from a CSV."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports.csv_import import read_games
from reports.rating_table import Estimate
from reports.tables import rate_games, ratings_frame
from tests.conftest import RUN_ALL
from tests.tab.worker import needs_node, run_worker

pytestmark = needs_node

RATE = """
const { routes } = await load("match.js"), rate = routes()["/api/ratings"];
return data.map((games) => rate({ body: { games } }));
"""
NAMES = ("a", "b", "c", "d", "e", "Z", "mcts:sims=100", "random", "ä")
COUNTS = ["games", "wins", "draws", "losses"]


def simulated_games(rng: random.Random) -> list[dict[str, Any]]:
    """A list of games between some entrants, some of whom may never meet."""
    names = rng.sample(NAMES, rng.choice([2, 2, 3, 3, 4, 5, 8]))
    strength = {name: rng.gauss(0, rng.choice([0.3, 1, 3])) for name in names}
    advantage, log_nu = rng.gauss(0, 1), rng.choice([-math.inf, -math.inf, -1, 0.7, 3])
    kind = rng.choice(["usual", "usual", "usual", "first mover wins", "draws", "order", "no loss",
                       "order and draws"])
    pairs = [(a, b) for a in names for b in names if a != b]
    if rng.random() < 0.5:
        pairs = rng.sample(pairs, max(1, len(pairs) // 3))
    games = []
    for _ in range(rng.choice([1, 2, 3, 5, 8, 12, 20, 60, 200])):
        first, second = rng.choice(pairs)
        half = (advantage + strength[first] - strength[second]) / 2
        [result] = rng.choices([1, 0.5, 0], [math.exp(half), math.exp(log_nu), math.exp(-half)])
        stronger = int(strength[first] > strength[second])
        result = {"first mover wins": 1, "draws": 0.5, "order": stronger,
                  "no loss": max(result, 0.5),
                  "order and draws": rng.choice([0.5, stronger])}.get(kind, result)
        # Few different moves, so that games repeat; some are not known.
        moves = rng.choice(["", "D1", "D1 E1", f"D1 {rng.randrange(9)}"])
        games.append({
            "first": first, "second": second, "result": result, "moves": moves,
            **{f"{side}_{name}": value for side in ("first", "second") for name, value in (
                ("moves", rng.randrange(3)), ("wall_ms", rng.random()))},
        })
    return games


def numbers(estimate: Estimate | None) -> Any:
    """As `table` has them, almost."""
    return estimate and close([estimate.low95, estimate.value, estimate.high95])


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("seed", range(12 if RUN_ALL else 4))
def test_ratings_are_those_of_python(seed: int, tmp_path: Path) -> None:
    """300 lists in all: few games, nobody drew, everybody did, first movers won, groups."""
    rng = random.Random(seed)
    lists = [simulated_games(rng) for _ in range(25)]
    tables = run_worker(tmp_path, RATE, lists)
    unbounded = 0
    for games, table in zip(lists, tables, strict=True):
        pd.DataFrame(games).to_csv(tmp_path / "games.csv", index=False)
        frame = read_games(tmp_path / "games.csv")
        [rated] = rate_games(frame).values()
        rows = ratings_frame(frame).to_dict("records")
        assert table["games"] == rated.games == len(games) - table["repeated"]
        # The tab plays its own games, and knows who moved first.
        remarks = [remark for remark in rated.remarks if "--no-first-move" not in remark]
        assert [table["zero"], *table["remarks"]] == [rated.zero_text(), *remarks]
        unbounded += any("do not bound" in remark for remark in rated.remarks)
        for estimate, value in ((rated.first_move, table["firstMove"]),
                                (rated.draw, table["draw"])):
            assert value == numbers(estimate)
        for rating, row, mine in zip(rated.ratings, rows, table["rows"], strict=True):
            assert [mine[name] for name in ("entrant", "group", "note", *COUNTS)] == [
                rating.entrant, rating.group, rating.note, *(row[name] for name in COUNTS)]
            for name in ("rating", "low95", "high95", "score", "mean_wall_ms"):
                value = math.nan if mine[name] is None else mine[name]
                assert value == close(row[name])
    assert 0 < unbounded < len(lists)
