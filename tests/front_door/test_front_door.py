"""`import dlgo`: the example of its help as it stands, in a script and in a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import dlgo
from dlgo.code_digest import code_digest
from tests.command import ROOT

# What is shorter in the tests than in the help.
SHORTER = {
    "pairs=20": "pairs=1", "games=500": "games=20", "epochs=5": "epochs=1", "sims=200": "sims=4",
    "iterations=12": "iterations=1, games=4, sims=4, network='resnet:blocks=1,filters=8'",
}


class MyBot:
    """Plays the first move there is."""

    def select_move(self, state: dlgo.GameState) -> dlgo.Move:
        return state.legal_moves()[0]


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=1800,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
        check=False,
    )


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The names that the example of the help leaves, run as it is written."""
    if find_spec("keras") is None:
        pytest.skip("needs keras")
    folder = tmp_path_factory.mktemp("front door")
    text = "".join(line[4:] for line in (dlgo.__doc__ or "").splitlines(keepends=True)
                   if line.startswith("    "))
    assert all(text.count(long) for long in SHORTER)
    for long, short in SHORTER.items():
        text = text.replace(long, short)
    names: dict[str, Any] = {"MyBot": MyBot}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(text, names)
        yield names


@pytest.mark.slow
def test_the_example_is_the_help(example: dict[str, Any]) -> None:
    frame = example["engine"].analyse(example["game"].start().play("d5")).to_frame()
    assert list(frame)[:4] == ["move", "visits", "value", "prior"]
    assert frame["visits"].sum() == 4 and set(frame["move"]) <= {"c5", "e5", "e3"}
    t = example["t"]
    assert len(t.games) == 6 and len(t.ratings) == 3  # three matches of two games
    assert {"first", "second", "result", "first_cpu_ms"} <= set(t.games)
    assert {"entrant", "rating", "low95", "high95", "mean_cpu_ms"} <= set(t.ratings)
    assert Path("out/report.html").is_file()
    assert example["data"].n_games == 20


@pytest.mark.train
def test_what_training_gives_can_be_looked_at_and_played(example: dict[str, Any]) -> None:
    net, run, start = example["net"], example["run"], example["game"].start()
    assert len(net.history) == len(run.history) == 1
    assert net.engine(sims=50).select_move(start).cost.simulations == 50
    assert net.engine().select_move(start).cost.evaluations == 1  # without a budget: no search
    assert dlgo.engine(run.best, example["game"]).select_move(start).move in start.legal_moves()
    assert any(finding.name == "results" for finding in run.doctor().findings)


@pytest.mark.train
def test_the_same_call_finds_its_games_again(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    entrants = ["random", MyBot, "mcts:sims=4"]
    dlgo.tournament(example["game"], entrants, pairs=1, ledger="t.sqlite")
    assert "6 found, 0 played" in capsys.readouterr().err
    assert len(dlgo.results("t.sqlite").games) == 6


@pytest.mark.train
@pytest.mark.parametrize("cost", ["cpu_ms", "wall_ms"])
def test_a_plot_is_a_figure_that_a_notebook_shows(example: dict[str, Any], cost: str) -> None:
    from matplotlib.figure import Figure

    figure = example["t"].plot(cost=cost)
    assert isinstance(figure, Figure) and figure._repr_png_().startswith(b"\x89PNG")


def test_importing_is_light(tmp_path: Path) -> None:
    heavy = ("numpy", "numba", "pandas", "scipy", "matplotlib", "tensorflow", "experiments")
    done = python(tmp_path, "-c", "import sys, json; import dlgo; dir(dlgo); "
                  "print(json.dumps([*sys.modules]))")
    assert not set(heavy) & set(json.loads(done.stdout))


WRONG = {
    "dlgo.tournament(GAME)": "engines",
    "dlgo.tournament(GAME, ['random', 'mcts'], pars=3)": "did you mean pairs",
    "dlgo.tournament(GAME, ['random', 'mcts'], pairs='x')": "pairs='x' is not a whole number",
    "dlgo.tournament(GAME, ['random', 'mcst'])": "did you mean mcts",
    "dlgo.tournament(GAME, ['random', 3])": "3 is not an engine",
    "dlgo.tournament(GAME, 'random')": "two engines",
    "dlgo.generate(GAME, 'random', gmaes=3)": "did you mean games",
    "dlgo.generate(GAME, 'random', 0)": "games=0 is out of range",
    "dlgo.generate(GAME, 'random', 1e18)": "games=1e+18 is out of range (1 to 100,000,000)",
    "dlgo.generate(GAME, 'random', 3, workers=0)": "workers=0 is out of range",
    "dlgo.match(GAME, 'random', 'random')": "pairs",
    "dlgo.generate(GAME, 'random', 3, sed=1)": "did you mean seed",
    "dlgo.generate(GAME, 'random', 3, temperature=-1)": "temperature=-1 is out of range",
    "dlgo.train.alphazero(GAME, iteratoins=3)": "did you mean iterations",
    "dlgo.train.ppo(GAME, iterations=-3)": "iterations=-3 is out of range",
    "dlgo.train.supervised('nowhere')": "no such folder",
    "dlgo.engine('mcts:sims=3')": "game",
    "dlgo.game('go', sise=9)": "did you mean size",
    "dlgo.results('nowhere.sqlite')": "does not exist",
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_is_one_sentence(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(dlgo.DlgoError) as caught:
        eval(call.replace("GAME", "'tictactoe'"))
    assert WRONG[call] in str(caught.value) and "\n" not in str(caught.value)


def test_a_misspelt_name_is_suggested() -> None:
    with pytest.raises(AttributeError, match="did you mean tournament"):
        dlgo.tournement  # noqa: B018


SCRIPT = """
    import dlgo

    def choose(moves):
        return moves[0]

    class MyBot:
        def select_move(self, state):
            return choose(state.legal_moves())

    t = dlgo.tournament("tictactoe", ["random", MyBot], pairs=2, ledger="own.sqlite")
    t = dlgo.tournament("tictactoe", ["random", "mcts:sims=5"], pairs=2, workers=2,
                        ledger="two.sqlite")
    print("once", len(dlgo.generate("tictactoe", "random", games=3, workers=1).games()))
    print(*sorted({name for name in dlgo.results("own.sqlite").games["first"]}))
"""


@pytest.mark.slow
def test_a_script_needs_no_guard_and_an_edited_class_is_another_entrant(tmp_path: Path) -> None:
    """What the processes of a tournament do must not run the script again."""
    script = tmp_path / "mine.py"
    for edit, found, names in (
        (("", ""), "0 found, 4 played", "MyBot random"),
        (("import dlgo", "import dlgo  # a remark"), "4 found, 0 played", "MyBot random"),
        (("moves[0]", "moves[-1]"), "0 found, 4 played", "MyBot@"),
    ):
        script.write_text(textwrap.dedent(SCRIPT).replace(*edit))
        done = python(tmp_path, "mine.py")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("once 3\n") and done.stdout.count("once") == 1
        assert f"own.sqlite: {found}" in done.stderr, done.stderr
        assert "MyBot was defined in the notebook or script" in done.stderr
        assert names in done.stdout


def test_interrupted_in_a_notebook_the_same_call_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Impatient(MyBot):
        def __init__(self) -> None:
            self.moves = 0

        def new_game(self, seed: int) -> None:
            pass

        def select_move(self, state: dlgo.GameState) -> dlgo.Move:
            self.moves += 1
            if self.moves == 8:
                raise KeyboardInterrupt
            return state.legal_moves()[0]

    interrupted = 0
    for _ in range(20):
        try:
            t = dlgo.tournament("tictactoe", ["random", Impatient], pairs=5,
                                ledger=tmp_path / "t.sqlite")
            break
        except KeyboardInterrupt as error:
            interrupted += 1
            assert "of 10 games; run the same" in str(error)
    assert 0 < interrupted < 20 and len(t.games) == 10
    assert "0 found, 10 played" not in capsys.readouterr().err


def bot(body: str) -> type:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(textwrap.dedent(body), names)
    return names["Bot"]


BOT = """
    from random import choice
    WEIGHTS = [1, 2]
    def first(moves): return moves[0]
    class Base:
        def name(self): return "base"
    class Bot(Base):
        depth = 3
        def __init__(self, width=4): self.width = width
        def select_move(self, state): return first(state.legal_moves()) if WEIGHTS else {1, 2, 3}
"""


@pytest.mark.parametrize(("old", "new"), [
    ("moves[0]", "moves[1]"), ("[1, 2]", "[1, 3]"), ('"base"', '"other"'), ("= 3", "= 4"),
    ("width=4", "width=5"), ("{1, 2, 3}", "{1, 2, 4}"), ("first(state", "choice(state"),
])
def test_a_cell_that_is_edited_is_another_version(old: str, new: str) -> None:
    assert code_digest(bot(BOT)) == code_digest(bot(BOT + "\n    # a remark\n"))
    assert code_digest(bot(BOT)) != code_digest(bot(BOT.replace(old, new)))


def test_a_cell_that_runs_again_is_the_same_entrant() -> None:
    results = [dlgo.match("tictactoe", bot(BOT), "random", pairs=1, seed=1) for _ in range(2)]
    assert results[0].engine == "Bot" and results[0].points == results[1].points
