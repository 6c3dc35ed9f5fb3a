"""Lists in which who moved first cannot be told from who won, or from strength."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.cli.main import cli
from reports.csv_import import load_games
from reports.first_move import share_told_apart
from reports.one_number import one_number
from reports.ratings import fit_ratings, without_first_move
from reports.report import write_report
from reports.tables import rate_games
from tests.reports.simulation import Played, simulate

FIELD = {"a": 300.0, "b": 100.0, "c": -100.0, "d": -300.0}
CIRCLE = [("r", "s"), ("s", "p"), ("p", "r")]


def list_of(path: Path, played: Played) -> Path:
    """The games as a CSV file."""
    rows = ["first,second,result", *(f"{a},{b},{r:g}" for a, b, r in zip(*played, strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def named_by_result(played: Played, result: float) -> Played:
    """The games as a list names them whose first entrant always has this result."""
    games = [(a, b) if r == result else (b, a) for a, b, r in zip(*played, strict=True)]
    return [a for a, _ in games], [b for _, b in games], [result] * len(games)


@pytest.mark.parametrize(("result", "words"), [
    (1.0, "The entrant named first won 360 of 360 decided games. If the list names the winner "),
    (0.0, "The entrant named first lost 360 of 360 decided games. If the list names the loser "),
])
def test_a_list_that_names_the_winner_first(result: float, words: str, tmp_path: Path) -> None:
    played = simulate(FIELD, 30, 1.0, 0.0, np.random.default_rng(1))
    path = list_of(tmp_path / "games.csv", named_by_result(played, result))
    done = CliRunner().invoke(cli, ["rate", str(path)])
    assert words in done.output and "--no-first-move leaves" in done.output
    page = write_report(path, tmp_path / "page", first_move=False)[0].read_text()
    assert "If the list names" not in page and "and a first-move term" not in page
    (table,) = rate_games(load_games(path), first_move=False).values()
    assert not any("If the list names" in remark for remark in table.remarks)
    for entrant, rating in FIELD.items():
        assert table[entrant].low95 - 30 < rating < table[entrant].high95 + 30
        assert table[entrant].high95 - table[entrant].low95 < 200


def test_a_true_advantage_in_balanced_games_raises_no_doubt(tmp_path: Path) -> None:
    """Every first mover won; both entrants of each pair were first movers equally often."""
    played = simulate(FIELD, 5, 1e9, 0.0, np.random.default_rng(1))
    (table,) = rate_games(load_games(list_of(tmp_path / "games.csv", played))).values()
    assert not any("If the list names" in remark for remark in table.remarks)


@pytest.mark.parametrize(("swapped", "remark"), [(1, True), (12, False)])
def test_the_stronger_nearly_always_moved_first(swapped: int, remark: bool, tmp_path: Path) -> None:
    results = [1.0, 1.0, 0.0] * 10
    first, second = ["a"] * 30, ["b"] * 30
    first[:swapped], second[:swapped] = ["b"] * swapped, ["a"] * swapped
    games = load_games(list_of(tmp_path / "games.csv", (first, second, results)))
    (table,) = rate_games(games).values()
    assert any("Strength nearly determines" in text for text in table.remarks) == remark
    (plain,) = rate_games(games, first_move=False).values()
    assert plain.first_move is None and plain.remarks == (
        "No game was drawn, so the model has no draws.",)


@pytest.mark.parametrize("pairs", [
    [*CIRCLE * 30],  # named winner first
    [*CIRCLE * 30, *[("r2", "s"), ("p", "r2")] * 30],  # with a copy
    [*CIRCLE * 2, ("r2", "s"), ("p", "r2")],  # too few games for a test
], ids=["circle", "copy", "few"])
def test_a_perfect_cycle_is_never_enough(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    copies = ["r", "r2"] * ("r2" in first)
    table = fit_ratings(first + copies[:1] * 30, second + copies[1:] * 30,
                        [1.0] * len(first) + [0.5] * 15 * len(copies))
    assert one_number(table).enough is None
    if len(pairs) > 8:
        assert one_number(without_first_move(table)).enough is False


def test_few_games_that_make_a_perfect_cycle() -> None:
    games = [("r", "s", 1.0), ("s", "p", 1.0), ("r", "p", 0.0), ("x", "r", 0.5), ("x", "s", 0.5)]
    [sentence] = one_number(fit_ratings(*zip(*games, strict=True))).sentences
    assert sentence.startswith("Whether one number is enough cannot be decided: there are too few "
                               "games, and they make a perfect cycle (p beats r 1/1;")


def test_the_same_games_without_the_term() -> None:
    played = simulate(FIELD, 5, 2.0, 0.5, np.random.default_rng(3))
    plain = fit_ratings(*played, first_move=False)
    again = without_first_move(fit_ratings(*played))
    assert [*again.index] == [*plain.index]
    assert again.log_likelihood == pytest.approx(plain.log_likelihood)


@pytest.mark.parametrize(("games", "share"), [
    ("ab ba", 1.0), ("ab ab", 0.0), ("ab bc cd", 0.0), ("ab ab ba", 8 / 9), ("ab bc ca", 1.0),
    ("ab bc ac", 1 / 9),  # differences 1, 1 and 2 come closest to 1 as 2/3, 2/3 and 4/3
])
def test_what_strength_can_imitate(games: str, share: float) -> None:
    first, second = [g[0] for g in games.split()], [g[1] for g in games.split()]
    table = fit_ratings(first, second, [1.0] * len(first))
    assert share_told_apart(table.played) == pytest.approx(share, abs=1e-9)
    assert (table.first_move is None) == math.isclose(share, 0, abs_tol=1e-9)


def test_large_fields_say_what_is_left_out(tmp_path: Path) -> None:
    first, second = [f"p{i}" for i in range(101)], [f"p{(i + 1) % 101}" for i in range(101)]
    path = list_of(tmp_path / "games.csv", (first, second, [1.0, *[0.5] * 100]))
    assert ("residuals by pair, Nash averaging and alpha-Rank are left out: the limit is 100 "
            "entrants, and there are 101.") in CliRunner().invoke(
                cli, ["rate", str(path), "--beyond-elo"]).output
