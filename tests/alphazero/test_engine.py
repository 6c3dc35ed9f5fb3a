"""Facts about the AlphaZero engine's options: temperature, plans of simulations."""

from __future__ import annotations

import collections
import json
import shutil

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game
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


@pytest.mark.train
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
