"""Networks of dense layers compiled into the search, against ONNX Runtime and the usual search."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game, kernels
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.decision import Budget
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, load_leaf_evaluator
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import DENSE_FILE, load_card
from engines.registry import build_engine
from engines.search import tree as ts
from engines.search.batched_search import BatchedSearch
from engines.search.rules import PUCT
from engines.search.searcher import Searcher
from tests.alphazero.test_self_play import state_after
from tests.conftest import RUN_ALL
from tests.learning.networks.models import write_dense_model

# A game, and an encoder of it that looks at one position; compiling takes ten seconds for each.
PAIRS = [("connect4", "attacks"), ("draughts", "captures")]
if RUN_ALL:
    PAIRS += [("tictactoe", "planes"), ("draughts", "turned"), ("go:size=5", "simple")]
RULE = PUCT(0.9, 0.1)


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def model(request, tmp_path_factory) -> tuple[str, Path]:
    game, encoder = request.param
    return game, write_dense_model(tmp_path_factory.mktemp("m") / "net", game, encoder)


def positions(game_name: str, n: int) -> list[GameState]:
    return [state_after(get_game(game_name), seed, plies=3 * seed) for seed in range(n)]


def test_answers_are_those_of_onnx(model) -> None:
    game, folder = model
    encoder = get_encoder(load_card(str(folder))[1].encoder, get_game(game))
    planes = np.stack([encoder.encode(state) for state in positions(game, 9)])
    wanted = load_runtime(str(folder)).evaluate(planes)
    found = load_runtime(str(folder), "compiled").evaluate(planes)
    assert found.keys() == wanted.keys() == {"policy", "value"}
    for head in wanted:
        assert found[head].shape == wanted[head].shape and np.ptp(wanted[head]) > 0.1
        assert np.allclose(found[head], wanted[head], atol=1e-5)


def searched(name: str, folder: Path, state: GameState, guided: bool, budget: Budget) -> tuple:
    game = get_game(name)
    evaluator = load_leaf_evaluator(str(folder), game, "compiled")
    if not guided:
        evaluator.compiled = lambda: None
    searcher = Searcher(game, 20_000, True, RULE, evaluator)
    searcher.new_game(5)
    searcher.set_root(state)
    done = searcher.simulate(budget)
    if budget.sims and searcher.tree.proven[ts.ROOT] == ts.UNPROVEN:
        child = ts.most_visited(searcher.tree, ts.ROOT)
        move = game.move_of(int(searcher.tree.action[child]))
        searcher.set_root(state.apply_move(move))  # and on, with the tree that is kept
        done += searcher.simulate(budget)
    return searcher.tree, done, searcher.evaluations


@pytest.mark.parametrize("budget", [
    Budget(sims=150), Budget(evals=40), Budget(evals=90, cpu=600.0),  # which is spent in slices
], ids=["sims", "evals", "slices"])
def test_a_guided_search_is_the_usual_one(model, budget: Budget) -> None:
    name, folder = model
    for state in positions(name, 4):
        one, done, asked = searched(name, folder, state, True, budget)
        other, *wanted = searched(name, folder, state, False, budget)
        assert [done, asked] == wanted
        n = int(other.info[ts.N_NODES])
        assert list(one.info) == list(other.info)
        for field in ("action", "visits", "proven", "mover", "first_child", "n_children"):
            assert np.array_equal(getattr(one, field)[:n], getattr(other, field)[:n]), field
        for field in ("prior", "value_sum"):
            assert np.allclose(getattr(one, field)[:n], getattr(other, field)[:n], atol=1e-3)


class Asked(NetworkEvaluator):
    """The same network without a compiled evaluator."""

    def compiled(self) -> None:
        return None


@pytest.mark.parametrize("noise", [0.0, 0.25])
def test_searches_side_by_side_are_the_same_with_a_compiled_evaluator(model, noise: float) -> None:
    name, folder = model
    game, runtime = get_game(name), load_runtime(str(folder), "compiled")
    encoder = get_encoder(runtime.card.encoder, game)
    searches = []
    for evaluator in (NetworkEvaluator(runtime, encoder), Asked(runtime, encoder)):
        search = BatchedSearch(game, 4, 20_000, RULE, evaluator, room=50)
        for i, state in enumerate(positions(name, 4)):
            kernels.copy_into(kernels.row(search.roots, i), state.kernel_state)
            search.seed(i, 100 + i)
            search.set_root(i)
            search.start(i, 40 + 10 * i, noise, 10.0, excluded=game.pass_action)
        while (search.remaining > 0).any():
            search.step()
        searches.append(search)
    one, other = searches
    assert one.evaluations == other.evaluations > 0 and one.steps <= other.steps
    for i in range(4):
        n = int(other.tree(i).info[ts.N_NODES])
        for field in ("action", "visits", "proven"):
            mine, theirs = (getattr(search.tree(i), field)[:n] for search in searches)
            assert np.array_equal(mine, theirs), field
        assert np.allclose(one.tree(i).prior[:n], other.tree(i).prior[:n], atol=1e-5)


def test_an_encoder_that_looks_back_is_asked_in_the_usual_way(tmp_path) -> None:
    folder = write_dense_model(tmp_path / "net", "connect4", "zero")
    game = get_game("connect4")
    assert load_leaf_evaluator(str(folder), game, "compiled").compiled() is None
    state = positions("connect4", 3)[2]
    moves = {
        runtime: build_engine(f"alphazero:model={folder},sims=50,runtime={runtime}", game, 1)
        .select_move(state).policy for runtime in ("onnx", "compiled")
    }
    assert moves["onnx"] == moves["compiled"]


def test_a_damaged_file_is_one_clear_line(tmp_path) -> None:
    folder = write_dense_model(tmp_path / "net", "connect4", "planes")
    content = (folder / DENSE_FILE).read_bytes()
    (folder / DENSE_FILE).write_bytes(content[:-20])
    with pytest.raises(ModelError, match="checksum differs"):
        load_runtime(str(folder), "compiled")
    card = json.loads((folder / "card.json").read_text())
    card["files"][DENSE_FILE] = hashlib.sha256(content[:-20]).hexdigest()
    (folder / "card.json").write_text(json.dumps(card))
    with pytest.raises(ModelError, match="network-dense.npz cannot be read"):
        load_runtime(str(folder), "compiled")
