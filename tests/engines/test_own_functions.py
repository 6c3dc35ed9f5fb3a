"""Own evaluations for alpha-beta, own priors and values for PUCT: `alphabeta:evaluation=FILE.py:F`.

A function that repeats what the engine does without one must give the same search.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import DlgoError, GameState, get_game
from engines.isolation.describe import OutsideSpec, read_spec
from engines.registry import EngineSpec, build_engine, is_outside
from experiments.studio.replies import StudioError
from experiments.studio.specs import Allowed
from tests.command import assert_one_line, dlgo_here
from tests.conftest import RUN_ALL, random_game

MINE = '''
import math
from dlgo import kernels
from dlgo.jit import kernel

def as_the_game(state):
    return state.estimate()

@kernel
def as_the_game_compiled(state):
    return math.tanh(kernels.evaluate(state) / 500)

def alike(state):
    return [1] * len(state.legal_moves())

def only_first(state):
    return {state.legal_moves()[0]: 2.5}

def only_first_by_text(state):
    return {state.game.move_text(state.legal_moves()[0]): 1}

@kernel
def only_first_compiled(state, weights):
    for action in range(len(weights)):
        if kernels.is_legal(state, action):
            weights[action] = 1
            break

def none(state): return None
def large(state): return 1.5
def not_a_number(state): return float("nan")
def too_few(state): return [1]
def negative(state): return [-1] * len(state.legal_moves())
def elsewhere(state): return {"Z9": 1}
class Number: pass
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def positions(name: str, count: int = 3) -> list[GameState]:
    states = random_game(get_game(name), seed=5)[:-1]
    return states[:: max(1, len(states) // count)][:count]


GAMES = ("connect4", "draughts", "go:size=5")
SAME = [
    ("alphabeta:depth=4", "evaluation=mine.py:as_the_game"),
    ("alphabeta:depth=4", "evaluation=mine.py:as_the_game_compiled"),
    ("alphabeta:nodes=500", "evaluation=mine.py:as_the_game"),
    ("alphabeta:depth=3,aspiration=no,quiescence=no", "evaluation=mine.py:as_the_game"),
    ("textbook-alphabeta:depth=2", "evaluation=mine.py:as_the_game"),
    ("textbook-alphabeta:depth=2", "evaluation=mine.py:as_the_game_compiled"),
    ("puct:sims=60,evaluator=static", "evaluator=mine.py:as_the_game_compiled"),
    ("puct:sims=60,evaluator=static,prior=mine.py:alike", "evaluator=mine.py:as_the_game"),
    ("puct:sims=60,evaluator=static,prior=mine.py:alike", "evaluator=mine.py:as_the_game_compiled"),
    ("puct:sims=60,evaluator=mine.py:as_the_game", "prior=mine.py:alike"),
    ("puct:sims=60,evaluator=rollout,prior=mine.py:alike,c_puct=1", "c_puct=1"),
]


@pytest.mark.parametrize(("plain", "own", "game"), [
    (*pair, game) for number, pair in enumerate(SAME)
    for game in (GAMES if RUN_ALL else [GAMES[number % 3]])
])
def test_what_repeats_the_engine_searches_as_the_engine(plain: str, own: str, game: str) -> None:
    settings = {part.partition("=")[0] for part in own.split(",")}
    kept = [part for part in plain.partition(":")[2].split(",")
            if part.partition("=")[0] not in settings]
    engines = [build_engine(spec, game, seed=3) for spec in
               (plain, f"{plain.partition(':')[0]}:{','.join([*kept, own])}")]
    for state in positions(game):
        one, other = (engine.analyse(state) for engine in engines)
        assert (other.move, other.visits) == (one.move, one.visits)
        assert other.cost.nodes == one.cost.nodes
        assert other.value == pytest.approx(one.value, abs=1e-6)


@pytest.mark.parametrize("prior", ["only_first", "only_first_by_text", "only_first_compiled"])
def test_a_prior_leads_the_search(prior: str) -> None:
    for state in random_game(get_game("connect4"), seed=5)[:3]:
        engine = build_engine(f"puct:sims=50,fpu_reduction=1,prior=mine.py:{prior}", "connect4")
        visits = engine.analyse(state).visits
        assert visits[state.legal_moves()[0]] >= 0.9 * sum(visits.values())


@pytest.mark.slow
def test_it_is_an_engine_from_outside_whose_version_is_the_files(folder: Path) -> None:
    text = "alphabeta:depth=2,evaluation=mine.py:as_the_game"
    assert is_outside(text) and is_outside("puct:evaluator=mine.py:as_the_game")
    assert not is_outside("alphabeta:evaluation=game") and not is_outside("puct:evaluator=static")
    spec = read_spec(text)
    assert isinstance(spec, OutsideSpec)
    assert spec.text == text and spec.free_text
    engine = spec.build(get_game("tictactoe"))
    state = GameState.new_game(engine.game)
    before = engine.select_move(state).value
    engine.close()
    (folder / "mine.py").write_text(MINE.replace("return state.estimate()", "return 0.5"))
    edited = read_spec(text)
    assert edited.digest != spec.digest and edited.label != spec.label
    engine = edited.build(get_game("tictactoe"))
    assert engine.select_move(state).value == pytest.approx(0.5, abs=0.002) != before
    engine.close()


@pytest.mark.parametrize(("engine", "part"), [
    ("alphabeta:evaluation=mine", "evaluation='mine' is not one of game, FILE.py:NAME"),
    ("puct:evaluator=mine", "is not one of rollout"),
    ("alphabeta:evaluation=absent.py:f", "cannot load absent.py: there is no such file"),
    ("alphabeta:evaluation=mine.py:count", "mine.py has no count"),
    ("alphabeta:evaluation=mine.py:Number", "Number is not a function"),
    ("alphabeta:evaluation=mine.py", "name one, as in mine.py:"),
    ("alphabeta:evaluation=mine.py:none:x=1", "a function has no options"),
])
def test_what_names_no_function_is_refused_in_one_line(engine: str, part: str, capfd) -> None:
    assert_one_line(dlgo_here(capfd, "play", "tictactoe", "--first", engine), part)


@pytest.mark.parametrize(("engine", "part"), [
    ("alphabeta:evaluation=mine.py:none", "mine.py:none returned None, not a number"),
    ("alphabeta:evaluation=mine.py:large", "returned 1.5, not a number from -1 to 1"),
    ("textbook-alphabeta:evaluation=mine.py:not_a_number", "returned nan"),
    ("puct:evaluator=mine.py:large", "returned 1.5"),
    ("puct:prior=mine.py:none", "mine.py:none returned None, not a dict of moves"),
    ("puct:prior=mine.py:too_few", "nor a weight for each of the 9 legal moves"),
    ("puct:prior=mine.py:negative", "A1 the weight -1"),
    ("puct:prior=mine.py:elsewhere", "mine.py:elsewhere weighs the move 'Z9'"),
])
def test_wrong_answers_name_the_function_and_the_answer(engine: str, part: str) -> None:
    built = build_engine(engine, "tictactoe")
    with pytest.raises(DlgoError) as error:
        built.select_move(GameState.new_game(built.game))
    assert part in str(error.value)


@pytest.mark.parametrize("text", [
    "puct:evaluator=mine.py:as_the_game", "puct:prior=mine.py:alike",
    "alphabeta:evaluation=mine.py:as_the_game",
])
def test_the_studio_runs_no_file_that_it_was_not_allowed(text: str) -> None:
    with pytest.raises(StudioError):
        Allowed().engine(text)
    static = EngineSpec.parse("puct:evaluator=static")
    assert Allowed().engine("puct:evaluator=static") == static.text
