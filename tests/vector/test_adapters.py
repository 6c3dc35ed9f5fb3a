"""The games for agents of other libraries: those libraries' own checks, and who gets what."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from dlgo import IllegalMoveError, SpecError, game_names
from tests.command import ROOT
from tests.conftest import RUN_ALL, one_line_error
from tests.vector.test_vector import ROWS

GAMES = ["connect4", "draughts", ROWS]
if RUN_ALL:
    GAMES += [*game_names(), "go:size=5", "connectn:gravity=no,cols=4,rows=3,n=3,pie=yes"]


@pytest.fixture
def pettingzoo_env():
    pytest.importorskip("pettingzoo")
    from dlgo.adapters import pettingzoo_env

    return pettingzoo_env


@pytest.fixture
def gymnasium_env():
    pytest.importorskip("gymnasium")
    from engines.adapters import gymnasium_env

    return gymnasium_env


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize("game", GAMES, ids=lambda spec: spec[-10:])
def test_pettingzoo_accepts_every_game(game: str, pettingzoo_env, capsys) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(pettingzoo_env.env(game, random_plies=3, max_plies=40), num_cycles=60)
    seed_test(lambda: pettingzoo_env.env(game, random_plies=3, max_plies=40), num_cycles=30)
    assert "Passed" in capsys.readouterr().out


def test_agents_of_pettingzoo_may_move_twice(pettingzoo_env) -> None:
    """The first line that is filled scores a point, and its owner goes on."""
    env = pettingzoo_env.GameEnv(ROWS, render_mode="ansi")
    env.reset(seed=1)
    turns = []
    for cell in (0, 1, 2, 3, 4, 5, 6, 7, 8):
        turns.append(env.agent_selection)
        other = "player_1" if turns[-1] == "player_0" else "player_0"
        assert env.observe(turns[-1])["action_mask"][cell]
        assert not env.observe(other)["action_mask"].any()
        env.step(cell)
    # Cells 2 and 5 fill rows, 6 and 7 columns: each player who does so goes on.
    assert turns == [f"player_{i}" for i in (0, 1, 0, 0, 1, 0, 0, 0, 0)]
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values()) and "x" in env.render()


def test_an_illegal_action_in_pettingzoo(pettingzoo_env) -> None:
    raw = pettingzoo_env.GameEnv("tictactoe")
    raw.reset()
    raw.step(4)
    with one_line_error(IllegalMoveError, "action 4 is illegal (B2: the cell is taken); legal"):
        raw.step(4)
    strict = pettingzoo_env.env("tictactoe")
    strict.reset()
    strict.step(4)
    with one_line_error(IllegalMoveError, "allows, or set illegal='loss'"):
        strict.step(4)
    wrapped = pettingzoo_env.env("tictactoe", illegal="loss")
    wrapped.reset()
    wrapped.step(4)
    wrapped.step(4)
    assert wrapped.rewards["player_1"] == -1 and all(wrapped.terminations.values())
    wrapped.reset()
    for action in (9, -1, None):  # as the environments of PettingZoo do
        with one_line_error(AssertionError, "action is not in action space"):
            wrapped.step(action)
    with one_line_error(SpecError, "render_mode='human'"):
        pettingzoo_env.GameEnv("tictactoe", render_mode="human")
    with one_line_error(SpecError, "illegal='no' is not one of error, loss"):
        pettingzoo_env.env("tictactoe", illegal="no")


@pytest.mark.filterwarnings("ignore:.*A Box observation space:UserWarning")
@pytest.mark.filterwarnings("ignore:.*No render fps:UserWarning")
@pytest.mark.parametrize(("game", "opponent"), [
    ("connect4", "mcts:sims=5"), ("draughts", "random"), (ROWS, "random"),
], ids=lambda value: value[-10:])
def test_gymnasium_accepts_every_game(game: str, opponent: str, gymnasium_env) -> None:
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("dlgo/Opponent-v0", game=game, opponent=opponent, random_plies=2,
                         illegal="loss")  # the check takes random actions
    check_env(env.unwrapped)
    env.close()


def play(env, seed: int | None = None) -> tuple[list[bytes], float]:
    """A game of an agent that always takes the first legal action."""
    seen, info = env.reset(seed=seed)
    shown, ended = [seen.tobytes()], False
    while not ended:
        assert (info["action_mask"] == env.action_masks()).all()
        seen, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        ended = terminated or truncated
        shown.append(seen.tobytes())
        assert ended or reward == 0
    assert not info["action_mask"].any()
    return shown, reward


def test_the_agent_is_rewarded_as_its_own_side_sees_it(gymnasium_env) -> None:
    """A perfect opponent wins against the first legal column, whichever side the agent takes."""
    for side in ("first", "second"):
        env = gymnasium_env.OpponentEnv("connect4", "mcts:sims=200", side)
        _, reward = play(env, seed=1)
        assert reward == -1
    games = [play(gymnasium_env.OpponentEnv("tictactoe", "random"), seed) for seed in range(30)]
    assert {reward for _, reward in games} == {-1, 0, 1}
    assert games[7] == play(gymnasium_env.OpponentEnv("tictactoe", "random"), 7)
    env = gymnasium_env.OpponentEnv("tictactoe", "random", "second")
    assert np.frombuffer(play(env)[0][0], np.float32).reshape(3, 3, 3)[..., 1].sum() == 1
    with one_line_error(IllegalMoveError, "call reset()"):
        env.step(0)


def test_an_illegal_action_in_gymnasium(gymnasium_env) -> None:
    env = gymnasium_env.OpponentEnv("tictactoe", "random", "first", illegal="loss")
    env.reset(seed=1)
    env.step(4)
    assert env.step(4)[1:4] == (-1.0, True, False)
    strict = gymnasium_env.OpponentEnv("tictactoe", "random", "first")
    strict.reset(seed=1)
    with one_line_error(IllegalMoveError, "action 12 is illegal"):
        strict.step(12)
    strict.step(4)
    for options, message in (
        ({"side": "third"}, "side='third' is not one of first, second, random"),
        ({"illegal": "no"}, "illegal='no' is not one of error, loss"),
        ({"opponent": "mtcs"}, "did you mean mcts"), ({"game": "gp"}, "unknown game"),
        ({"opponent": None}, "None is not an engine"),
    ):
        with one_line_error(SpecError, message):
            gymnasium_env.OpponentEnv(**options)


def test_without_the_libraries_the_remedy_is_named() -> None:
    script = """
import sys, importlib
from dlgo import DlgoError
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
import importlib.util
found = importlib.util.find_spec
import dlgo.extras
dlgo.extras.find_spec = lambda name: None if name in ("gymnasium", "pettingzoo") else found(name)
for name in ("dlgo.adapters.pettingzoo_env", "engines.adapters.gymnasium_env"):
    try:
        importlib.import_module(name)
    except DlgoError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all('pip install "dlgo-suite[rl]"' in line for line in lines)
