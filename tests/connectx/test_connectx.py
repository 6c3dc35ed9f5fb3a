"""The agent for Kaggle's ConnectX: rules, network, search, and how it behaves where it plays.

`DLGO_FULL=1` plays more games and more endings.
"""

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

from dlgo import DlgoError, GameState, Player, get_game
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.jobs import Inline, Task
from engines.learning.networks.runtimes import load_runtime
from engines.solver.outcomes import is_mistake
from experiments.connectx import agent_template as template
from experiments.connectx import environment, export
from experiments.connectx.environment import configuration, load_agent_file, observation, play
from experiments.connectx.export import TEMPLATE, export_agent
from experiments.measures.connect4 import draw
from experiments.play.game_file import read_game_file
from tests.command import assert_one_line, dlgo_here
from tests.conftest import FULL, random_game
from tests.learning.networks.models import write_model

# Games against a random player, and endings, of which one in twenty may be played wrongly.
GAMES, ENDINGS = (10, 40) if FULL else (4, 20)
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


class Machine:
    """A bare machine with an agent's file."""

    def __init__(self, file: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).with_name("bare_machine.py")), str(file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"OPENBLAS_NUM_THREADS": "1"}, cwd="/",
        )

    def ask(self, state: GameState, act_timeout: float, overage: float = 60.0) -> tuple[Any, float]:
        """Its answer, and the CPU seconds it took; its own clock counts CPU seconds, too."""
        asked = [observation(state, overage), configuration(state.game, act_timeout)]
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        column, seconds = json.loads(self.process.stdout.readline())
        return column, seconds


@pytest.fixture(scope="module")
def machine(file: Path) -> Iterator[Machine]:
    machine = Machine(file)
    yield machine
    machine.process.stdin.close()
    assert machine.process.wait(120) == 0


def unfinished(game_name: str, seeds: range) -> list[GameState]:
    """Positions of random games, both players to move, some columns full."""
    games = [random_game(get_game(game_name), seed)[:-1] for seed in seeds]
    return [state for states in games for state in states]


def test_on_a_bare_machine_every_answer_is_a_column_with_room(machine: Machine) -> None:
    marks, full = set(), 0
    for name in BOARDS:
        states = unfinished(name, range(12))
        late = sorted(states, key=lambda state: -len(state.moves()))[:8]
        for state in [*late, *states[:2], states[-1]]:
            column, _ = machine.ask(state, 0.05)
            assert type(column) is int
            assert column in state.legal_actions(), f"{state}"
            marks.add(observation(state).mark)
            full += len(state.legal_actions()) < state.game.board_cols
    assert marks == {1, 2}
    assert full >= 10  # columns that could have been chosen wrongly


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


def test_it_wins_at_once_and_never_lets_the_other_do_so(file: Path) -> None:
    agent = load_agent_file(file)
    assert agent.__name__ == "agent"
    wins = blocks = 0
    for name in BOARDS:
        for state in unfinished(name, range(6)):
            right, fault = wins_at_once(state), "misses a win"
            if not right:
                legal, fault = set(state.legal_actions().tolist()), "lets the other win"
                right = {
                    c for c in legal if not wins_at_once(state.apply_move(state.game.move_of(c)))
                }
                if right in (set(), legal):
                    continue  # nothing to be seen, or nothing to be done
                blocks += 1
            else:
                wins += 1
            column = agent(observation(state), configuration(state.game, 0.03))
            assert column in right, f"{fault}:\n{state}"
    assert wins >= 20
    assert blocks >= 20


def test_it_plays_endings_as_if_they_were_solved(submission: Path) -> None:
    names = environment.run_agent_file(submission.read_text(), str(submission))
    agent = names["agent"]
    # Its clock counts CPU seconds, so that it thinks as long beside others.
    names["time"] = SimpleNamespace(perf_counter=time.thread_time)
    work = [Task(str(seed), draw, ("L3", seed)) for seed in range(ENDINGS // 2)]
    draws = [outcome.value for outcome in Inline().run(work)]
    solved = [one for drawn in draws for found in drawn.values() for one in found]
    positions = [one for one in solved if one.asks][:ENDINGS]
    game, wrong = get_game("connect4"), 0
    for position in positions:
        column = agent(observation(position.state), configuration(game, 0.15))
        wrong += bool(is_mistake(position.outcomes, column))
    assert len(positions) == ENDINGS
    assert wrong <= 0.05 * ENDINGS


@pytest.mark.parametrize("name", BOARDS)
def test_its_rules_are_those_of_the_game(name: str) -> None:
    game = get_game(name)
    rows, columns, inarow = (configuration(game)[key] for key in ("rows", "columns", "inarow"))
    board, ended = template.Board(rows, columns, inarow), 0
    for seed in range(20):
        for state in random_game(game, seed):
            seen = observation(state)
            own, other = board.read(seen.board, seen.mark)
            assert not board.has_row(own)
            assert board.has_row(other) == (state.winner() is state.next_player.other)
            if state.is_over():
                ended += 1
                continue
            moves = board.moves(own | other)
            assert sorted(column for column, _ in moves) == state.legal_actions().tolist()
            sensible, result = board.sensible_moves(own, other)
            wins = wins_at_once(state)
            assert (result == 1) == bool(wins)
            assert not wins or {column for column, _ in sensible} == wins
    assert ended == 20


def test_its_network_is_the_models(submission: Path) -> None:
    names = environment.run_agent_file(submission.read_text(), str(submission))
    network, board = names["network_for"](6, 7, 4), names["Board"](6, 7, 4)
    runtime, encoder = load_runtime(MODEL), get_encoder("planes", get_game("connect4"))
    states = unfinished("connect4", range(8))
    planes = np.stack([encoder.encode(state) for state in states])
    seen = [observation(state) for state in states]
    mine = np.stack([names["encode"](board, *board.read(one.board, one.mark)) for one in seen])
    np.testing.assert_array_equal(mine, planes)
    answers = runtime.evaluate(planes)
    found_logits, found_values = network.evaluate(mine)
    assert len(states) > 100
    np.testing.assert_allclose(found_logits, answers["policy"], atol=1e-2)
    np.testing.assert_allclose(found_values, answers["value"][:, 0], atol=1e-2)


@pytest.mark.filterwarnings("ignore:__array__ implementation")  # Keras and NumPy among themselves
def test_a_network_of_another_size_on_another_board(tmp_path: Path) -> None:
    from engines.learning.networks.architectures import build_network
    from engines.learning.networks.backend import keras
    from engines.learning.networks.card import Card
    from engines.learning.networks.saving import save_model

    keras.utils.set_random_seed(3)
    game = get_game("connectn:cols=5,rows=4,n=3")
    encoder = get_encoder("planes", game)
    spec = "resnet:blocks=2,filters=6,policy_filters=5,value_filters=3,value_hidden=9"
    model = build_network(spec, encoder)
    rng = np.random.default_rng(3)
    for weight in model.weights:
        if len(weight.shape) == 1:  # biases and normalisations, so that they do something
            positive = "variance" in weight.path or "gamma" in weight.path
            weight.assign(rng.uniform(-0.1, 0.1, weight.shape) + positive)
    card = Card("small", str(game), "planes", spec, encoder.shape, encoder.num_actions)
    # As a run of AlphaZero keeps its networks: the last one counts.
    write_model(tmp_path / "run/nets/0001", "connect4")
    save_model(tmp_path / "run/nets/0002", model, card)
    export_agent(str(tmp_path / "run"), tmp_path / "small.py")
    names = environment.run_agent_file((tmp_path / "small.py").read_text(), "small.py")
    assert names["network_for"](6, 7, 4) is None
    planes = np.stack([encoder.encode(state) for state in unfinished(str(game), range(5))])
    answers = load_runtime(str(tmp_path / "run/nets/0002")).evaluate(planes)
    logits, values = answers["policy"], answers["value"][:, 0]
    found_logits, found_values = names["network_for"](4, 5, 3).evaluate(planes)
    assert min(np.ptp(logits), 10 * np.ptp(values)) > 1
    np.testing.assert_allclose(found_logits, logits, rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(found_values, values, atol=1e-2)


class LikesTheEdge:
    """A network to which a position is worth the more, the more stones one has in column 6."""

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        there = planes[:, :, 6].sum(axis=1)
        return np.zeros((len(planes), 7)), (there[:, 0] - there[:, 1]) / 6


@pytest.mark.parametrize("line", ["", "4", "77", "147"])
def test_a_value_is_that_of_the_player_to_move(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its clock counts CPU seconds, so that it thinks as long beside others.
    monkeypatch.setattr(template, "time", SimpleNamespace(perf_counter=time.thread_time))
    game, board = get_game("connect4"), template.Board(6, 7, 4)
    state = GameState.new_game(game)
    for column in line:
        state = state.apply_move(game.parse_move(state, column))
    seen = observation(state)
    search = template.Search(board, LikesTheEdge())
    deadline = time.thread_time() + 0.5
    assert search.choose(*board.read(seen.board, seen.mark), deadline) == 6


def test_weights_take_no_more_room_than_they_must(
    submission: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "TOLERANCE", 1e-4)
    exact = tmp_path / "exact.py"
    export.export_agent(MODEL, exact)
    assert exact.stat().st_size > 1.5 * submission.stat().st_size
    monkeypatch.setattr(export, "TOLERANCE", 1e-12)
    with pytest.raises(ModelError, match="outputs would differ by"):
        export.export_agent(MODEL, tmp_path / "none.py")
    assert not (tmp_path / "none.py").exists()


def test_models_that_are_none_for_connectx_are_refused(tmp_path: Path) -> None:
    for name, game, word in (
        ("go9", "go:size=9", "go:size=9"), ("free", "connectn:gravity=no", "gravity=no"),
        ("linear", "connect4", "not a resnet"),
    ):
        with pytest.raises(ModelError, match=word):
            export_agent(str(write_model(tmp_path / name, game)), tmp_path / "out.py")
    assert not (tmp_path / "out.py").exists()


def test_the_command_line_exports_plays_and_draws(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from PIL import Image

    file, moves, film = (str(tmp_path / name) for name in ("agent.py", "game.txt", "game.gif"))
    done = dlgo_here(capfd, "connectx", "export", "--model", MODEL, "--out", file)
    assert done.returncode == 0, done.stderr
    assert "resnet:blocks=3,filters=32" in done.stdout
    done = dlgo_here(capfd, "connectx", "play", file, "random", "--act-timeout", "0.05", "--save",
                     moves, "--out", film)
    assert done.returncode == 0, done.stderr
    state = read_game_file(Path(moves)).state
    assert state.winner() is Player.black
    with Image.open(film) as picture:
        assert picture.n_frames == len(state.moves()) + 1


def test_mistakes_are_told_in_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.py").write_text("def agent(o, c): return 3")
    for arguments, word in (
        (("export", "--model", "conect4"), "unknown model 'conect4'"),
        (("play", "random", "random", "--out", "x.bmp"), "must end in"),
        (("play", "random", "random", "--save", "none/g.txt"), "its folder does not exist"),
        (("play", "random", "random", "--out", "none/g.png"), "its folder does not exist"),
        (("play", "agent.py", "random", "--save", "agent.py"), "is the file that is read"),
    ):
        assert_one_line(dlgo_here(capfd, "connectx", *arguments), word)
    assert "return 3" in Path("agent.py").read_text()


@pytest.mark.parametrize(("text", "word"), [
    ("x = 1", "defines no function"), ("def agent(:", "SyntaxError"), (None, "cannot be read"),
    ("raise SystemExit(0)", "is not an agent: SystemExit: 0"),
])
def test_what_is_no_agent_is_refused(tmp_path: Path, text: str | None, word: str) -> None:
    file = tmp_path / "agent.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(DlgoError, match=word):
        play(get_game("connect4"), [str(file), "random"])


@pytest.mark.parametrize("name", ["go", "tictactoe", "connectn:pie=yes", "connectn:gravity=no"])
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(DlgoError, match="is not ConnectX"):
        play(get_game(name), ["random", "random"])


def test_kaggles_own_environment_plays_it(submission: Path) -> None:
    kaggle = pytest.importorskip("kaggle_environments", reason="needs kaggle_environments")
    theirs = kaggle.make("connectx", configuration={"actTimeout": 0.2})
    theirs.run([str(submission), "random"])
    assert [seat.status for seat in theirs.state] == ["DONE", "DONE"]
    assert theirs.state[0].reward == 1
