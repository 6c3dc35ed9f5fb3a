"""Every command is run, with options and arguments drawn from the commands themselves.

Each has a line below by which it runs in a moment; a try changes some of its values and adds other
options. A new command fails here until it has its line; a new option is fuzzed unasked.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from engines.learners import LEARNERS
from experiments.options import Number
from tests.command import ROOT
from tests.fuzz.harness import TOKENS, command, mutated, tries
from tests.fuzz.test_files import PDN, SAMPLES, beside, sgf
from tests.fuzz.test_options import EXTREME, IMPOSSIBLE, commands
from tests.sample_ledger import write_sample

# What is typed after the command's name, and what it reads from standard input. Files are those of
# the fixture `home`; everything is written to `out`.
LINES: dict[str, str] = {
    "analyze": "tictactoe --engine=solver --stdin",
    "audit": "learner.py",
    "bench": "--game=tictactoe --seconds=0.05 --rounds=1",
    "check": "tictactoe",
    "class grade": "hand_in --exercise=ko --out=out/class --trust",
    "class gradescope": "ko --out=out/autograder.zip",
    "class league": "class --plan=league.toml --out=out/league --trust",
    "class list": "",
    "class new": "ko --out=out/exercises",
    "class questions": "04_search --count=2 --out=out/exam.html",
    "class similarity": "class --out=out/similarity.csv",
    "class try": "class/ann --plan=league.toml --trust",
    "compare": "games.csv a b",
    "connectx export": "--model=connect4-supervised --out=out/agent.py",
    "data fetch-kgs": "--out=out/kgs --page=http://127.0.0.1:9/",
    "data import-sgf": "games.zip --out=out/data --size=5 --workers=1",
    "data index-sgf": "games.zip --workers=1",
    "data show": "data",
    "doctor": "run",
    "encoders": "tictactoe",
    "engines": "",
    "export web": "out/page --game=tictactoe --engine=random",
    "games": "",
    "generate": "tictactoe --engine=random --games=1 --workers=1 --out=out/data",
    "gtp": "--engine=random --game=go:size=5",
    "ladder": "tictactoe random --within=400 --workers=1 --out=out/ladder",
    "ledger check": "games.sqlite",
    "ledger export": "games.sqlite --csv=out/games.csv",
    "ledger list": "games.sqlite",
    "ledger purge": "out/games.sqlite --worker=host:1",
    "ledger repair": "out/games.sqlite",
    "ledger workers": "games.sqlite",
    "models": "model",
    "new engine": "mine",
    "new game": "mine",
    "perft": "tictactoe --depth=3",
    "play": "tictactoe --first=random --second=random --delay=0",
    "power": "--elo=20",
    "puzzles": "tictactoe --count=1 --out=out/puzzles.json",
    "rate": "games.csv",
    "report": "games.sqlite --out=out/report --bootstrap=0",
    "show": "game.sgf --out=out/game.png",
    "sprt": "games.csv a b",
    "tournament": "--ledger=out/new.sqlite --game=tictactoe --engine=random "
                  "--engine=mcts:sims=5 --pairs=1 --workers=1",
    "train alphago": "--game=tictactoe --out=out/run --workers=1 --set=games=20 --set=epochs=1 "
                     "--set=reinforce_iterations=1 --set=reinforce_games=4 --set=value_games=40 "
                     "--set=network=mlp:hidden=2,layers=1",
    "train alphazero": "--game=tictactoe --out=out/run --iterations=1 --games=2 --sims=2 "
                       "--net=mlp:hidden=2,layers=1 --workers=1 --runtime=onnx",
    **{f"train {name}": "--game=tictactoe --out=out/run --iterations=1 --games=4 "
                        "--net=mlp:hidden=2,layers=1" for name in LEARNERS},
    "train quantise": "model --out=out/model --positions=64",
    "train supervised": "--data=data --out=out/model --net=mlp:hidden=2,layers=1 --epochs=1",
    "watch": "tictactoe --engine=textbook-mcts:sims=5 --tree=out/tree.svg",
    "web": "--no-browser --host=127.0.0.1 --port=0",
}
STDIN = b"a1 b2\n\nC3\ngenmove b\n\x1b[2J\nboardsize 99999999999999999999\nundo\nquit\n"
# These take a second or more.
SLOW = ("audit", "class grade", "class league", "class try", "connectx export", "data import-sgf",
        "data index-sgf",
        "export web", "generate", "puzzles", "report", "tournament", "train alphago",
        "train alphazero", "train quantise", "train supervised",
        *(f"train {name}" for name in LEARNERS))
# Ctrl-C comes later where it would leave half a plot in this process.
PATIENCE = dict.fromkeys((*SLOW, "show"), 15.0)
TEXTS = ("random", "mcts:sims=5", "human", "tictactoe", "go:size=5", "draughts", "games.csv",
         "model", "data", "a=1e999", "seed=3", "oneplane", "")
PLACES = ("out/new", "out", "out/none/there", "/dev/null", "/dev/full", "out/a.sgf/b", "out/é.csv",
          "out/game.gif", "out/" + "n" * 300)
# Another page would be asked for, a thousand processes start, the world be served.
FIXED = {"page", "workers", "no_browser", "host"}

COMMANDS = {" ".join(path): found for path, found in commands()}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a user has."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "games.csv").write_text("first,second,result,pair\na,b,1,1\nb,a,0.5,1\na,b,0,2\n")
    (folder / "game.sgf").write_bytes(sgf(1))
    (folder / "game.pdn").write_bytes(PDN[0])
    write_sample(folder / "games.sqlite")
    for name, sample in (("data", "dataset"), ("model", "supervised"), ("run", "alphazero")):
        shutil.copytree(SAMPLES / sample, folder / name)
    (folder / "hand_in").mkdir()
    (folder / "hand_in/ko.py").write_text("def forbidden(*_):\n    return True\n")
    (folder / "class/ann").mkdir(parents=True)
    (folder / "class/ann/bot.py").write_text("def select_move(state):\n    return None\n")
    (folder / "learner.py").write_text("def window(old, new, size):\n    return old\n")
    (folder / "league.toml").write_text('game = "tictactoe"\n')
    with zipfile.ZipFile(folder / "games.zip", "w") as file:
        file.writestr("game.sgf", sgf(1))
    return folder


def number(kind: Number, rng: np.random.Generator) -> str:
    """A number that fits, one just beyond the range, or what is not one."""
    step = 1 if kind.kind is int else 0.01
    near = [kind.low, kind.low + step, kind.low - step, kind.high, kind.high + step, 1, 2, 3]
    choices = [near, near, EXTREME, IMPOSSIBLE][int(rng.integers(4))]
    value = choices[int(rng.integers(len(choices)))]
    return str(int(value) if kind.kind is int and value in near and abs(value) < 2**63 else value)


def text(before: Any, rng: np.random.Generator) -> str:
    """The text before it or another one, mutated; as the system gives it to a program."""
    source = str(before or TEXTS[int(rng.integers(len(TEXTS)))])
    data = mutated(source.encode(), rng) if rng.random() < 0.5 else rng.choice([
        TOKENS[int(rng.integers(len(TOKENS)))], TEXTS[int(rng.integers(len(TEXTS)))].encode()])
    return os.fsdecode(bytes(data).replace(b"\0", b""))


def setting(rng: np.random.Generator) -> str:
    """`NAME=VALUE`, of the names that AlphaZero has."""
    from engines.alphazero.config import AlphaZeroConfig

    names = list(AlphaZeroConfig.options())
    return f"{rng.choice(names)}={rng.choice([*EXTREME, *IMPOSSIBLE, '1', '2', '0.5', 'on'])}"


def another(parameter: click.Parameter, before: Any, rng: np.random.Generator) -> Any:
    """A value for a parameter: one, or as many as it takes."""
    kinds = getattr(parameter.type, "types", [parameter.type])
    values = []
    for kind in kinds:
        if isinstance(kind, Number):
            values.append(number(kind, rng))
        elif isinstance(kind, click.Choice):
            values.append(str(rng.choice([*kind.choices, "none"])))
        elif isinstance(kind, click.Path) and (
            isinstance(parameter, click.Option) or parameter.name == "out"
        ):
            values.append(PLACES[int(rng.integers(len(PLACES)))])
        else:
            values.append(setting(rng) if parameter.name == "settings" else text(before, rng))
    return values if len(values) > 1 else values[0]


def changed(found: click.Command, line: str, rng: np.random.Generator) -> tuple[list[str], dict]:
    """The line with some values changed or added: its words, and its values by name."""
    given = found.make_parser(click.Context(found)).parse_args(line.split())[0]
    open_to_change = [parameter for parameter in found.params if parameter.name not in FIXED]
    count = min(len(open_to_change), int(rng.integers(4)))
    for index in rng.permutation(len(open_to_change))[:count]:
        parameter = open_to_change[index]
        if getattr(parameter, "is_flag", False):
            given[parameter.name] = not parameter.secondary_opts or bool(rng.integers(2))
            continue
        before = given.get(parameter.name)
        many = isinstance(before, list | tuple)
        value = another(parameter, before[0] if many and before else before, rng)
        given[parameter.name] = [*before[1:], value] if many else (
            [value] if parameter.multiple or parameter.nargs == -1 else value)
    words: list[str] = []
    for parameter in found.params:
        value = given.get(parameter.name)
        if value is None:
            continue
        if isinstance(parameter, click.Argument):
            words += map(str, value if isinstance(value, list | tuple) else [value])
        elif parameter.is_flag:
            words.append(parameter.opts[-1] if value in (True, "true") or not
                         parameter.secondary_opts else parameter.secondary_opts[-1])
        elif parameter.nargs > 1:
            words += [parameter.opts[-1], *value]
        else:
            words += [f"{parameter.opts[-1]}={one}" for one in (
                value if parameter.multiple else [value])]
    return words, given


def test_every_command_has_its_line():
    assert sorted(LINES) == sorted(COMMANDS)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.train) if name.startswith("train") else name
    for name in LINES
])
def test_commands(home: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    if name.startswith("train"):
        pytest.importorskip("keras")
    monkeypatch.chdir(home)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # of the workers
    out = home / "out"
    for try_ in tries(1 if name in SLOW else 3):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        write_sample(out / "games.sqlite")
        start, line = name.split(), LINES[name]
        if start[0] == "ledger":  # the file stands between the two words
            file, _, line = line.partition(" ")
            start.insert(1, file)
        words, given = changed(COMMANDS[name], line, np.random.default_rng(try_))
        made = [home / "submission.py", *home.glob("unfinished*"),
                *(home / f"{test}{given.get('name')}.py" for test in ("", "test_"))]
        command(f"try {try_}: {[*start, *words]}", *start, *words, folder=home, stdin=STDIN,
                outputs=[out, *made, *beside(home / "games.sqlite")],
                patience=PATIENCE.get(name, 2.0))
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
