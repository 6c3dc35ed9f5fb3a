"""`dlgo rate`, `compare`, `sprt` and `power`: games from anywhere, and what is wrong with them."""

from __future__ import annotations

import csv
import math
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dlgo.errors import DlgoError
from dlgo.records.ledger import Ledger
from experiments.cli.main import cli, main
from reports.csv_import import load_games, read_games
from reports.head_to_head import head_to_heads
from tests.reports.simulation import game_record


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """a against b: 30 wins, 10 losses, colours alternating; b against c the same."""
    path = tmp_path / "games.csv"
    lines = ["First, second ,RESULT,pair,comment"]
    for entrant, opponent in ("ab", "bc"):
        for pair in range(20):
            # Pairs of 2 and 1 points in turn keep the count at 3 : 1 and never repeat a side.
            lines.append(f"{entrant},{opponent},1,{pair},x")
            lines.append(f"{opponent},{entrant},{0 if pair % 2 else 1},{pair},")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# Reading


# Texts of the same three games: Ä beats b, they draw, and Ä beats "b; c, d".
DIALECTS = {
    "commas": 'first,second,result\nÄ,b,1\nb,Ä,0.5\nÄ,"b; c, d",1\n',
    "decimal commas in quotes": 'first,second,result\nÄ,b,"1,0"\nb,Ä,"0,5"\nÄ,"b; c, d",1\n',
    "semicolons": 'first;second;result\nÄ;b;1\nb;Ä;0,5\nÄ;"b; c, d";1,0\n',
    "quotes": '"first";"second";"result"\n"Ä";"b";"1"\n"b";"Ä";"0,5"\n"Ä";"b; c, d";"1"\n',
    "tabs": "first\tsecond\tresult\nÄ\tb\t1\nb\tÄ\t0,50\nÄ\tb; c, d\t1\n",
    "bars": "first|second|result\nÄ|b|1\nb|Ä|.5\nÄ|b; c, d|1\n",
    "a line sep=": 'sep=;\nfirst;second;result\nÄ;b;1\nb;Ä;0,5\nÄ;"b; c, d";1\n',
    "SEP= and tabs": "SEP=\t\nfirst\tsecond\tresult\nÄ\tb\t1\nb\tÄ\t0.5\nÄ\tb; c, d\t1\n",
    "empty cells": 'Result;first;second;x\n1;Ä;b;;;\n;;;;;\n\n0,5;b;Ä;7;;\n1;Ä;"b; c, d"\n',
    "another separator in a name": 'result;first;second;a, b\n1;Ä;b\n.5;b;Ä;x, y\n1;Ä;"b; c, d"\n',
    "spaces": 'first, second, result\nÄ, b, 1\nb, Ä, 0.5\nÄ, "b; c, d", 1\n',
}


@pytest.mark.parametrize(("dialect", "encoding", "ends"), [*zip(
    DIALECTS, cycle(["utf-8", "utf-8-sig", "utf-16", "utf-16-be+mark"]),
    cycle(["\n", "\r\n", "\r"]), strict=False)])
def test_a_table_is_read_in_any_dialect(
    dialect: str, encoding: str, ends: str, tmp_path: Path
) -> None:
    text = DIALECTS[dialect].replace("\n", ends)
    if encoding.endswith("+mark"):
        text, encoding = "\ufeff" + text, encoding.removesuffix("+mark")
    (tmp_path / "games.csv").write_bytes(text.encode(encoding))
    games = read_games(tmp_path / "games.csv")
    assert games[["first", "second", "result"]].values.tolist() == [
        ["Ä", "b", 1.0], ["b", "Ä", 0.5], ["Ä", "b; c, d", 1.0]]


@pytest.mark.parametrize(("text", "part"), [
    ("first,second,result\na,b,1\na,b,2\n", "line 3: result '2' is not 1, 0.5 or 0"),
    ("first,second,result\na,b,nan\n", "line 2: result 'nan' is not"),
    ("first,second,result\na,b,win\n,b,1\na,b\n", r"line 2: result 'win'.*\(also bad: line 3, 4\)"),
    ("first,second,result\na,,1\n", "line 2: second is empty"),
    ("first,second,result,first_cpu_ms\na,b,1,-2\n", "line 2: first_cpu_ms '-2' is not a number"),
    ("first,second,result\na,b,1,9\n", "line 2: it has more cells"),
    ("first,second,result\n'a\n\n", "line 2: second is empty"),
    ('first,second,result\n"a"b,c,1\n', "line 2"),
    ("white,black,result\na,b,1\n", "no column first and no column second"),
    ("", "no column first"),
    ("sep=x\nfirstxsecondxresult\n", "line 1: the separator 'x' is not a comma"),
    ("sep=;\nfirst;second;result\na;b;1\na;b;0,7\n", "line 4: result '0,7' is not 1, 0.5 or 0"),
    ("first,second,result, FIRST\na,b,1,c\n", "has two columns first; its first line must"),
    ("first,second,result\n", "holds no games"),
    ("first,second,result\na,b,1\na\0,b,1,\n", "line 3"),
    ('first,second,result\na,b,1\n"a,b,1\na,b,1\n', "line 4: unexpected end"),
])
def test_bad_lines_are_named(tmp_path, text, part):
    path = tmp_path / "games.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DlgoError, match=part) as error:
        load_games(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(b"first,second,result\n\xff\xfe,b,1\n")
    with pytest.raises(DlgoError, match="not text in UTF-8"):
        load_games(path)
    with pytest.raises(DlgoError, match="cannot be read"):
        load_games(tmp_path / "none.csv")


def test_a_ledger_is_known_by_its_content_and_a_damaged_one_by_its_name(tmp_path):
    path = tmp_path / "games.csv"
    with Ledger(path) as ledger:
        ledger.add(game_record(0, "a", "b", 1))
    assert len(load_games(path)) == 1
    damaged = tmp_path / "games.sqlite"
    damaged.write_bytes(b"x" + path.read_bytes()[1:])
    for file, part in ((damaged, "file is not a database"), (tmp_path / "no.tsv", "does not exist"),
                       (tmp_path, "is a folder")):
        with pytest.raises(DlgoError, match=part):
            load_games(file)


def test_equal_games_count_once_if_their_moves_are_known(tmp_path):
    path = tmp_path / "games.csv"
    rows = ["a,b,1,1 2 3", "a,b,1,1 2 3", "a,b,1,", "a,b,1,", "b,a,0,1"]
    path.write_text("\n".join(["first,second,result,moves", *rows]))
    assert read_games(path)["counted"].tolist() == [True, False, True, True, True]


def test_names_are_printed_on_one_line(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text('first,second,result\n"a\x1b[2J\nx",b,1\nb,"a\x1b[2J\nx",1\n', encoding="utf-8")
    output = run("rate", path, "--anchor", "a\x1b[2J\nx=5").output
    assert r"a\x1b[2J\nx is set to 5" in output
    assert all(char.isprintable() or char == "\n" for char in output)
    assert r"a\x1b[2J\nx against b" in run("compare", path, "a\x1b[2J\nx", "b").output


# Rating


def test_rate_prints_the_ratings(games, tmp_path):
    out = tmp_path / "ratings.csv"
    done = run("rate", games, "--anchor", "b=1000", "--csv", out)
    assert done.exit_code == 0, done.output
    assert "80 games, 3 entrants. Elo, b is set to 1000." in done.output
    with out.open(newline="") as file:
        rows = {row["entrant"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["a", "b", "c"]
    assert float(rows["b"]["rating"]) == 1000
    # Both steps of the ladder have the same results.
    lead = float(rows["a"]["rating"]) - 1000
    assert 1000 - float(rows["c"]["rating"]) == pytest.approx(lead, abs=0.01)
    assert (rows["a"]["wins"], rows["a"]["losses"]) == ("30", "10")


def test_games_of_several_kinds_are_rated_apart(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("game,first,second,result\ngo,a,b,1\ngo,b,a,1\nchess,c,d,1\nchess,d,c,1\n"
                    "chess960,e,f,1\n")
    output = run("rate", path, "--anchor", "a=0").output
    assert "go: 2 games, 2 entrants. Elo, a is set to 0." in output
    assert "chess: 2 games, 2 entrants. Elo, 0 is the mean of the field." in output
    assert "chess960: 1 game, 2 entrants. " in output


# Comparing


def test_compare_prints_every_number(games):
    output = run("compare", games, "a", "b").output
    for part in (
        "games: a against b", "40 counted: 30 won, 0 drawn, 10 lost", "score 75.0%",
        "+191 Elo", "20, by points: 0 x 0, 0 x 1/2, 10 x 1, 0 x 3/2, 10 x 2",
        # Sum of the upper tail of 40 tosses from 30 on, twice for both sides.
        "30 of 40 decided games: p = 0.00222 two-sided, 0.00111 one-sided",
        "10 of 10 decided pairs: p = 0.00195 two-sided", "H0: 0 Elo, H1: 20 Elo",
    ):
        assert part in output
    tail = sum(math.comb(40, k) for k in range(30, 41)) / 2**40
    assert f"{2 * tail:.3g}" == "0.00222"
    assert "10 won, 0 drawn, 30 lost" in run("compare", games, "b", "a").output


def test_games_in_no_pair_are_counted_where_pairs_are_numbered(games, tmp_path):
    assert "no pair" not in run("compare", games, "a", "b").output
    lines = games.read_text().splitlines()
    twice = tmp_path / "twice.csv"  # two lists that both number their pairs from 0
    twice.write_text("\n".join([*lines, *lines[1:]]))
    output = run("compare", twice, "a", "b").output
    assert "no complete pair (two games, colours swapped); games in no pair: 80" in output
    assert "decided pairs" not in output
    unnumbered = tmp_path / "unnumbered.csv"
    unnumbered.write_text(games.read_text().replace("pair", "round", 1))
    assert "pair" not in run("compare", unnumbered, "a", "b").output


def test_compare_knows_who_is_meant(games):
    for arguments, part in (
        (("a", "bb"), "did you mean b"), (("a", "c"), "a and c never met"),
        (("a", "a"), "named twice"), (("a", "b", "--game", "go"), "no game of go"),
    ):
        error = run("compare", games, *arguments).exception
        assert isinstance(error, DlgoError) and part in str(error)


def test_sprt_on_finished_games(games):
    output = run("sprt", games, "a", "b", "--elo1", "200").output
    assert "H1 accepted after" in output and "reached the upper bound" in output
    output = run("sprt", games, "a", "b", "--elo1", "200", "--budget", "3").output
    assert "the budget of pairs was reached after 3 pairs" in output
    assert "17 more pairs were played" in output


def test_power_answers_both_questions():
    assert "2,3" in run("power", "--elo", "20").output
    assert "A match of 100 games detects 98.8 Elo" in run("power", "--games", "100").output
    assert isinstance(run("power", "--elo", "0").exception, DlgoError)


@pytest.mark.parametrize(("arguments", "part"), [
    (("rate", "GAMES", "--anchor", "zoe=0"), "anchor zoe played no game; there are"),
    (("rate", "GAMES", "--anchor", "a"), "is not NAME=RATING"),
    (("rate", "GAMES", "--bootstrap", "5"), "5 replicates are too few"),
    (("rate", "GAMES", "--bootstrap", "-5"), "--bootstrap=-5 is out of range (0 to 100,000)"),
    (("rate", "GAMES", "--bootstrap", "9" * 14), "--bootstrap=99999999999999 is out of range"),
    (("rate", "GAMES", "--seed", "-1"), "--seed=-1 is out of range"),
    (("power", "--elo", "10000"), "--elo=10000 is out of range (-2,000 to 2,000)"),
    (("power", "--elo", "1e-300"), "elo=1e-300 is out of range; use 0.01 to 2000 points"),
    (("power", "--games", "9e99"), "--games=9e99 is out of range"),
    (("power", "--alpha", "1e-300"), "--alpha=1e-300 is out of range"),
    (("power", "--draws", "nan"), "--draws=nan is out of range (0 to 0.999)"),
    (("sprt", "GAMES", "a", "b", "--elo1", "1e308"), "--elo1=1e308 is out of range"),
    (("compare", "GAMES", "a", "b", "--elo0", "-1e308"), "--elo0=-1e308 is out of range"),
    (("compare", "GAMES", "a", "b", "--beta", "0.5"), "--beta=0.5 is out of range"),
])
def test_a_mistake_is_one_line(games, capsys, arguments, part):
    with pytest.raises(SystemExit) as stop:
        main([str(games) if argument == "GAMES" else argument for argument in arguments])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert part in error and error.startswith("dlgo: ") and error.count("\n") == 1


@pytest.mark.parametrize("arguments", [
    ("--elo", "2000"), ("--elo", "0.01"), ("--elo", "-2000", "--draws", "0.999"),
    ("--games", "1000000000"), ("--games", "1"), ("--alpha", "1e-9", "--power", "0.999999"),
    ("--games", "1000000000", "--power", "0.050001", "--sides", "1"), ("--power", "0.5"),
    ("--power", "0.001", "--alpha", "1e-9"), ("--power", "0.999999", "--alpha", "0.999"),
])
def test_power_answers_at_the_ends_of_its_ranges(arguments):
    done = run("power", *arguments)
    assert done.exit_code == 0, done.exception
    assert "nan" not in done.output


def test_pairs_of_a_ledger(tmp_path):
    """Pairs in the order of the plan; an odd game and a repetition stand outside."""
    path = tmp_path / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.add(
            game_record(0, "a", "b", 1, pair=1), game_record(1, "b", "a", 0.5, pair=1),
            game_record(2, "b", "a", 1, pair=0), game_record(3, "a", "b", 0, pair=0),
            game_record(4, "a", "b", 0, pair=2, reason="crash of first: KeyError"),
            game_record(6, "a", "c", 1, pair=0),
        )
    (match,) = head_to_heads(load_games(path), "a", "b")
    assert match.pair_points == (0.0, 1.5)
    assert match.games.numbers == (3, 1, 1)
    assert (match.unpaired, match.repeated, match.failures) == (1, 0, (1, 0))
    (mirror,) = head_to_heads(load_games(path), "b", "a")
    assert mirror.pair_points == (2.0, 0.5)
    assert mirror.failures == (0, 1)


def test_the_file_that_is_read_is_not_written(games, capsys) -> None:
    before = games.read_bytes()
    with pytest.raises(SystemExit):
        main(["rate", str(games), "--csv", str(games)])
    assert "is the file that is read" in capsys.readouterr().err
    assert games.read_bytes() == before


def test_a_game_of_an_entrant_against_itself_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("first,second,result\nA,B,1\nA, A ,0\nC,C,0.5\n")
    refused = CliRunner().invoke(cli, ["rate", str(path)])
    assert refused.exit_code == 1 and refused.exception.args == (
        f"{path} line 3: 'A' plays against itself, which says nothing about strength; remove this "
        "line (also bad: line 4)",)


def test_the_anchor_may_be_called_as_the_ledger_calls_it(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.add(game_record(0, "mcts:sims=100", "my.py@0123abcd", 1),
                   game_record(1, "my.py@0123abcd", "mcts:sims=100", 0.5))
        ledger.set_meta("plan", {"names": {"mcts:sims=100": "tree"}})
    for name in ("tree", "mcts:sims=100", "my.py"):
        done = run("rate", path, "--anchor", f"{name}=100")
        assert done.exit_code == 0 and "is set to 100" in done.output
