"""What every engine must keep to, and what theory says of their strength."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dlgo import GameState, SpecError, get_game
from engines.conformance import RULES, RuleBroken, check_engine
from engines.registry import EngineSpec, build_engine, engine_class, engine_names
from tests.conftest import RUN_ALL, one_line_error, random_game

GAMES = ("tictactoe", "connect4", "go:size=5", "draughts")
SPECS = ("random", "heuristic:level=3", "alphabeta:depth=2", "mcts:sims=50")


@pytest.mark.parametrize("spec", SPECS)
def test_engines_keep_to_the_rules_for_engines(spec: str) -> None:
    """The conformance kit: legal moves anywhere, the same game for the same seed, budgets."""
    assert len(check_engine(spec, GAMES, seed=2)) == len(GAMES)


LEAVES = """
import subprocess
class Leaves:
    child = None
    def select_move(self, state):
        self.child = self.child or subprocess.Popen(["sleep", "30"])
        return state.legal_moves()[0]
"""


@pytest.mark.slow
def test_a_process_that_an_engine_leaves_is_found(tmp_path: Path) -> None:
    (tmp_path / "leaves.py").write_text(LEAVES)
    others = [name for name in RULES if name != "close"]
    with pytest.raises(RuleBroken, match="close: Leaves leaves"):
        check_engine(str(tmp_path / "leaves.py"), ["tictactoe"], skip=others)


@pytest.mark.parametrize("name", engine_names())
def test_every_engine_is_documented_and_refuses_what_it_does_not_know(name: str) -> None:
    cls = engine_class(name)
    assert cls.name == name
    assert cls.summary
    assert all(option.help for option in cls.options)
    with pytest.raises(SpecError, match="no option 'nonsense'"):
        EngineSpec.parse(f"{name}:nonsense=1")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("mtcs:sims=10", "did you mean mcts"),
        ("mcts:sims=0", "out of range"),
        ("mcts:sims=-5", "out of range"),
        ("mcts:sims=ten", "whole number"),
        ("mcts:cpu=-1", "out of range"),
        ("mcts:cpu=nan", "out of range"),
        ("mcts:depth=3", "cannot limit itself by depth; it takes sims, cpu, wall"),
        ("random:sims=3", "no budget"),
        ("alphabeta:depth=2.5", "whole number"),
        ("alphabeta:tt=99", "out of range"),
        ("mcts:sim=10", "did you mean sims"),
        ("mcts:reuse=maybe", "not yes or no"),
    ],
)
def test_a_bad_specification_is_refused_in_one_line(text: str, part: str) -> None:
    with one_line_error(SpecError, part):
        EngineSpec.parse(text)


def test_specifications_have_one_canonical_text() -> None:
    spec = EngineSpec.parse("mcts: c_uct=1.40 , sims=1e3")
    assert str(spec) == "mcts:sims=1000,c_uct=1.4"
    assert spec.family == "mcts:c_uct=1.4"
    assert str(EngineSpec.parse("mcts")) == "mcts:sims=1000"
    assert str(EngineSpec.parse("mcts:sims=50,c_uct=0.4,reuse=yes")) == "mcts:sims=50"
    assert EngineSpec.parse(str(spec)) == spec


def test_an_engine_refuses_another_game_and_a_finished_one() -> None:
    engine = build_engine("random", get_game("tictactoe"))
    with pytest.raises(ValueError, match="plays tictactoe"):
        engine.select_move(GameState.new_game(get_game("connect4")))
    with pytest.raises(ValueError, match="over"):
        engine.select_move(random_game(get_game("tictactoe"), seed=1)[-1])


@pytest.mark.parametrize("spec", ["random", "alphabeta:depth=2", "mcts:sims=5"])
def test_engines_warm_up_on_a_board_that_two_moves_finish(spec: str) -> None:
    game = get_game("connectn:cols=2,rows=2,n=2")
    engine = build_engine(spec, game)
    engine.warm_up()
    engine.new_game(1)
    state = GameState.new_game(game)
    assert engine.select_move(state).move in state.legal_moves()


@pytest.mark.parametrize(
    ("spec", "limit"), [("mcts:cpu=0.2", 0.2), ("mcts:wall=0.2", 0.2), ("alphabeta:cpu=0.2", 0.2)]
)
def test_time_budgets_are_used_and_obeyed(spec: str, limit: float) -> None:
    game = get_game("go:size=9")
    engine = build_engine(spec, game, seed=1)
    engine.warm_up()
    cost = engine.select_move(GameState.new_game(game)).cost
    spent = cost.wall_seconds if "wall" in spec else cost.cpu_seconds
    # CPU seconds do not grow because others are at work.
    assert 0.5 * limit < spent and cost.cpu_seconds < 3 * limit


@pytest.mark.parametrize(
    ("spec", "count"),
    [("mcts:sims=321", ("simulations", 321)), ("alphabeta:nodes=5000", ("nodes", 5000)),
     ("mcts:sims=1001,threads=2,reuse=no", ("simulations", 1001))],
)
def test_counted_budgets_are_exact(spec: str, count: tuple[str, int]) -> None:
    game = get_game("connect4")
    decision = build_engine(spec, game, seed=1).select_move(GameState.new_game(game))
    assert getattr(decision.cost, count[0]) == count[1]


def test_random_does_not_fill_its_eyes() -> None:
    """So its games on 9x9 end; about 115 moves long on average (measured by rollouts)."""
    game = get_game("go:size=9")
    engine = build_engine("random", game, seed=1)
    for seed in range(5):
        engine.new_game(seed)
        state = GameState.new_game(game)
        while not state.is_over():
            state = state.apply_move(engine.select_move(state).move)
        assert 60 < len(state.moves()) < 300


@pytest.mark.parametrize("spec", [
    "alphabeta:depth=2", "mcts:sims=50", *([
        "random", "textbook-alphabeta:depth=2", "textbook-mcts:sims=50", "textbook-puct:sims=50",
    ] if RUN_ALL else []),
])
def test_nothing_is_compiled_after_warming_up(spec: str) -> None:
    """Or the first moves of a rated game would pay for it."""
    code = f"""
from dlgo import GameState, get_game
from dlgo.jit import watch_clocks
from engines.registry import build_engine

for name in ("tictactoe", "go:size=5"):  # they share nothing that is compiled for a game
    game = get_game(name)
    engine = build_engine({spec!r}, game, seed=1)
    engine.warm_up()
    # Play once so that what only GameState needs is there, too.
    state = GameState.new_game(game)
    state.apply_move(state.legal_moves()[0]).is_over()
    late = []
    with watch_clocks(late.append):
        for seed in range(3):
            engine.new_game(seed)
            state = GameState.new_game(game)
            while not state.is_over() and len(state.moves()) < 30:
                state = state.apply_move(engine.select_move(state).move)
    print(name, late)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tictactoe []\ngo:size=5 []\n"
