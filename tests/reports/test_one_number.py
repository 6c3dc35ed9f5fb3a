"""Is one number enough? Known fields, false alarms and power in simulations, and what is said.

    pytest --run-all tests/reports/test_one_number.py -s -k leagues

simulates 200 leagues instead of 30 and prints the figures of docs/ratings.md.
"""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo.records.ledger import Ledger
from experiments.cli.main import cli
from reports.one_number import OneNumber, one_number, over_games
from reports.pairs import Pairs, hodge
from reports.ratings import fit_ratings
from reports.report import write_report
from tests.conftest import RUN_ALL
from tests.reports.simulation import Played, game_record, simulate

LEAGUES = 60 if RUN_ALL else 30
FIELD = {"a": 20.0, "b": 0.0, "c": -20.0, "d": 100.0, "e": -100.0, "f": -200.0}
CHAIN = {"a": 200.0, "b": 100.0, "c": 0.0, "d": -100.0, "e": -200.0}


def rock_paper_scissors(games: int = 40, won: int = 32) -> Played:
    """Each beats the next, `won` of `games`, as often moving first as second."""
    first, second, result = [], [], []
    names = ("rock", "scissors", "paper", "rock")
    for entrant, opponent in zip(names, names[1:], strict=False):
        for number in range(games):
            point = float(number // 2 < won // 2)
            first.append(opponent if number % 2 else entrant)
            second.append(entrant if number % 2 else opponent)
            result.append(1 - point if number % 2 else point)
    return first, second, result


def judged(played: Played) -> OneNumber:
    return one_number(fit_ratings(*played))


def pairs_of(played: Played) -> Pairs:
    return Pairs.of(fit_ratings(*played))


# The decomposition


def test_rock_paper_scissors_is_all_cyclic_and_a_chain_not_at_all():
    circle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]])
    ratings, rest = hodge(circle)
    assert ratings == pytest.approx([0, 0, 0]) and rest == pytest.approx(circle)
    strengths = np.array([3.0, 1.0, -1.0, 4.0])
    chain = strengths[:, None] - strengths
    ratings, rest = hodge(chain)
    assert ratings == pytest.approx(strengths - strengths.mean())
    assert rest == pytest.approx(np.zeros((4, 4)), abs=1e-12)


def test_the_parts_are_orthogonal_and_missing_pairs_do_not_count():
    rng = np.random.default_rng(3)
    odds, weights = rng.normal(size=(7, 7)), rng.integers(0, 5, (7, 7)).astype(float)
    odds, weights = odds - odds.T, weights + weights.T
    ratings, rest = hodge(odds, weights)
    differences = ratings[:, None] - ratings
    assert (weights * differences * rest).sum() == pytest.approx(0, abs=1e-9)
    assert (weights * rest).sum(axis=1) == pytest.approx(np.zeros(7), abs=1e-9)
    odds[weights == 0] = 99
    assert hodge(odds, weights)[0] == pytest.approx(ratings)


# The test


def test_without_draws_the_statistic_is_pearsons():
    """Three entrants, 30:10, 25:15 and 20:20: by hand from the expected scores."""
    first, second, result = [], [], []
    for entrant, opponent, won in (("a", "b", 30), ("b", "c", 25), ("a", "c", 20)):
        first += [entrant] * 40
        second += [opponent] * 40
        result += [1.0] * won + [0.0] * (40 - won)
    table = fit_ratings(first, second, result, first_move=False)
    pairs = Pairs.of(table)
    wanted = sum(
        (row.games * (row.score - row.expected)) ** 2
        / (row.games * row.expected * (1 - row.expected)) for row in pairs.residuals()
    )
    assert pairs.fit.chi_square == pytest.approx(wanted, rel=1e-6)
    assert pairs.fit.freedom == 1
    # With one degree of freedom every residual says the same.
    assert [row.z**2 for row in pairs.residuals()] == pytest.approx([wanted] * 3, rel=1e-6)


def test_one_upset_is_not_all_there_is():
    """Six entrants, each far above the next; the last one beats the first once in 100 games. For
    Pearson's chi-square this point is 133, because 0.008 were expected."""
    first, second, result = [], [], []
    for (i, entrant), (j, opponent) in itertools.combinations(enumerate("abcdef"), 2):
        lost = 4 if j == i + 1 else int(j == i + 5)
        first += [entrant] * 100
        second += [opponent] * 100
        result += [0.0] * lost + [1.0] * (100 - lost)
    pairs = pairs_of((first, second, result))
    assert pairs.residuals()[0][:2] == ("a", "f") and pairs.fit.largest < 3
    share, _ = pairs.cyclic()
    assert share.low95 == 0 and share.value < 0.1


@pytest.mark.parametrize(("size", "rounds", "spread", "gamma", "nu"), [
    (5, 10, 200, 1.3, 0.5), (8, 3, 800, 1.3, 0.5), (6, 20, 1200, 1.0, 0.0),
])
def test_leagues_of_sound_ratings_raise_few_alarms(size, rounds, spread, gamma, nu):
    """p is about uniform: 5% of 200 leagues have p < 0.05, with a standard error of 1.5%."""
    rng = np.random.default_rng(5)
    values = []
    for _ in range(LEAGUES):
        truth = {f"e{i}": elo for i, elo in enumerate(rng.uniform(-spread, spread, size))}
        values.append(pairs_of(simulate(truth, rounds, gamma, nu, rng)).fit.p)
    values = np.array(values)
    alarms = float((values < 0.05).mean())
    print(f"{LEAGUES} leagues of {size}, {2 * rounds} games a pair, +-{spread} Elo: "
          f"{alarms:.1%} alarms, deciles of p {np.quantile(values, [0.1, 0.5, 0.9]).round(2)}")
    assert alarms <= 0.05 + 3 * (0.05 * 0.95 / LEAGUES) ** 0.5
    assert 0.2 < np.median(values) < 0.8


@pytest.mark.parametrize(("rounds", "power"), [(20, 0.42), (40, 0.78)])
def test_leagues_with_a_cycle_of_100_elo_are_found_out(rounds, power):
    """Six entrants; a, b and c each 100 Elo better against the next than their strengths say."""
    rng = np.random.default_rng(6)
    found, named, inside, size = 0, 0, 0, LEAGUES if RUN_ALL else LEAGUES // 2
    for _ in range(size):
        pairs = pairs_of(simulate(FIELD, rounds, 1.2, 0.5, rng, cycle=100.0))
        share, _ = pairs.cyclic()
        cycle = pairs.cycle()
        found += pairs.fit.p < 0.05
        named += cycle is not None and set(cycle.names) == {"a", "b", "c"}
        inside += share.low95 <= _true_share(pairs) <= share.high95
    print(f"{size} leagues, {2 * rounds} games a pair: found in {found / size:.0%}, "
          f"the right cycle named in {named / size:.0%}, the share inside {inside / size:.0%}")
    assert found / size >= power - 3 * (power * (1 - power) / size) ** 0.5
    assert inside / size >= 0.9


def _true_share(pairs: Pairs) -> float:
    """The cyclic share of the truth behind FIELD with its cycle, by the information at the fit."""
    names = [rating.entrant for rating in pairs.table.ratings]
    strengths = np.array([FIELD[name] for name in names])
    truth = strengths[:, None] - strengths
    for entrant, opponent in ("ab", "bc", "ca"):
        i, j = names.index(entrant), names.index(opponent)
        truth[i, j], truth[j, i] = truth[i, j] + 100, truth[j, i] - 100
    weights = np.zeros_like(truth)
    weights[pairs.met] = weights.T[pairs.met] = pairs.fit.weight
    ratings, rest = hodge(truth, weights)
    whole = (weights * truth**2).sum()
    assert whole == pytest.approx((weights * ((ratings[:, None] - ratings) ** 2 + rest**2)).sum())
    return float((weights * rest**2).sum() / whole)


# What is said


def test_rock_paper_scissors_says_that_one_number_is_not_enough():
    answer = judged(rock_paper_scissors())
    text = " ".join(answer.sentences)
    assert answer.enough is False
    assert text.startswith("One number is not enough") and "p < 0.001" in text
    assert re.search(r"Beyond chance, 100% \(\d\d% to 100%\)", text)
    for step in ("rock beats scissors 32/40", "scissors beats paper 32/40",
                 "paper beats rock 32/40"):
        assert step in text
    assert "Read the scores of the pairs, and the order by Nash averaging" in text
    for row in answer.standings():
        assert row.weight.value == pytest.approx(1 / 3, abs=1e-6)
        assert row.weight.low95 < 1 / 3 < row.weight.high95
        assert row.share.value == pytest.approx(1 / 3, abs=1e-6)


def test_a_chain_says_that_elo_fits():
    answer = judged(simulate(CHAIN, 20, 1.2, 0.5, np.random.default_rng(8)))
    [sentence] = answer.sentences
    assert answer.enough and sentence.startswith("One number is enough")
    best, *others = answer.standings()
    assert best.entrant == "a" and best.weight.value == pytest.approx(1)
    assert all(row.weight.value == 0 and row.gain.value < 0 for row in others)


def test_distances_can_be_wrong_where_the_order_is_right():
    """a beats b and b beats c by 60%, but a scores no more than that against c."""
    first, second, result = [], [], []
    for entrant, opponent in ("ab", "bc", "ac"):
        for number in range(400):
            first.append(opponent if number % 2 else entrant)
            second.append(entrant if number % 2 else opponent)
            result.append(float((number // 2 % 100 < 72) != bool(number % 2)))
    answer = judged((first, second, result))
    assert answer.enough is False
    assert "Strongest cycle" not in " ".join(answer.sentences)
    assert "the order by Elo may hold" in answer.sentences[-1]


NOTHING_TO_TEST = {
    "two entrants": (["a", "b"] * 5, ["b", "a"] * 5, [1.0, 0.5] * 5),
    "a ladder": (["a", "b", "b", "c"] * 4, ["b", "a", "c", "b"] * 4, [1.0, 0, 0.5, 0] * 4),
    "groups that never met": (["a", "c"] * 4, ["b", "d"] * 4, [1.0, 0, 0, 1] * 2),
    "games against itself": (["a"] * 4, ["a"] * 4, [1.0, 0, 0.5, 1]),
}
ODD = {
    "all drawn": (list("abcbca") * 4, list("bcaabc") * 4, [0.5] * 24),
    "one won everything": (list("aabbcc") * 4, list("bcacab") * 4, [1.0, 1, 0, 1, 0, 0] * 4),
    "one game a pair": (list("aab"), list("bcc"), [1.0, 1, 0.5]),
    "two fields": (list("abcdef") * 4, list("bcaefd") * 4, [1.0, 0.5, 0, 0.5, 1, 1] * 4),
}


@pytest.mark.parametrize("kind", [*NOTHING_TO_TEST, *ODD])
def test_odd_fields_get_an_honest_answer(kind, tmp_path):
    played = {**NOTHING_TO_TEST, **ODD}[kind]
    answer = judged(played)
    if kind in NOTHING_TO_TEST:
        assert answer.enough is None and "cannot be decided" in answer.sentences[0]
    assert "nan" not in " ".join(answer.sentences)
    path = tmp_path / "games.csv"
    if kind == "games against itself":
        return  # a list with such games is refused
    rows = zip(*played, strict=True)
    path.write_text("first,second,result\n" + "".join(f"{a},{b},{r}\n" for a, b, r in rows))
    done = CliRunner().invoke(cli, ["rate", str(path), "--beyond-elo"])
    assert done.exit_code == 0, done.output
    assert "nan" not in done.output.lower() and answer.sentences[0] in done.output


def test_the_report_names_the_cycle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """One line for the chain; for rock, paper, scissors a section with the orders and residuals."""
    for name in ("draw_strength", "save"):
        monkeypatch.setattr(f"reports.report.{name}", lambda *_, **options: [])
    evil = "<b>rock</b>"
    fields = {"tictactoe": rock_paper_scissors(),
              "connect4": simulate(CHAIN, 10, 1.2, 0.5, np.random.default_rng(8))}
    with Ledger(tmp_path / "games.sqlite") as ledger:
        for game, (first, second, result) in fields.items():
            ledger.add(*[
                game_record(number, *(name.replace("rock", evil) for name in players), point,
                            game=game, moves=f"x{number}")
                for number, (*players, point) in enumerate(zip(first, second, result, strict=True))
            ])
    page = write_report(tmp_path / "games.sqlite", tmp_path / "out")[0].read_text(encoding="utf-8")
    assert page.count("Is one number enough?") == 1 and page.count("One number is enough") == 1
    assert "&lt;b&gt;rock&lt;/b&gt; beats scissors 32/40" in page and evil not in page
    assert "Elo against Nash" in page and "nan" not in page.partition("<main>")[2]
    with (tmp_path / "out/residuals_tictactoe.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == 3 and all(abs(float(row["z"])) > 5 for row in rows)


def test_over_games_the_hardest_count(tmp_path: Path):
    """An entrant that is good at one game only is worth little where the others are hard for it."""
    rng, even = np.random.default_rng(9), {"all-round": 150.0, "weak": -300.0}
    tables = {
        game: fit_ratings(*simulate({**even, "one-sided": elo}, 30, 1.0, 0.5, rng))
        for game, elo in (("g", 400.0), ("h", -250.0))
    }
    rows = over_games(tables)
    assert [name for name, *_ in rows][-1] == "weak"
    by_name = {name: (score, weight) for name, score, weight in rows}
    assert by_name["all-round"][1].value > by_name["one-sided"][1].value > 0
    assert over_games({"g": tables["g"]}) == []
