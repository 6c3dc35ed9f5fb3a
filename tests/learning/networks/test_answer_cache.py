"""A cache of network answers: its key covers what the network sees, and it changes no answer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.encoders import encoder_names, get_encoder
from engines.base import Budget
from engines.learning.networks.answer_cache import AnswerCache, hash_words
from engines.registry import build_engine
from tests.conftest import RUN_ALL, random_game
from tests.learning.networks.models import write_model

GAMES = ("tictactoe", "connect4", "connectn:pie=yes", "draughts", "go:size=5")


def words_of(planes: np.ndarray) -> np.ndarray:
    return planes.reshape(-1).view(np.uint32)


@pytest.mark.parametrize("name", GAMES)
def test_equal_keys_mean_equal_planes_and_the_other_way_round(name: str) -> None:
    """Over random games, for every encoder: also those that look back, or see the ko."""
    game = get_game(name)
    for encoder_name in encoder_names(game):
        encoder = get_encoder(encoder_name, game)
        planes_of: dict[int, bytes] = {}
        key_of: dict[bytes, int] = {}
        met_again = 0
        for seed in range(60 if RUN_ALL else 8):
            for state in random_game(game, seed, max_plies=80):
                planes = encoder.encode(state)
                key, content = int(hash_words(words_of(planes))), planes.tobytes()
                met_again += content in key_of
                assert planes_of.setdefault(key, content) == content, encoder_name
                assert key_of.setdefault(content, key) == key
        assert met_again >= 7, encoder_name  # the start of every game, at least


def test_boards_of_three_values_have_different_keys() -> None:
    boards = np.array([*itertools.product((-1, 0, 1), repeat=9)], np.float32)
    assert len({int(hash_words(words_of(board))) for board in boards}) == len(boards)


def numbered(n: int) -> np.ndarray:
    """Planes of n positions, all different."""
    planes = np.zeros((n, 2, 2, 1), np.float32)
    planes[:, 0, 0, 0] = np.arange(n)
    return planes


class Network:
    """Answers with the number of the position, and counts how often it is asked about which."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        numbers = planes[:, 0, 0, 0]
        self.asked += numbers.astype(int).tolist()
        return np.outer(numbers, [1, 10, 100]).astype(np.float32), -numbers


@pytest.mark.parametrize("positions", [1, 7, 50, 100_000])
def test_answers_are_the_networks_whatever_has_been_forgotten(positions: int) -> None:
    cache, network, rng = AnswerCache(positions, 3), Network(), np.random.default_rng(1)
    asked_about = 0
    for _ in range(200):
        batch = rng.integers(0, 100, size=rng.integers(1, 12))
        policies, values = cache.answers(numbered(100)[batch], network)
        assert (policies == np.outer(batch, [1, 10, 100])).all() and (values == -batch).all()
        asked_about += len(batch)
    assert cache.cache_hits == asked_about - len(network.asked)
    if positions == 100_000:
        assert sorted(network.asked) == list(range(100))  # each once
    cache.clear()
    before = len(network.asked)
    cache.answers(numbered(3), network)
    assert network.asked[before:] == [0, 1, 2]


SPECS = (
    "alphazero:model={model},sims=60", "alphazero:model={model},sims=60,batch=4",
    "alphazero:model={model},sims=32,search=gumbel",
    "puct:prior={model},evaluator=network,sims=60",
    "puct:prior={model},evaluator=rollout,sims=60",
)


@pytest.mark.parametrize(("game_name", "encoder"), [
    ("tictactoe", "planes"), ("connect4", "zero"), ("go:size=5", "zero"), ("draughts", "turned"),
])
def test_with_a_cache_the_same_search_asks_less(tmp_path, game_name: str, encoder: str) -> None:
    """Moves, visits and values are equal to the last bit, also with a cache that overflows."""
    game = get_game(game_name)
    model = write_model(tmp_path / "m", game_name, encoder, scale=0.3)
    for spec in SPECS if RUN_ALL or game_name == "connect4" else SPECS[:1]:
        for cache in (2000, 50):
            text = spec.format(model=model)
            plain = build_engine(f"{text},cache=0", game, 3)
            saving = build_engine(f"{text},cache={cache}", game, 3)
            evaluations = np.zeros(2, int)
            state = GameState.new_game(game)
            while not state.is_over() and len(state.moves()) < 6:
                one, other = plain.select_move(state), saving.select_move(state)
                assert (one.move, one.policy, one.values, one.pv, one.cost.simulations) == (
                    other.move, other.policy, other.values, other.pv, other.cost.simulations), spec
                evaluations += one.cost.evaluations, other.cost.evaluations
                state = state.apply_move(one.move)
            assert evaluations[1] <= evaluations[0]
            if cache == 2000 and "gumbel" in spec:  # a new tree for each move
                assert evaluations[1] < 0.9 * evaluations[0]
            plain.close(), saving.close()


def test_a_new_game_begins_with_nothing_remembered(tmp_path) -> None:
    """So that the same seed gives the same game and the same cost, whatever was played before."""
    game = get_game("connect4")
    engine = build_engine(f"alphazero:model={write_model(tmp_path / 'm', 'connect4')},sims=80,"
                          "cache=1000", game, 1)
    state = GameState.new_game(game)
    costs = []
    for seed in (1, 2, 1):
        engine.new_game(seed)
        costs.append(engine.select_move(state).cost.evaluations)
    assert costs[0] == costs[2] > 40
    again = engine.select_move(state, Budget(sims=80)).cost.evaluations
    assert again < costs[0]
