"""The agent for Kaggle's ConnectX: network, search, and how it behaves where it plays."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.jobs import Inline, Task
from engines.learning.networks.runtimes import load_runtime
from engines.solver.outcomes import is_mistake
from experiments.connectx.export import TEMPLATE, export_agent
from experiments.measures.connect4 import draw
from tests.command import assert_one_line, dlgo_here
from tests.conftest import RUN_ALL, random_game
from tests.learning.networks.models import write_model

# Of these endings one in twenty may be played wrongly.
ENDINGS = 40 if RUN_ALL else 20
MODEL = "connect4-supervised"
BOARDS = (
    "connect4", "connectn:cols=4,rows=3,n=3", "connectn:cols=9,rows=7,n=5",
    "connectn:cols=3,rows=8,n=4", "connectn:cols=5,rows=2,n=2",
)


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("connectx") / "submission.py"
    export_agent(MODEL, path)
    return path


@pytest.fixture(scope="module", params=["with a network", "without"])
def file(request: pytest.FixtureRequest, submission: Path) -> Path:
    return submission if request.param == "with a network" else TEMPLATE


def executed(file: Path) -> dict[str, Any]:
    """The names that an agent's file defines. Its clock counts CPU seconds, so that it thinks as
    long beside others."""
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    names["time"] = SimpleNamespace(perf_counter=time.thread_time)
    return names


def unfinished(game_name: str, seeds: range) -> list[GameState]:
    """Positions of random games, both players to move, some columns full."""
    games = [random_game(get_game(game_name), seed)[:-1] for seed in seeds]
    return [state for states in games for state in states]


class Machine:
    """A bare machine with an agent's file."""

    def __init__(self, file: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).with_name("bare_machine.py")), str(file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"OPENBLAS_NUM_THREADS": "1"}, cwd="/",
        )

    def ask(self, state: GameState, act_timeout: float, overage: float = 60.0) -> tuple[Any, float]:
        """Its answer, and the CPU seconds it took."""
        game = state.game
        players = [
            game.cell(state, row, column)
            for row in range(game.board_rows, 0, -1) for column in range(1, game.board_cols + 1)
        ]
        observation = {
            "board": [0 if player is None else player.value for player in players],
            "mark": state.next_player.value, "remainingOverageTime": overage,
        }
        configuration = {
            "rows": game.board_rows, "columns": game.board_cols, "inarow": getattr(game, "n", 4),
            "actTimeout": act_timeout,
        }
        self.process.stdin.write(json.dumps([observation, configuration]) + "\n")
        self.process.stdin.flush()
        column, seconds = json.loads(self.process.stdout.readline())
        return column, seconds


@pytest.fixture(scope="module")
def machine(file: Path) -> Iterator[Machine]:
    machine = Machine(file)
    yield machine
    machine.process.stdin.close()
    assert machine.process.wait(120) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_on_a_bare_machine_every_answer_is_a_column_with_room(machine: Machine, name: str) -> None:
    states = unfinished(name, range(12))
    late = sorted(states, key=lambda state: -len(state.moves()))[:8]
    for state in [*late, *states[:2], states[-1]]:
        column, _ = machine.ask(state, 0.05)
        assert type(column) is int
        assert column in state.legal_actions(), f"{state}"


def test_it_answers_in_time(machine: Machine) -> None:
    states = unfinished("connect4", range(2))
    for state in (states[0], states[9]):
        assert machine.ask(state, 0.6, 60.0)[1] < 0.6
    # With nothing in reserve it leaves room for twice as much delay.
    assert 0.3 < machine.ask(states[0], 1.0, 0.0)[1] < 0.65


def wins_at_once(state: GameState) -> set[int]:
    """Columns that win the game, by the project's rules."""
    mover = state.next_player
    after = {c: state.apply_move(state.game.move_of(c)) for c in state.legal_actions().tolist()}
    return {column for column, next_state in after.items() if next_state.winner() is mover}


def test_it_wins_at_once_and_never_lets_the_opponent_do_so(file: Path) -> None:
    bot = executed(file)["Bot"](act_timeout=0.03)
    wins = blocks = 0
    for name in BOARDS:
        for state in unfinished(name, range(6)):
            game = state.game
            right, fault = wins_at_once(state), "misses a win"
            if not right:
                legal, fault = set(state.legal_actions().tolist()), "lets the opponent win"
                right = {c for c in legal if not wins_at_once(state.apply_move(game.move_of(c)))}
                if right in (set(), legal):
                    continue  # nothing to be seen, or nothing to be done
                blocks += 1
            else:
                wins += 1
            assert game.action_of(bot.select_move(state)) in right, f"{fault}:\n{state}"
    assert wins >= 20
    assert blocks >= 20


def test_it_plays_endings_as_if_they_were_solved(submission: Path) -> None:
    bot = executed(submission)["Bot"](act_timeout=0.15)
    work = [Task(str(seed), draw, ("L3", seed)) for seed in range(ENDINGS // 2)]
    draws = [outcome.value for outcome in Inline().run(work)]
    solved = [ending for drawn in draws for endings in drawn.values() for ending in endings]
    endings = [ending for ending in solved if ending.asks][:ENDINGS]
    game = get_game("connect4")
    wrong = sum(
        bool(is_mistake(ending.outcomes, game.action_of(bot.select_move(ending.state))))
        for ending in endings
    )
    assert len(endings) == ENDINGS
    assert wrong <= 0.05 * ENDINGS


@pytest.mark.filterwarnings("ignore:__array__ implementation")  # Keras and NumPy among themselves
@pytest.mark.parametrize(("name", "network"), [
    ("connect4", "resnet:blocks=1,filters=4"), ("connect4", "mlp:hidden=8"),
    ("connectn:cols=5,rows=4,n=3",
     "resnet:blocks=2,filters=6,policy_filters=5,value_filters=3,value_hidden=9"),
])
def test_its_network_is_the_models(tmp_path: Path, name: str, network: str) -> None:
    from engines.learning.networks.architectures import build_network
    from engines.learning.networks.backend import keras
    from engines.learning.networks.card import Card
    from engines.learning.networks.saving import save_model

    keras.utils.set_random_seed(3)
    game = get_game(name)
    encoder = get_encoder("planes", game)
    model = build_network(network, encoder, ("policy", "value"))
    rng = np.random.default_rng(3)
    for weight in model.weights:
        if len(weight.shape) == 1:  # biases and normalisations, so that they do something
            positive = "variance" in weight.path or "gamma" in weight.path
            weight.assign(rng.uniform(-0.1, 0.1, weight.shape) + positive)
    card = Card("small", str(game), "planes", network, encoder.shape, encoder.num_actions)
    # As a run of AlphaZero keeps its networks: the last one is exported.
    write_model(tmp_path / "run/nets/0001", "connect4")
    save_model(tmp_path / "run/nets/0002", model, card)
    export_agent(str(tmp_path / "run"), tmp_path / "agent.py")
    names = executed(tmp_path / "agent.py")
    agents, board = names["Network"](names["WEIGHTS"], names["STEPS"]), names["Board"](
        *names["TRAINED_ON"])
    states = unfinished(name, range(5))
    planes = np.stack([encoder.encode(state) for state in states])
    answers = load_runtime(str(tmp_path / "run/nets/0002")).evaluate(planes)
    logits, values = agents.evaluate(planes)
    np.testing.assert_allclose(logits, answers["policy"], rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(values, answers["value"][:, 0], atol=1e-2)
    for state, encoded in zip(states, planes, strict=True):
        stones = [0, 0]
        for column in range(board.columns):
            for row in range(board.rows):
                if player := game.cell(state, row + 1, column + 1):
                    stones[player is not state.next_player] |= board.bottom[column] << row
        np.testing.assert_array_equal(board.planes(*stones)[0], encoded)


def test_models_that_are_none_for_connectx_are_refused(tmp_path: Path) -> None:
    for model, word in (
        (str(write_model(tmp_path / "go9", "go:size=9")), "go:size=9"),
        (str(write_model(tmp_path / "free", "connectn:gravity=no")), "gravity=no"),
        ("connect4-alphazero-wide", "it reads attacks, not planes"),
    ):
        with pytest.raises(ModelError, match=word):
            export_agent(model, tmp_path / "out.py")
    assert not (tmp_path / "out.py").exists()


@pytest.mark.slow
def test_the_command_line_exports_and_plays(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "agent.py"
    done = dlgo_here(capfd, "connectx", "export", "--model", MODEL, "--out", file)
    assert done.returncode == 0, done.stderr
    assert "resnet:blocks=3,filters=32" in done.stdout
    done = dlgo_here(capfd, "play", "connect4", "--first", f"{file}:Bot:act_timeout=0.05",
                     "--second", "random", "--delay", "0", "--seed", "1")
    assert done.stdout.endswith("red wins with 4 in a row.\n"), done.stderr
    assert_one_line(
        dlgo_here(capfd, "connectx", "export", "--model", "conect4"), "unknown model 'conect4'")


def test_kaggles_own_environment_plays_it(submission: Path) -> None:
    kaggle = pytest.importorskip("kaggle_environments", reason="needs kaggle_environments")
    match = kaggle.make("connectx", configuration={"actTimeout": 0.2})
    match.run([str(submission), "random"])
    assert [seat.status for seat in match.state] == ["DONE", "DONE"]
    assert match.state[0].reward == 1
