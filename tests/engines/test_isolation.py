"""Engines from outside wherever a command takes one: in a process of their own, as at home.

The arena's own tests (`tests/arena/test_outside.py`) have more ways of misbehaving.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from dlgo import DlgoError, GameState, get_game
from dlgo.plugins import load_file
from engines.base import Budget
from engines.isolation.describe import OutsideSpec, read_spec
from engines.isolation.engine import IsolatedEngine
from engines.learning.selfplay.engine_games import play_game
from engines.registry import EngineSpec, build_engine, is_outside
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.gtp.server import Server
from experiments.gtp.session import Session as GtpSession
from tests.arena.mocks import games_of
from tests.command import assert_one_line, dlgo_here

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

BOTS = '''
import gc, os, subprocess, sys, time
from engines.mcts.engine import MCTSEngine

class Mine(MCTSEngine):
    """The same search under another name."""
    name = "mine"

class Base:
    """Notes its process, plays two moves, as a warm-up does, then does what its class says."""
    def __init__(self, seed=0):
        with open("pids", "a") as file:
            file.write(f"{os.getpid()} ")
    def select_move(self, state):
        if len(state.moves()) > 2:
            self.act()
        return state.legal_moves()[0]

class Fine(Base):
    def act(self): pass
    def new_game(self, seed):
        end = time.process_time() + 0.5
        while time.process_time() < end: pass

class Hangs(Base):
    def act(self): time.sleep(3600)

class Exits(Base):
    def act(self):
        if not os.path.exists("exited"):
            open("exited", "w").close()
            os._exit(3)

class Fails(Base):
    def act(self): raise KeyError("eel")

class Wild(Base):
    def act(self):
        print("boo", flush=True)
        os.write(2, b"boo")
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        with open("pids", "a") as file:
            file.write(f"{child.pid} ")
        os.chdir("/")
        for thing in gc.get_objects():
            if type(thing).__name__ in ("Session", "RandomEngine"):
                thing.select_move = None
        self.act = lambda: None
'''
LINE = BOTS.splitlines().index('    def act(self): raise KeyError("eel")') + 1


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the bots."""
    (tmp_path / "bad.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def all_gone(folder: Path) -> bool:
    """Whether no process that the bots noted is left."""
    deadline = time.monotonic() + 60
    pids = (folder / "pids").read_text().split()
    while any(Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes()
              for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return bool(pids)


@pytest.mark.parametrize(("bot", "seconds", "message"), [
    pytest.param("Hangs", 3, "no answer within 3 s", marks=pytest.mark.slow),
    ("Exits", 60, "process died (exit code 3)"),
    ("Fails", 60, f"bad.py, line {LINE}: KeyError: 'eel'"),
])
def test_a_game_is_saved_before_its_bot_s_failure_ends_it(
    bot: str, seconds: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = dlgo_here(capsys, "play", "connect4", "--first", f"bad.py:{bot}", "--second", "random",
                     "--delay", "0", "--move-timeout", seconds)
    assert_one_line(done, message)
    assert "--resume unfinished.txt" in done.stderr
    assert len((folder / "unfinished.txt").read_text().split("\n")[3].split()) == 4
    assert all_gone(folder)


def test_a_bot_that_prints_moves_house_and_looks_around_disturbs_nobody(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = dlgo_here(capfd, "play", "tictactoe", "--first", "bad.py:Wild", "--second", "random",
                     "--delay", "0", "--seed", "1")
    assert done.returncode == 0 and "Game over" in done.stdout, done.stderr
    assert Path.cwd() == folder
    assert "boo" not in done.stdout + done.stderr
    assert all_gone(folder), "its child, too"


@pytest.mark.slow
def test_gtp_names_the_failure_and_goes_on_with_another_process(folder: Path) -> None:
    session = GtpSession(get_game("connect4"), read_spec("bad.py:Exits"))
    answers = ["".join(Server(session).answer(f"genmove {c}")) for c in "bwbwbw"]
    assert [answer[0] for answer in answers] == ["=", "=", "=", "?", "?", "="]
    assert "process died (exit code 3)" in answers[3]
    assert len(set((folder / "pids").read_text().split())) == 2
    session.close()
    assert all_gone(folder)


def test_decisions_and_training_data_are_those_of_the_same_engine_at_home() -> None:
    game = get_game("tictactoe")
    away = read_spec("bad.py:Mine:sims=50").build(game, 3)
    home = build_engine("bad.py:Mine:sims=50", game, 3)
    state = GameState.new_game(game)
    for ask in ("select_move", "analyse"):
        ours, theirs = (getattr(engine, ask)(state) for engine in (home, away))
        assert ours.with_cost(theirs.cost) == theirs
        assert theirs.policy and theirs.cost.simulations == 50
    data = [play_game(game, [engine], 7, 1, 2, 4) for engine in (home, away)]
    assert data[0].actions.tolist() == data[1].actions.tolist()
    assert away.budgets == home.budgets and away.budget == home.budget
    away.close()


def test_a_search_ends_when_it_is_told_to_and_goes_on_with_its_tree() -> None:
    state = GameState.new_game(get_game("go:size=9"))
    engine = IsolatedEngine("mcts:wall=60", state.game, 90)
    engine.warm_up()
    engine.new_game(1)
    began = time.monotonic()
    first = engine.analyse(state, None, lambda: time.monotonic() > began + 0.5)
    assert time.monotonic() - began < 50 and first.cost.simulations > 0
    second = engine.analyse(state, Budget(wall=0.2))
    assert sum(second.visits.values()) > sum(first.visits.values())
    engine.close()


def test_what_an_engine_does_before_its_first_move_is_not_charged() -> None:
    """Its process takes CPU time to start, and half a second for a new game."""
    engine = IsolatedEngine("bad.py:Fine", get_game("tictactoe"), 60)
    engine.new_game(1)
    assert engine.select_move(engine.game.start()).cost.cpu_seconds < 0.3
    engine.close()


def test_reading_a_specification_loads_nothing_here() -> None:
    Path("trap.py").write_text("import sys; sys.trapped = True\ndef select_move(state): pass\n")
    spec = read_spec("trap.py:name=It")
    assert isinstance(spec, OutsideSpec) and not hasattr(sys, "trapped")
    plain = EngineSpec.parse("trap.py:name=It")
    assert (spec.text, spec.full_text, spec.digest, spec.label, spec.family) == (
        plain.text, plain.full_text, plain.digest, plain.label, plain.family)
    Path("trap.py").write_text("raise RuntimeError('no')")
    for text, message in (("trap.py", "trap.py, line 1: RuntimeError: no"), ("no.py", "no such"),
                          ("bad.py:Mine:sims=few", "not a whole number")):
        with pytest.raises(DlgoError, match=message):
            read_spec(text)


@pytest.mark.slow
def test_an_engine_that_asks_one_from_outside_is_isolated_with_it() -> None:
    text = 'puct:sims=5,agent="bad.py:Mine:sims=4"'
    assert is_outside(text) and not is_outside('puct:sims=5,agent="mcts:sims=4"')
    spec = read_spec(text)
    assert isinstance(spec, OutsideSpec) and spec.digest == read_spec("bad.py:Mine").digest
    engine = spec.build(get_game("tictactoe"))
    assert engine.select_move(GameState.new_game(engine.game)).cost.simulations == 5
    engine.close()


def test_two_spellings_of_a_nested_engine_are_one_entrant() -> None:
    one, other = (EngineSpec.parse(f'puct:sims=5,agent="{agent}"') for agent in
                  ("mcts:c_uct=1.2,sims=8", "mcts:sims=8,c_uct=1.2,name=Me"))
    assert one == other and one.text == 'puct:sims=5,agent="mcts:sims=8,c_uct=1.2"'
    with pytest.raises(DlgoError, match="did you mean sims"):
        EngineSpec.parse('puct:sims=5,agent="mcts:simz=8"')


@pytest.mark.slow
def test_neighbours_of_another_bot_are_not_imported_in_its_process(folder: Path) -> None:
    """Also after this process has loaded the other one's."""
    bots = []
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "helper.py").write_text(f"WHOSE = {name!r}\n")
        Path(name, "bot.py").write_text(
            "import helper\nfrom pathlib import Path\n\ndef select_move(state):\n"
            "    assert helper.WHOSE == Path(__file__).parent.name\n"
            "    return state.legal_moves()[0]\n")
        load_file(Path(name, "bot.py"))
        bots.append(f"{name}/bot.py")
    state = GameState.new_game(get_game("tictactoe"))
    for bot in bots:
        with closing(IsolatedEngine(bot, state.game, 60.0, 2000)) as engine:
            assert engine.select_move(state).move in state.legal_moves()
    run_tournament(Plan(("tictactoe",), tuple(bots), 2).canonical(), "games.sqlite", workers=2)
    assert [game.failure for game in games_of(Path("games.sqlite")).values()] == 4 * [None]
