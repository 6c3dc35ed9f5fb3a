"""Networks in the tree search: priors, values, whose view they are, what came before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game, kernels
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from engines.base import Budget
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator
from engines.registry import build_engine
from engines.search import tree as ts
from engines.search.evaluators import LightRollout
from engines.search.leaf_evaluator import LeafEvaluator
from engines.search.rules import PUCT
from engines.search.searcher import Searcher
from tests.conftest import random_game
from tests.learning.networks.models import write_model

GAMES = ("tictactoe", "connect4", "go:size=5", "draughts")


def searched(state: GameState, agent: LeafEvaluator, simulations: int) -> Searcher:
    searcher = Searcher(state.game, 20_000, False, PUCT(0.6, 0.1), agent, 1)
    searcher.set_root(state)
    searcher.simulate(Budget(sims=simulations))
    return searcher


def test_priors_are_the_networks_among_the_legal_moves(tmp_path: Path) -> None:
    game = get_game("tictactoe")
    bias = np.log(np.arange(1.0, 10.0))  # action a has the weight a + 1
    folder = write_model(tmp_path / "m", "tictactoe", bias=bias, value_bias=0.0)
    state = random_game(game, seed=1)[3]
    tree = searched(state, load_leaf_evaluator(str(folder), game), 1).tree
    first, n = tree.first_child[ts.ROOT], tree.n_children[ts.ROOT]
    actions = tree.action[first : first + n]
    assert sorted(actions) == sorted(state.legal_actions())
    np.testing.assert_allclose(
        tree.prior[first : first + n], (actions + 1) / (actions + 1).sum(), rtol=1e-5
    )


@pytest.mark.parametrize("ply", [0, 1])
def test_values_are_seen_by_the_player_to_move(tmp_path: Path, ply: int) -> None:
    """A network that thinks the mover always wins; the tree counts for player 0."""
    game = get_game("tictactoe")
    folder = write_model(tmp_path / "m", "tictactoe", bias=np.zeros(9), value_bias=10.0)
    state = random_game(game, seed=1)[ply]
    tree = searched(state, load_leaf_evaluator(str(folder), game), 1).tree
    assert tree.value_sum[ts.ROOT] == pytest.approx(1.0 if ply == 0 else -1.0)


def test_rollouts_value_the_leaves_if_wanted(tmp_path: Path) -> None:
    """From a position with one move left, every random game ends as that move does."""
    game = get_game("tictactoe")
    folder = write_model(tmp_path / "m", "tictactoe", bias=np.zeros(9), value_bias=10.0)
    results = set()
    for seed in range(60):
        states = random_game(game, seed)
        if len(states) == 10:  # nine moves were made
            agent = load_leaf_evaluator(str(folder), game, values=LightRollout())
            leaves = kernels.make_batch(states[8].kernel_state, 1)
            kernels.copy_into(kernels.row(leaves, 0), states[8].kernel_state)
            _, values = agent.evaluate(leaves, 1)
            sign = 1 - 2 * states[8].next_player.index
            assert values[0] == sign * states[9].result()
            results.add(states[9].result())
    assert results == {0, 1}


def test_a_prior_that_knows_the_win_finds_it_with_few_simulations(tmp_path: Path) -> None:
    """And one that rules it out takes longer: so the prior is used, and in the right place."""
    game = get_game("connect4")
    state = game.start().play(*"112233")
    simulations = {}
    for name, weight in (("knows", 6.0), ("denies", -6.0)):
        bias = np.zeros(7)
        bias[3] = weight  # column 4 wins
        folder = write_model(tmp_path / name, "connect4", bias=bias, value_bias=0.0)
        engine = build_engine(
            f"puct:sims=200,prior={folder},evaluator=network,reuse=no", game, seed=1
        )
        decision = engine.select_move(state)
        assert decision.proven == 1 or name == "denies"
        simulations[name] = decision.cost.simulations
    assert simulations["knows"] <= 3
    assert simulations["denies"] > 30


def test_settings_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    game = get_game("tictactoe")
    folder = write_model(tmp_path / "m", "tictactoe", value=False)
    with pytest.raises(SpecError, match="needs prior=NAME"):
        build_engine("puct:evaluator=network", game)
    with pytest.raises(SpecError, match="not both"):
        build_engine(f"puct:prior={folder},agent=random", game)
    with pytest.raises(ModelError, match="no value head"):
        build_engine(f"puct:prior={folder},evaluator=network", game)
    with pytest.raises(ModelError, match="unknown model 'nobody'"):
        build_engine("puct:prior=nobody", game)


@pytest.mark.parametrize("encoder_name", ["planes", "zero"])
@pytest.mark.parametrize("game_name", GAMES)
def test_a_network_sees_what_its_encoder_shows(tmp_path, game_name, encoder_name) -> None:
    """The root and the first leaves below it, with encoders that look back and that do not."""
    game = get_game(game_name)
    folder = write_model(tmp_path / "m", game_name, encoder_name, scale=0.01)
    agent = load_leaf_evaluator(str(folder), game)
    asked: list[np.ndarray] = []
    evaluate = agent._runtime.evaluate
    agent._runtime.evaluate = lambda planes: (asked.extend(planes.copy()), evaluate(planes))[1]
    state = random_game(game, seed=6)[5]
    tree = searched(state, agent, 4).tree
    encoder = get_encoder(encoder_name, game)
    np.testing.assert_array_equal(asked[0], encoder.encode(state))
    first, n = tree.first_child[ts.ROOT], tree.n_children[ts.ROOT]
    below = [
        encoder.encode(state.apply_move(game.move_of(int(tree.action[child]))))
        for child in range(first, first + n) if tree.visits[child]
    ]
    assert below and any((asked[1] == planes).all() for planes in below)


@pytest.mark.parametrize("spec", ["supervised:{}", "puct:prior={},sims=8"])
def test_engines_tell_what_their_network_has_cost(tmp_path: Path, spec: str) -> None:
    """Training and data together, which the arena stores and the report plots."""
    folder = write_model(tmp_path / "model", "tictactoe")
    path = folder / "card.json"
    card = json.loads(path.read_text())
    card["training"]["data"] = {"cpu_seconds": 30.0}
    path.write_text(json.dumps(card))
    engine = build_engine(spec.format(folder), get_game("tictactoe"))
    assert engine.training_cpu_seconds == 42.5
    assert engine.network_id == card["network_id"]
