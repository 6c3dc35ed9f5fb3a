"""The command line: what it prints, and that no mistake of a user ends in a traceback."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dlgo import game_names
from engines.registry import engine_class, engine_names
from experiments.cli.main import cli
from experiments.options import Number
from tests.command import ROOT, assert_one_line, dlgo, dlgo_here


@pytest.mark.parametrize("group", [(), ("train",), ("data",), ("connectx",), ("ledger",),
                                   ("ledger", "my.sqlite")])
def test_a_group_alone_prints_its_help(group: tuple[str, ...], capsys) -> None:
    done = dlgo_here(capsys, *group)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == dlgo_here(capsys, *group, "--help").stdout
    assert f"Usage: {' '.join(('dlgo', *group[:1]))} " in done.stdout
    assert len(done.stdout.splitlines()) > 5


def test_help_needs_none_of_the_slow_libraries() -> None:
    """`dlgo --help` takes 0.3 s; with Numba it took 1.9 s."""
    program = (
        "import sys\n"
        "from experiments.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numba', 'numpy', 'pandas', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.endswith("[]\n")


def test_perft_prints_the_counts(capsys) -> None:
    done = dlgo_here(capsys, "perft", "tictactoe", "--depth", "5")
    assert done.returncode == 0
    counts = [int(line.split()[2].replace(",", "")) for line in done.stdout.splitlines()]
    assert counts == [9, 72, 504, 3024, 15120]


def columns(text: str, indent: str) -> list[tuple[str, str]]:
    """Name and meaning of the lines with this indent, which are apart by two blanks or more."""
    rows = [line for line in text.splitlines() if re.match(rf"{indent}\w", line)]
    parts = [re.split(r" {2,}", row.strip(), maxsplit=1) for row in rows]
    assert all(len(part) == 2 for part in parts), parts
    return [(name, meaning) for name, meaning in parts]


def test_engines_lists_every_engine_with_its_options_in_columns(capsys) -> None:
    text = dlgo_here(capsys, "engines").stdout
    listed = columns(text.replace("\nall engines\n", "\n").partition("\n\n")[2], "")
    assert [name for name, _ in listed] == list(engine_names())
    options = {name for name, _ in columns(text, "      ")}
    wanted = {option.name for name in engine_names() for option in engine_class(name).options}
    assert wanted | {"sims", "depth", "wall", "resign"} <= options


def test_games_lists_every_game_and_how_to_write_one(capsys) -> None:
    text = dlgo_here(capsys, "games").stdout
    assert "go9 is short for go:size=9" in text
    listed = columns(text.partition("\n\n")[2], "")
    assert [name for name, _ in listed] == list(game_names())
    assert {"size", "komi", "cols", "gravity"} <= {name for name, _ in columns(text, "      ")}


@pytest.mark.parametrize("name", engine_names())
def test_engines_shows_one_engine_with_its_page_and_code(name: str, capsys) -> None:
    text = dlgo_here(capsys, "engines", name).stdout
    assert [each for each, _ in columns(text, "")] == [name]
    options = {each for each, _ in columns(text, "      ")}
    assert {*(option.name for option in engine_class(name).options), "resign"} <= options
    page, code = re.findall(r"^    (?:docs|code): (\S+)$", text, re.M)
    assert (ROOT / page).exists() and (ROOT / code).exists()


MISTAKES = [
    (("engines", "mtcs"), "did you mean mcts"),
    (("games", "conect4"), "did you mean connect4"),
    (("perft", "chess", "--depth", "3"), "unknown game 'chess'"),
    (("perft", "connect4", "--depth", "-1"), "--depth"),
    (("perft", "connect4"), "--depth"),
    (("play", "conect4"), "did you mean connect4"),
    (("play", "connect4", "--second", "mtcs"), "did you mean mcts"),
    (("play", "connect4", "--second", "mcts:sims=-3"), "sims=-3 is out of range"),
    (("play", "connect4", "--second", "alphabeta:sims=3"), "cannot limit itself by sims"),
    (("play", "connect4", "--delay", "-1"), "--delay"),
    (("report", "no/such/ledger.sqlite"), "does not exist"),
    (("report", "README.md"), "README.md"),
    (("report", "docs"), "is a folder"),
    (("tournament", "no-such-plan.toml", "--ledger", "x.sqlite"), "no-such-plan.toml"),
    (("tournament", "--ledger", "x.sqlite"), "no games given"),
    (("tournament", "--ledger", "x.sqlite", "--game", "go", "--engine", "random"), "two engines"),
    (("bench", "--game", "go:size=99"), "out of range"),
    (("bench", "--seconds", "nan"), "--seconds=nan is out of range (0.01 to 600)"),
    (("play", "go9", "--delay", "nan"), "--delay=nan is out of range (0 to 60)"),
    (("show", "x.sgf", "--out", "x.gif", "--delay", "inf"), "--delay=inf is out of range"),
    (("generate", "go9", "--engine", "random", "--games", "1", "--temperature", "nan"),
     "--temperature=nan is out of range (0 to 100)"),
    (("train", "supervised", "--out", "m", "--data", "no/such/folder"), "no such folder"),
    (("train", "supervised", "--out", "m", "--data", "docs"), "no readable games"),
    (("train", "supervised", "--out", "m", "--data", "docs", "--epochs", "0"), "--epochs"),
    (("train", "supervised", "--out", "m", "--data", "docs", "--loss", "hinge"), "--loss"),
    (("train", "ppo", "--game", "go5", "--set", "game=go9"), "has no setting 'game'"),
    (("generate", "tictactoe", "--engine", "mtcs", "--games", "1"), "did you mean mcts"),
    (("generate", "chess", "--engine", "mcts", "--games", "1"), "unknown game"),
    (("generate", "tictactoe", "--engine", "random", "--games", "1", "--out", "README.md"),
     "name another folder"),
    (("data", "show", "no/such/folder"), "no such folder"),
    (("data", "import-sgf", ".", "--out", "y", "--min-rank", "strong"), "not a rank"),
    (("frobnicate",), "frobnicate"),
]


@pytest.mark.parametrize(("arguments", "part"), MISTAKES, ids=lambda value: " ".join(value)[:40])
def test_a_mistake_gives_one_line_and_a_status(
    arguments: tuple[str, ...], part: str, capsys
) -> None:
    assert_one_line(dlgo_here(capsys, *arguments), part)


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """A command and all below it, with what is typed to reach them."""
    yield name, command
    for word, child in getattr(command, "commands", {}).items():
        yield from commands(child, f"{name} {word}")


def test_every_number_of_every_command_is_finite_and_within_its_range() -> None:
    """A new option is tested without being named here."""
    checked = 0
    for name, command in commands(cli, "dlgo"):
        for option in command.params:
            for kind in getattr(option.type, "types", [option.type]):
                assert isinstance(kind, Number | click.types.StringParamType | click.Path |
                                  click.Choice | click.types.BoolParamType), (name, option.opts)
                if not isinstance(kind, Number):
                    continue
                checked += 1
                for value in ("nan", "inf", "-inf", "1e999", "9" * 199, "", "x", "1.5.2"):
                    with pytest.raises(click.UsageError, match=option.opts[-1]) as error:
                        kind.convert(value, option, None)
                    assert "\n" not in str(error.value)
                for bound, beyond in ((kind.low, -1), (kind.high, 1)):
                    if math.isfinite(bound):
                        kind.convert(bound, option, None)
                        with pytest.raises(click.UsageError, match="is out of range"):
                            kind.convert(bound + beyond, option, None)
    assert checked > 40


CLOSED = """
import sys
from experiments.cli.main import main
for words in sys.argv[1:]:
    try:
        main(words.split())
    except SystemExit as end:
        print("status", end.code, flush=True)
"""


def test_only_what_reads_needs_a_standard_input() -> None:
    """It is closed, as by `<&-`, in a process that runs these commands."""
    reading = ("gtp --engine random", "analyze connect4 --stdin", "play connect4")
    playing = "play tictactoe --first=random --second=random --delay=0"
    command = shlex.join([sys.executable, "-c", CLOSED, playing, *reading])
    done = subprocess.run(
        f"exec {command} <&-", shell=True, capture_output=True, text=True, timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Game over: " in done.stdout.partition("status 0\n")[0]
    assert done.stdout.endswith("status 0\n" + "status 2\n" * 3)
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("dlgo: ") and "standard input is closed" in line for line in lines)


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m experiments.cli perft tictactoe --depth 9 | head -1",
        shell=True, capture_output=True, text=True, timeout=300, check=False,
    )
    assert done.stderr == ""


@pytest.mark.slow
def test_the_same_seed_prints_the_same_game(capsys) -> None:
    """In two processes."""
    command = ("play", "connect4", "--first", "random", "--second", "mcts:sims=20", "--delay", "0",
               "--seed", "9")

    def moves(text: str) -> list[str]:
        return [line.split("[")[0] for line in text.splitlines() if " ms" in line]

    first = moves(dlgo(*command).stdout)
    assert len(first) > 6
    assert moves(dlgo_here(capsys, *command).stdout) == first


def test_an_internal_error_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    import dlgo
    from experiments.cli import main as cli

    def broken(*_: object) -> None:
        raise RuntimeError("the moon is in the way")

    monkeypatch.setattr(dlgo, "get_game", broken)
    with pytest.raises(SystemExit) as status:
        cli.main(["perft", "connect4", "--depth", "2"])
    assert status.value.code == 70
    error = capsys.readouterr().err
    assert "RuntimeError: the moon is in the way" in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_tournament_ends_with_its_scores_and_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = tmp_path / "games.sqlite"
    done = dlgo_here(capsys, "tournament", "--ledger", ledger, "--game", "tictactoe", "--pairs", 2,
                     "--engine", "random", "--engine", "alphabeta:depth=9", "--workers", 1)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    first, second = (line.split() for line in lines[-4:-2])
    assert (first[0], second[0]) == ("alphabeta:depth=9", "random")
    assert float(first[1]) + float(second[1]) == 4 and first[2] == second[2] == "4"
    assert lines[-2:] == [f"next: dlgo report {ledger}",
                          f"next: dlgo compare {ledger} random alphabeta:depth=9"]
    refused = dlgo_here(capsys, "report", ledger, "--out", tmp_path / "report",
                        "--bootstrap", 50)
    assert_one_line(refused, "50 replicates are too few")
    assert not (tmp_path / "report").exists()
