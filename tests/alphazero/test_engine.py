"""Facts about the AlphaZero engine's options: temperature, sides, plans of simulations."""

from __future__ import annotations

import collections
import json
import shutil

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game, kernels
from dlgo.encoders import get_encoder
from dlgo.symmetry import symmetries
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, encoder_of, softmax
from engines.learning.networks.runtimes import NetworkRuntime, load_runtime
from engines.registry import build_engine
from tests.learning.networks.models import write_model

GAME = get_game("connect4")
START = GameState.new_game(GAME)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A network that likes the centre, whatever the position, and takes all for even."""
    bias = np.log(np.array([1, 2, 4, 8, 4, 2, 1.0]))
    return write_model(tmp_path_factory.mktemp("m") / "net", "connect4", bias=bias, value_bias=0.0)


def drawn(spec: str, state: GameState, n: int) -> collections.Counter:
    engine = build_engine(spec, GAME, 1)
    counts: collections.Counter = collections.Counter()
    for seed in range(n):
        engine.new_game(seed)
        counts[engine.select_move(state).move] += 1
    return counts


def test_without_temperature_every_seed_plays_the_same(model) -> None:
    assert len(drawn(f"alphazero:model={model},sims=20", START, 12)) == 1


def test_the_weight_of_the_prior_is_the_players_or_the_cards_or_the_usual_one(tmp_path) -> None:
    model = write_model(tmp_path / "m", "connect4")
    own = shutil.copytree(model, tmp_path / "own")
    card = json.loads((own / "card.json").read_text())
    (own / "card.json").write_text(json.dumps(card | {"play": {"c_puct": 0.2}}))

    def policy(folder, options: str = "") -> dict:
        engine = build_engine(f"alphazero:model={folder},sims=200{options}", GAME, 1)
        return engine.select_move(START).policy

    assert policy(own) == policy(model, ",c_puct=0.2") == policy(own, ",c_puct=0.2")
    assert policy(model) == policy(model, ",c_puct=0.9") == policy(own, ",c_puct=0.9")
    assert policy(own) != policy(model)


def test_moves_are_drawn_by_visits_at_temperature_one(model) -> None:
    stats = pytest.importorskip("scipy.stats")
    decision = build_engine(f"alphazero:model={model},sims=60", GAME, 1).select_move(START)
    found = drawn(f"alphazero:model={model},sims=60,temperature=1", START, 400)
    moves = [move for move, share in decision.policy.items() if 400 * share >= 5]
    counts = [found[move] for move in moves]
    shares = np.array([decision.policy[move] for move in moves])
    assert sum(counts) >= 380
    assert stats.chisquare(counts, sum(counts) * shares / shares.sum()).pvalue > 1e-3


def test_nothing_is_drawn_late_and_no_lost_move_ever(model) -> None:
    spec = f"alphazero:model={model},sims=200,temperature=5"
    assert len(drawn(f"{spec},sample_plies=0", START, 8)) == 1
    state = START
    for text in "51617":  # only column 4 does not lose at once
        state = state.apply_move(GAME.parse_move(state, text))
    found = drawn(spec, state, 12)
    assert [GAME.move_text(move) for move in found] == ["4"]


def test_gumbel_needs_a_number_of_simulations(model) -> None:
    with pytest.raises(SpecError, match="sims=32"):
        build_engine(f"alphazero:model={model},cpu=0.1,search=gumbel", GAME)
    engine = build_engine(f"alphazero:model={model},sims=8,search=gumbel,considered=4", GAME, 1)
    decision = engine.select_move(START)
    assert decision.cost.simulations == 8 and decision.pv[0] == decision.move
    assert len(decision.policy) <= 4


class OneSided(NetworkRuntime):
    """Likes one corner of whatever it is shown; its value is the number of stones."""

    def __init__(self, card) -> None:
        super().__init__(card)

    def evaluate(self, planes):
        logits = np.zeros((len(planes), self.card.num_actions), np.float32)
        logits[:, 0] = 3
        value = np.tanh(planes[..., :2].sum(axis=(1, 2, 3)) / 10)
        return {"policy": logits, "value": value[:, None]}


class Turning(NetworkRuntime):
    """Its policy turns with the board: a logit for each cell, from what stands beside it."""

    def evaluate(self, planes):
        own = np.pad(planes[..., 0], ((0, 0), (1, 1), (1, 1)))
        near = own[:, :-2, 1:-1] + own[:, 2:, 1:-1] + own[:, 1:-1, :-2] + own[:, 1:-1, 2:]
        logits = near.reshape(len(planes), -1).astype(np.float32)
        return {"policy": logits, "value": np.zeros((len(planes), 1), np.float32)}


def batch_of(game, n: int):
    states = [GameState.new_game(game)]
    rng = np.random.default_rng(4)
    while len(states) < n:
        moves = states[-1].legal_moves()
        after = states[-1].apply_move(moves[rng.integers(len(moves))])
        states.append(GameState.new_game(game) if after.is_over() else after)
    leaves = kernels.make_batch(game.new_kernel_state(), n)
    for i, state in enumerate(states):
        kernels.copy_into(kernels.row(leaves, i), state.kernel_state)
    return leaves, states


def test_sides_are_those_of_the_board_and_come_from_the_position(tmp_path) -> None:
    """A network that likes one corner spreads its liking over all four, and answers stay put."""
    game = get_game("tictactoe")
    card = load_runtime(str(write_model(tmp_path / "m", "tictactoe"))).card
    encoder = encoder_of(card, game)
    leaves, _ = batch_of(game, 300)
    agent = NetworkEvaluator(OneSided(card), encoder, sides=7)
    policies, values = agent.evaluate(leaves, 300)
    favourites = collections.Counter(policies.argmax(axis=1).tolist())
    assert set(favourites) == {0, 2, 6, 8}
    assert min(favourites.values()) > 20
    # The number of stones is the same from all sides.
    plain, same = NetworkEvaluator(OneSided(card), encoder).evaluate(leaves, 300)
    assert values == pytest.approx(same)
    assert set(plain.argmax(axis=1).tolist()) == {0}
    # What else is in the batch does not matter.
    one = kernels.rows(leaves, 41, 42)
    assert np.array_equal(agent.evaluate(one, 1)[0][0], policies[41])


@pytest.mark.parametrize("name", ["tictactoe"])
def test_sides_do_not_change_a_network_that_turns_with_the_board(tmp_path, name: str) -> None:
    game = get_game(name)
    card = load_runtime(str(write_model(tmp_path / "m", name))).card
    encoder = get_encoder(card.encoder, game)
    leaves, states = batch_of(game, 60)
    plain, _ = NetworkEvaluator(Turning(card), encoder).evaluate(leaves, 60)
    found, _ = NetworkEvaluator(Turning(card), encoder, sides=1).evaluate(leaves, 60)
    assert found == pytest.approx(plain, abs=1e-6)
    known = symmetries(game)
    planes = encoder.encode(states[5])[None]
    turned = softmax(Turning(card).evaluate(known.planes(4, planes))["policy"])[0]
    assert turned == pytest.approx(known.policy(4, plain[5]), abs=1e-6)


def test_the_mean_over_all_sides_is_the_same_from_every_side(tmp_path) -> None:
    game = get_game("tictactoe")
    model = write_model(tmp_path / "m", "tictactoe", scale=0.5)
    runtime = load_runtime(str(model))
    encoder, known = encoder_of(runtime.card, game), symmetries(game)
    leaves, states = batch_of(game, 40)
    policies, values = NetworkEvaluator(runtime, encoder, average=8).evaluate(leaves, 40)
    for state, policy, value in zip(states, policies, values, strict=True):
        planes = encoder.encode(state)
        answers = runtime.evaluate(np.stack([known.planes(k, planes) for k in range(8)]))
        back = [known.policy(int(known.inverse[k]), softmax(answers["policy"][k]))
                for k in range(8)]
        assert policy == pytest.approx(np.mean(back, axis=0), abs=1e-6)
        assert value == pytest.approx(answers["value"].mean(), abs=1e-6)
    # Of three sides, another three for another position; all of them see something else.
    some = NetworkEvaluator(OneSided(runtime.card), encoder, average=3).evaluate(leaves, 40)[0]
    liked = {tuple(np.flatnonzero(policy > policy.min() + 1e-6)) for policy in some}
    assert len(liked) > 3 and set().union(*liked) == {0, 2, 6, 8}


@pytest.mark.parametrize(("asked", "looks"), [(2, 2), (8, 2)])
def test_each_look_of_the_network_counts_as_an_evaluation(model, asked: int, looks: int) -> None:
    """Connect Four has two sides, the board and its mirror image."""
    spec = f"alphazero:model={model},cache=0,average_symmetries={asked}"
    one = build_engine(f"alphazero:model={model},cache=0,sims=50", GAME, 1).select_move(START)
    same = build_engine(f"{spec},sims=50", GAME, 1).select_move(START)
    assert same.policy == one.policy  # the network turns with the board
    assert same.cost.evaluations == looks * one.cost.evaluations
    for options in ("evals=50", "evals=51", "evals=51,batch=7"):
        engine = build_engine(f"{spec},{options}", GAME, 1)
        assert engine.select_move(START).cost.evaluations == 50
    # The root is always looked at.
    assert build_engine(f"{spec},evals=1", GAME, 1).select_move(START).cost.evaluations == 2
    remembering = build_engine(f"{spec},sims=50".replace("cache=0", "cache=500"), GAME, 1)
    assert 0 < remembering.select_move(START).cost.evaluations < same.cost.evaluations
