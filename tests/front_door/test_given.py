"""What is given to `import dlgo`: a name, a file, a class of a module, of a script or of a cell, an
object; to each of its functions, in a script, in a notebook, and in a process that it starts."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dlgo
from dlgo.code_digest import code_digest
from engines.registry import EngineSpec
from experiments import templates
from experiments.arena.entrants import Entrant
from tests.command import ROOT
from tests.front_door.test_front_door import python

ROWS = (Path(templates.__file__).parent / "rows.py").read_text()
BOT = """
class Bot:
    def select_move(self, state):
        return state.legal_moves()[0]
"""
# Defines `Own`, `Bot` and `last`; beside it are `rows.py` and `bot.py`.
OWN = ROWS.replace("RowsAndColumns", "Own").replace('"rows"', '"own"') + BOT + """
def last(state):
    return state.legal_moves()[-1]
"""
GAMES_GIVEN = {
    "a name": "'tictactoe'", "a file": "'rows.py'", "a path": "Path('rows.py')",
    "an imported class": "rows.RowsAndColumns", "a module": "rows", "an own class": "Own",
    "an own object": "Own()", "a game of it": "dlgo.game(Own)",
}
BOTS_GIVEN = {
    "a name": "'random'", "a file": "'bot.py:Bot'", "a path": "Path('bot.py')",
    "an imported class": "module.Bot", "a module": "module", "an imported object": "module.Bot()",
    "an own class": "Bot", "an own function": "last", "an own object": "Bot()",
}
GAME_CALLS = {
    "engine": "dlgo.engine('random', {0}).select_move(dlgo.game({0}).start())",
    "match": "dlgo.match({0}, 'heuristic', module.Bot, pairs=1)",
    "match with a file": "dlgo.match({0}, 'heuristic', 'bot.py', pairs=1)",
    "check": "assert_ok(dlgo.check({0}))",
    "tournament": "dlgo.tournament({0}, ['random', 'bot.py'], pairs=1, ledger=new(), workers=1)",
    "generate": "dlgo.generate({0}, 'random', games=2, out=new(), workers=1).games()",
    "train": "dlgo.train.ntuple({0}, out=new(), iterations=1)",
    "train with workers": "dlgo.train.q_learning({0}, out=new(), iterations=1, games=2, workers=1)",
}
BOT_CALLS = {
    "engine": "dlgo.engine({0}, 'tictactoe').select_move(dlgo.game('tictactoe').start())",
    "match": "dlgo.match('tictactoe', {0}, 'heuristic', pairs=1)",
    "check": "assert_ok(dlgo.check({0}))",
    "tournament":
        "dlgo.tournament('tictactoe', [{0}, 'heuristic'], pairs=1, ledger=new(), workers=1)",
    "generate": "dlgo.generate('tictactoe', {0}, games=2, out=new(), workers=1).games()",
    "against": "dlgo.generate('tictactoe', 'random', games=2, against={0}, out=new(), workers=1)",
}
CALLS = {
    f"{call} {noun}, {given}": text.format(thing)
    for noun, calls, things in (("game", GAME_CALLS, GAMES_GIVEN), ("bot", BOT_CALLS, BOTS_GIVEN))
    for call, text in calls.items() for given, thing in things.items()
}
TABLE = """
import itertools, json, os
from pathlib import Path

import bot as module
import dlgo
import rows

numbers = itertools.count()

def new():
    return f"{os.getpid()}-{next(numbers)}"

def assert_ok(report):
    assert report.ok, report

def main(calls):
    answers = {}
    for name, text in calls.items():
        try:
            eval(text, globals())
            answers[name] = "right"
        except Exception as error:
            answers[name] = f"{type(error).__name__}: {error}"
    Path("answers.json").write_text(json.dumps(answers))
"""
# These are read like a file or an imported class: a script is enough.
ALIKE = ("a name", "a path", "a module", "a game of it", "an imported object")
SHORT = {name: text for name, text in CALLS.items() if name.partition(", ")[2] not in ALIKE}
# How a user runs it: the file, its last part, and the calls.
SETTINGS = {
    "script": ("mine.py", "main({!r})", CALLS),
    "notebook": ("mine.ipynb", "main({!r})", SHORT),
    "spawn": ("mine.py", """
import multiprocessing

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=main, args=({!r},))
    process.start()
    process.join()
""", SHORT),
}


def run(folder: Path, name: str, last: str, calls: dict[str, str]) -> dict[str, str]:
    """The answer of each call."""
    (folder / "rows.py").write_text(ROWS)
    (folder / "bot.py").write_text(BOT)
    parts = [OWN, TABLE, last.format(calls)]
    if name.endswith(".py"):
        (folder / name).write_text("\n".join(parts))
        done = python(folder, name)
        assert done.returncode == 0, done.stderr
    else:
        nbclient, nbformat = map(pytest.importorskip, ("nbclient", "nbformat"))
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(part) for part in parts])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", str(ROOT))
            nbclient.NotebookClient(
                book, timeout=1800, resources={"metadata": {"path": str(folder)}}).execute()
    answers: dict[str, str] = json.loads((folder / "answers.json").read_text())
    return answers


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """The answers in a setting."""
    return functools.cache(
        lambda setting: run(tmp_path_factory.mktemp(setting), *SETTINGS[setting]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "call"), [(name, call) for name in SETTINGS for call in SETTINGS[name][2]])
def test_every_function_takes_whatever_is_given(
    answers: Callable[[str], dict[str, str]], setting: str, call: str
) -> None:
    assert answers(setting)[call] == "right"


def in_cell(source: str, name: str) -> Any:
    """The class of this name, as a cell with this source defines it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(source, names)
    return names[name]


@pytest.mark.parametrize("call", [
    "dlgo.match(Own, 'random', Bot, pairs=1)",
    "dlgo.match(Own, 'random', 'bot.py', pairs=1)",
    "dlgo.match(Own(), Bot(), 'random', pairs=1)",
    "dlgo.tournament(Own(), [Bot, 'random'], pairs=1, ledger='t.sqlite').games",
    "dlgo.generate(Own, Bot, games=2, out='data').games()",
    "dlgo.train.ntuple(Own, out='run', iterations=1)",
    "dlgo.check(Bot)",
])
def test_a_game_and_a_bot_of_a_cell(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(BOT)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(OWN, names)
    answer = eval(call, names | {"dlgo": dlgo})
    assert getattr(answer, "ok", True), answer


def test_an_edited_rule_is_another_game() -> None:
    """The rules are kernels that no method of the class mentions."""
    again, edited = (in_cell(OWN.replace("= 1 - player", new, 1), "Own")
                     for new in ("= 1 - player", "= player"))
    assert str(dlgo.game(again)) == str(dlgo.game(again)) == str(dlgo.game(in_cell(OWN, "Own")))
    assert str(dlgo.game(edited)) != str(dlgo.game(again))


def test_a_game_of_another_process_is_not_in_this_one(tmp_path: Path) -> None:
    with pytest.raises(dlgo.SpecError, match="made in a notebook or script.*run its cell"):
        dlgo.game("Own@12345678")


def test_a_ledger_may_be_read_before_its_bot_is_made() -> None:
    cls = in_cell(BOT.replace("[0]", "[1]"), "Bot")
    name = f"Bot@{code_digest(cls)[:8]}"
    assert Entrant.of(name).engine is None
    assert EngineSpec.of(cls).text == name
    assert Entrant.of(name).build(dlgo.game("tictactoe")).target is cls


def test_a_game_that_lacks_a_method_is_told_which() -> None:
    with pytest.raises(dlgo.SpecError, match="game Own is not complete; .*methods why_illegal$"):
        dlgo.game(in_cell(OWN.replace("def why_illegal", "def why"), "Own"))


def test_a_game_with_the_name_of_another_is_refused() -> None:
    with pytest.raises(dlgo.SpecError, match="a game of this project; choose another"):
        dlgo.game(in_cell(OWN.replace('name = "own"', 'name = "go"'), "Own"))


@pytest.mark.parametrize("entrants", [
    lambda names: pd.Series(names), lambda names: np.array(names), iter, set,
])
def test_entrants_come_in_anything_that_lists_them(entrants: Any, tmp_path: Path) -> None:
    t = dlgo.tournament("tictactoe", entrants(["random", in_cell(OWN, "Bot")]), pairs=1,
                        ledger=tmp_path / "t.sqlite")
    assert len(t.games) == 2


def test_none_is_not_given(tmp_path: Path) -> None:
    engine = dlgo.engine("mcts:sims=5", "tictactoe", seed=None)  # type: ignore[arg-type]
    same = dlgo.engine("mcts:sims=5", "tictactoe")
    start = dlgo.game("tictactoe").start()
    assert engine.select_move(start).move == same.select_move(start).move
    with pytest.raises(dlgo.SpecError, match="seed='None' is not a whole number"):
        dlgo.engine("mcts:sims=5", "tictactoe", None)  # type: ignore[arg-type]


def test_a_notebook_shows_an_error_in_one_line() -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    from traitlets.config import Config

    shell = shells.InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shown: list[list[str]] = []
    shell._showtraceback = lambda kind, value, lines: shown.append(lines)
    shell.run_cell("import dlgo; dlgo.engine('mcst', 'go')")
    assert [line.split(";")[0] for line in shown[0]] == [
        "PluginError: unknown engine 'mcst' (did you mean mcts?)"]
