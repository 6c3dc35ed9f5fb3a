"""Draughts from the own side: a game with the colours exchanged looks the same to a network."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game, kernels
from dlgo.encoders import default_encoder, encoder_names, get_encoder
from dlgo.symmetry import exchange, symmetries
from engines.learning.data import BatchOptions, Dataset, GameBuilder, batches
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator
from engines.registry import build_engine
from tests.learning.data.games import ShardWriter
from tests.learning.networks.models import write_model

GAME = get_game("draughts")
EXCHANGE = exchange(GAME)
# The start with white to move: half a turn carries it to the start, colours exchanged.
WHITE_BEGINS = "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


def twins(seed: int) -> list[tuple[GameState, GameState]]:
    """The positions of a random game, and those of the same game with the colours exchanged."""
    one, other = GameState.new_game(GAME), GAME.from_fen(WHITE_BEGINS)
    rng = np.random.default_rng(seed)
    line = [(one, other)]
    while not one.is_over():
        action = int(rng.choice(one.legal_actions()))
        one = one.apply_move(GAME.move_of(action))
        other = other.apply_move(GAME.move_of(EXCHANGE.action(1, action)))
        line.append((one, other))
    return line


def marked(actions: np.ndarray) -> np.ndarray:
    found = np.zeros(GAME.num_actions)
    found[actions] = 1
    return found


def test_games_with_exchanged_colours_are_turned_by_half_and_end_the_other_way() -> None:
    """What `colour_symmetry` promises, by the rules alone: kings, captures, draws."""
    results = set()
    for seed in range(12):
        for one, other in twins(seed):
            assert one.next_player is other.next_player.other
            legal = (marked(state.legal_actions()) for state in (one, other))
            assert np.array_equal(EXCHANGE.policy(1, next(legal)), next(legal))
        assert one.is_over() and other.is_over() and one.result() == -other.result()
        results.add(one.result())
    assert {1, -1} <= results


def test_both_players_see_the_board_from_their_side() -> None:
    encoder = get_encoder("turned", GAME)
    jumping = 0
    for seed in range(6):
        for one, other in twins(seed):
            planes = encoder.encode(one)
            assert np.array_equal(planes, encoder.encode(other))
            if one.next_player.index == 0:  # black sees what everybody sees, but for the colour
                plain = get_encoder("planes", GAME).encode(one)
                assert np.array_equal(planes, np.delete(plain, 4, axis=2))
            jumping += int(planes[:, :, 4].sum())
            policies = np.stack([marked(state.legal_actions()) for state in (one, other)])
            players = np.array([state.next_player.index for state in (one, other)])
            seen = encoder.to_network_order(policies, players)
            assert np.array_equal(*seen)
            assert np.array_equal(encoder.to_network_order(seen, players), policies)
    assert jumping > 5  # the plane of the piece that must go on jumping has been turned, too


def test_players_of_a_network_choose_images_of_each_others_moves(tmp_path: Path) -> None:
    """In the tree search, and where a network plays alone."""
    model = str(write_model(tmp_path / "m", "draughts", "turned"))
    agent = load_leaf_evaluator(model, GAME)
    alone = build_engine(f"supervised:model={model}", GAME, 1)
    engine = build_engine(f"alphazero:model={model},sims=40", GAME, 1)
    moved = set()
    for one, other in twins(3)[:60:4]:
        leaves = kernels.make_batch(GAME.scratch_state(one.kernel_state, 200), 2)
        for i, state in enumerate((one, other)):
            kernels.copy_into(kernels.row(leaves, i), state.kernel_state)
        policies, values = agent.evaluate(leaves, 2)
        np.testing.assert_allclose(EXCHANGE.policy(1, policies[0]), policies[1], rtol=1e-4)
        assert values[0] == pytest.approx(values[1], abs=1e-5)
        for player in (alone, engine):
            player.new_game(1)
            first = GAME.action_of(player.select_move(one).move)
            player.new_game(1)
            second = GAME.action_of(player.select_move(other).move)
            assert EXCHANGE.action(1, first) == second
            moved.add(first)
    assert len(moved) > 4


def test_batches_turn_policies_with_the_board(tmp_path: Path) -> None:
    builder = GameBuilder(GAME)
    line = [one for one, _ in twins(5)]
    for state, following in itertools.pairwise(line):
        legal = state.legal_actions().tolist()
        builder.add(GAME.action_of(following.last_move), legal[0],
                    {action: 1 + i for i, action in enumerate(legal)})
    with ShardWriter(tmp_path, GAME, {}, 4) as writer:
        writer.add(builder.finish(line[-1].result()))
    encoder = get_encoder("turned", GAME)
    options = BatchOptions(1000, shuffle=False, targets="policy")
    (batch,) = batches(Dataset.open(tmp_path), encoder, options)
    white = 0
    for i, (one, other) in enumerate(twins(5)[:-1]):
        assert np.array_equal(batch.planes[i], encoder.encode(one))
        black = one if one.next_player.index == 0 else other
        wanted = marked(black.legal_actions()) > 0
        assert np.array_equal(batch.policies[i] > 0, wanted)
        white += one.next_player.index
    assert white > 10


def test_only_games_that_look_alike_from_both_sides_have_it() -> None:
    assert default_encoder(GAME) == "turned" and "turned" in encoder_names(GAME)
    with pytest.raises(SpecError, match="'turned' is for games that look the same"):
        get_encoder("turned", get_game("connect4"))
    with pytest.raises(ValueError, match="differ"):
        exchange(get_game("connect4"))
    assert len(symmetries(GAME)) == 1
