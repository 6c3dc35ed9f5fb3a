"""N-tuple networks: values and TD(lambda) as slow code computes them; they learn, go on, refuse."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo import GameState, SpecError, get_game, kernels
from dlgo.errors import ModelError
from dlgo.rng import make_rng
from dlgo.symmetry import symmetries
from engines.learning.networks.card import read_card
from engines.learning.reinforcement.learner import train
from engines.learning.runs import Progress
from engines.ntuple import learning, trainer
from engines.ntuple.network import make_tuples, new_tuples, total
from engines.ntuple.trainer import NTupleConfig, NTupleLearner
from engines.registry import build_engine
from experiments.cli.main import cli
from tests.conftest import one_line_error, random_game
from tests.engines.test_search import minimax
from tests.learning.breaking import broken_off, measured

SHORT = "walks:count=7,length=4"


def run(folder: Path, progress: Progress | None = None, **settings: Any) -> Path:
    config = NTupleConfig.make("tictactoe", **{
        "test_every": 20, "save_every": 20, "curves": False, **settings})
    train(NTupleLearner, config, folder, progress)
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("ntuple") / "run")


@pytest.mark.parametrize("name", ["connect4", "othello:size=6", "draughts", "hex:size=4"])
def test_a_value_is_the_sum_of_what_each_tuple_reads_on_each_side_of_the_board(name: str) -> None:
    game = get_game(name)
    cells = make_tuples(game, SHORT)
    tuples = new_tuples(game, cells)
    tuples.weights[:] = np.random.default_rng(1).normal(size=len(tuples.weights))
    contents = 1 + 2 * len(game.piece_kinds)
    half = len(tuples.weights) // 2
    for state in random_game(game, 5)[2:20:3]:
        board = np.array([1 + kernels.piece(state.kernel_state, cell)
                          for cell in range(game.board_rows * game.board_cols)])
        seen = 0.0
        for k, walk in enumerate(cells):
            images = {tuple(board_map[walk]) for board_map in symmetries(game).cells}
            for image in images:
                number = int("".join(str(board[cell]) for cell in image), contents)
                seen += tuples.weights[
                    half * state.next_player.index + k * contents ** len(image) + number]
        assert total(tuples, state.kernel_state, tuples.used) == pytest.approx(seen, abs=1e-4)


def test_learning_is_td_lambda_with_eligibility_traces_and_coherent_rates() -> None:
    game = get_game("connect4")
    games = learning.new_games(game, new_tuples(game, make_tuples(game, SHORT)))
    rng, lambda_, rate, random_moves = make_rng(4), 0.7, 0.5, 0
    learning.play_games(games, 20, np.array([0.3, 0.3]), rate, lambda_, rng)
    for _ in range(10):
        games.counts[:] = 0
        weights, sums, sizes = (
            part.astype(float) for part in (games.tuples.weights, games.sums, games.sizes))
        learning.play_games(games, 1, np.array([0.3, 0.3]), rate, lambda_, rng)
        last = int(games.counts[learning.PLIES])
        values, used, random = games.values, games.used, games.random
        random_moves += random[:last].sum()
        assert values[last] in (-1, 0, 1) and not random[last - 1]
        # By traces, forwards.
        wanted, trace = sums.copy(), np.zeros(len(sums))
        for t in range(last):
            trace *= lambda_
            if random[t]:
                trace[:] = 0
                continue
            np.add.at(trace, used[t], 1 - values[t] ** 2)
            wanted += (values[t + 1] - values[t]) * trace
        np.testing.assert_allclose(games.sums, wanted, atol=1e-4)
        # By returns, backwards.
        back = values[last]
        for t in range(last - 1, -1, -1):
            back = (1 - lambda_) * values[t + 1] + lambda_ * back
            if random[t]:
                back = values[t]
                continue
            change = (back - values[t]) * (1 - values[t] ** 2)
            for weight in used[t]:
                share = abs(sums[weight]) / sizes[weight] if sizes[weight] else 1
                weights[weight] += rate / len(used[t]) * np.exp(2.7 * (share - 1)) * change
                sums[weight] += change
                sizes[weight] += abs(change)
        np.testing.assert_allclose(games.tuples.weights, weights, atol=1e-4)
    assert random_moves > 10


def test_it_learns_tic_tac_toe_well_enough_to_look_no_further(trained: Path) -> None:
    """Most of its moves are best, in all positions, though it looks one ply ahead."""
    card = read_card(trained / "nets/0020")
    assert card.accuracy["random"]["score"] > 0.93 and card.training["games"] == 10_000
    engine = build_engine(f"ntuple:model={trained},depth=1", "tictactoe")
    assert engine.network_id == card.network_id
    assert engine.training_cpu_seconds == card.training["cpu_seconds"] > 0
    right, lucky = [], []
    for seed in range(60):
        for state in random_game(get_game("tictactoe"), seed)[:-1]:
            best = {move for move in state.legal_moves()
                    if -minimax(state.apply_move(move)) == minimax(state)}
            right.append(engine.select_move(state).move in best)
            lucky.append(len(best) / len(state.legal_moves()))
    assert np.mean(right) > 0.88 and np.mean(lucky) < 0.7
    for text, best in (("A1 A2 B1 B2", "C1"), ("A1 A2 B1 B2 C3", "C2")):  # both colours win
        state = game_after(text)
        decision = build_engine(f"ntuple:model={trained}", "tictactoe").select_move(state)
        assert state.game.move_text(decision.move) == best and decision.value == 1


def game_after(text: str) -> GameState:
    return get_game("tictactoe").start().play(*text.split())


def test_the_doctor_notices_a_wrong_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(learning.__file__).read_text()
    right, wrong = "target - values[t]", "values[t] - target"
    assert source.count(right) == 1
    path = tmp_path / "wrong_sign.py"
    path.write_text(source.replace(right, wrong))
    spec = importlib.util.spec_from_file_location("wrong_sign", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "wrong_sign", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(trainer, "play_games", module.play_games)
    run(tmp_path / "run", test_every=5)
    done = CliRunner().invoke(cli, ["doctor", str(tmp_path / "run")])
    assert done.exit_code == 0 and "ill" in done.output.lower(), done.output
    assert "against random play" in done.output and "sign" in done.output


@pytest.mark.parametrize(("rate", "level"), [(2.0, "fine"), (100.0, "ill")])
def test_the_doctor_notices_a_rate_that_is_too_large(
    rate: float, level: str, tmp_path: Path
) -> None:
    run(tmp_path / "run", iterations=6, learning_rate=rate)
    done = CliRunner().invoke(cli, ["doctor", str(tmp_path / "run")])
    assert re.search(f"{level} +value error", done.output.lower()), done.output


def test_a_run_that_was_broken_off_ends_with_the_weights_of_an_unbroken_one(
    trained: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    broken_off(__name__, f"run(Path({str(folder)!r}), progress)", 5, "learning")
    assert len(measured(folder)) == 4
    run(folder)
    assert measured(folder) == measured(trained)
    assert read_card(folder / "nets/0020").network_id == read_card(
        trained / "nets/0020").network_id
    states = [np.load(place / "checkpoint.npz") for place in (folder, trained)]
    for part in ("state0", "state1", "state2"):
        np.testing.assert_array_equal(states[0][part], states[1][part])
    run(tmp_path / "other", seed=2, iterations=1)
    assert measured(tmp_path / "other")[0] != measured(trained)[0]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--game=tictactoe", "--net=walks:length=10"],
     "network walks:count=70,length=10 does not suit tictactoe: it has 8,266,860 weights (at most "
     "20,000,000) and walks of 10 cells on a board of 3x3; choose a smaller length"),
    (["--game=draughts"], "does not suit draughts: it has 54,687,500 weights"),
    (["--game=connect4", "--net=mlp"], "unknown network 'mlp'; networks are walks"),
    (["--game=connect4", "--set=td_lambda=2"], "td_lambda=2 is out of range"),
    (["--game=connect4", "--set=test_games=1e18"], "test_games=1e18 is out of range"),
    (["--game=connect4", "--set=iterations=1e30"], "(1 to 9.22e+18)"),
    (["--game=connect4", "--set=encoder=planes"], "encoder"),
])
def test_mistakes_are_refused_before_anything_is_written(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = CliRunner().invoke(cli, ["train", "ntuple", f"--out={tmp_path / 'run'}", *arguments])
    assert isinstance(done.exception, SpecError) and message in str(done.exception)
    assert "\n" not in str(done.exception) and not (tmp_path / "run").exists()


def test_models_of_another_kind_game_or_damaged_are_refused(
    trained: Path, tmp_path: Path
) -> None:
    shutil.copytree(trained / "nets/0020", tmp_path / "cut")
    path = tmp_path / "cut/network-ntuple.npz"
    path.write_bytes(path.read_bytes()[:-100])
    for spec, game, message in (
        ("ntuple:tictactoe-ppo", "tictactoe", "tictactoe-ppo is not an n-tuple network (cnn:"),
        (f"ntuple:{trained}", "connect4", "trained on tictactoe, not on connect4"),
        (f"ntuple:{tmp_path / 'cut'}", "tictactoe", "checksum differs"),
        (f"descent:{trained}", "tictactoe", "a network of ntuple, which no other engine can play"),
    ):
        with one_line_error(ModelError, message):
            build_engine(spec, game)
    with pytest.raises(ModelError, match="of one that `dlgo train ntuple` wrote$"):  # no other one
        build_engine("ntuple", "go:size=5")
