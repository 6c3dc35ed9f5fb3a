"""`dlgo compare` and `dlgo sprt` take entrants in any spelling, and as ledgers and reports do."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.records.ledger import Ledger
from experiments.arena.schedule import Plan, tasks
from tests.command import assert_one_line, dlgo_here
from tests.reports.simulation import game_record

BOT = """
class Bot:
    def __init__(self, which=0):
        self.which = which
    def select_move(self, state):
        return state.legal_moves()[self.which]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compare")


@pytest.fixture
def ledger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Games of `mcts:sims=20,c_uct=1`, of `Deep`, which is `alphabeta:depth=2`, and of a bot."""
    monkeypatch.chdir(folder)
    if not (folder / "t.sqlite").exists():
        (folder / "bot.py").write_text(BOT)
        plan = Plan(("tictactoe",), ("mcts:sims=2e1,c_uct=1", "bot.py:which=0",
                                     "alphabeta:depth=2,name=Deep"), 1, seed=1).canonical()
        with Ledger("t.sqlite") as ledger:
            ledger.set_meta("plan", plan.to_json())
            ledger.add(*(
                game_record(task.pair, task.first, task.second, 1.0, game=task.game, slot=task.slot)
                for task in tasks(plan)))
    return "t.sqlite"


def version(ledger: str, capfd) -> str:
    """The bot as `dlgo ledger` prints it."""
    slots = dlgo_here(capfd, "ledger", ledger, "list").stdout
    return next(part for part in slots.split("|") if part.startswith("bot.py"))


@pytest.mark.parametrize(("entrant", "opponent", "meant"), [
    ("mcts:sims=20,c_uct=1", "Deep", "mcts:sims=20,c_uct=1 against Deep"),
    ("mcts:c_uct=1.0,sims=2e1", "alphabeta:depth=2", "mcts:sims=20,c_uct=1 against Deep"),
    ("alphabeta:tt=20,depth=2", "mcts:reuse=yes,sims=20,c_uct=1", "Deep against mcts:sims=20"),
    ("bot.py", "Deep", "bot@"),
    ("bot.py:which=0", "Deep", "bot@"),
    ("as printed", "Deep", "bot@"),
])
def test_any_spelling_will_do(
    entrant: str, opponent: str, meant: str, ledger: str, capfd
) -> None:
    command = "sprt" if entrant == "as printed" else "compare"
    entrant = version(ledger, capfd) if entrant == "as printed" else entrant
    done = dlgo_here(capfd, command, ledger, entrant, opponent)
    assert done.returncode == 0, done.stderr
    assert meant in done.stdout.splitlines()[0]


@pytest.mark.parametrize(("entrant", "part"), [
    ("mcts:sims=21,c_uct=1", "entrant mcts:sims=21,c_uct=1 played no game; did you mean mcts"),
    ("mcts:simz=20", "entrant mcts:simz=20 played no game"),
    ("bot.py:which=1", "entrant bot.py:which=1 played no game"),
    ("alphabeta:depth=2", "entrant Deep is named twice"),
])
def test_others_are_named_as_they_were_typed(entrant: str, part: str, ledger: str, capfd) -> None:
    assert_one_line(dlgo_here(capfd, "compare", ledger, entrant, "Deep"), part)


@pytest.mark.parametrize("game", ["go:size=9", "go9", "go:komi=7.5", "chess"])
def test_a_game_is_known_in_any_spelling(game: str, tmp_path: Path, capfd) -> None:
    games = tmp_path / "games.csv"
    games.write_text("game,first,second,result\ngo:size=9,a,b,1\nchess,a,b,0\ntictactoe,a,b,1\n")
    done = dlgo_here(capfd, "compare", games, "a", "b", "--game", game)
    titles = [line for line in done.stdout.splitlines() if " against " in line]
    assert titles == [f"{'chess' if game == 'chess' else 'go:size=9'}: a against b"], done.stderr
    assert_one_line(dlgo_here(capfd, "compare", games, "a", "b", "--game", "go:size=13"),
                    "no game of go:size=13 was played; there are chess, go:size=9, tictactoe")


def test_a_ledger_is_searched_by_the_names_of_reports(ledger: str, capfd) -> None:
    whole = dlgo_here(capfd, "ledger", ledger, "list", "--engine", "alphabeta:depth=2").stdout
    assert whole.endswith("\n4 of 6 games\n")
    assert dlgo_here(capfd, "ledger", ledger, "list", "--engine", "Deep").stdout == whole


@pytest.mark.slow
def test_of_several_versions_one_must_be_named(ledger: str, folder: Path, capfd) -> None:
    first = version(ledger, capfd)
    (folder / "bot.py").write_text(BOT + "\n# edited\n")
    done = dlgo_here(capfd, "tournament", "--ledger", ledger, "--game", "tictactoe", "--pairs", 1,
                     "--workers", 1, "--engine", "bot.py", "--engine", "alphabeta:depth=2")
    assert done.returncode == 0, done.stderr
    done = dlgo_here(capfd, "compare", ledger, "bot.py", "Deep")
    assert_one_line(done, "played in several versions; name one of bot.py:Bot@")
    assert first in done.stderr
    assert dlgo_here(capfd, "compare", ledger, first, "Deep").returncode == 0
