"""Ownership and score: learned where games have a final board, and in no network that is written.

The games are of Go on 3x3, so that each test takes seconds. `--run-all` plays and continues a
whole run with the heads, where by default only the network goes on from what a checkpoint keeps.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, Move, Player, Point, SpecError, get_game
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.alphazero.train import learn, new_network
from engines.learning.data import BatchOptions, Dataset, GameBuilder, Start, batches
from engines.learning.networks.card import read_card
from tests.alphazero.short_run import train
from tests.alphazero.test_train import unseen_run
from tests.learning.breaking import measured
from tests.learning.data.games import ShardWriter

pytest.importorskip("keras")

from engines.learning.networks.architectures import with_heads  # noqa: E402
from engines.learning.networks.backend import keras  # noqa: E402
from engines.learning.networks.trainable import TrainableNetwork  # noqa: E402
from tests.conftest import RUN_ALL

pytestmark = pytest.mark.train

GAME = get_game("go:size=3,komi=0.5")
HEADS = {"ownership": 1.0, "score": 0.5}


def plan(**changes) -> AlphaZeroConfig:
    return make_config(str(GAME), **{
        "iterations": 2, "games": 12, "sims": 4, "network": "resnet:blocks=0,filters=4",
        "workers": 1, "seed": 3, "runtime": "onnx", "precision": "float32", "batch_size": 32,
        "optimizer": "adam:lr=0.01", "ownership": 0.0, "score": 0.0, "resign_below": 0.0,
    } | changes)


WITH_HEADS = plan(**HEADS, network="resnet:blocks=0,filters=16,l2=0")


@pytest.fixture(scope="module")
def given_up(tmp_path_factory) -> Dataset:
    """Random games, given up by White before the move that would end them."""
    folder, rng = tmp_path_factory.mktemp("given_up"), np.random.default_rng(5)
    with ShardWriter(folder, GAME, {}) as writer:
        for _ in range(40):
            builder, state = GameBuilder(GAME), GameState.new_game(GAME)
            while not state.is_over():
                # Moves of a 3x3 board repeat for ever in a random game, so people tire.
                tired = len(builder) >= 12
                action = GAME.pass_action if tired else int(rng.choice(state.legal_actions()))
                state = state.apply_move(GAME.move_of(action))
                if not state.is_over():
                    builder.add(action)
            writer.add(builder.finish(1))
    return Dataset.open(folder)


@pytest.fixture(scope="module")
def learner() -> TrainableNetwork:
    """A network with the heads that several tests teach something: its first step takes seconds."""
    return new_network(WITH_HEADS)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run that learns the heads."""
    folder = tmp_path_factory.mktemp("az") / "run"
    train(plan(**HEADS, iterations=2 if RUN_ALL else 1), folder)
    return folder


def playing_weights(learner: TrainableNetwork, folder: Path) -> list[np.ndarray]:
    """The weights that are written."""
    learner.save(folder, "net", {})
    return keras.models.load_model(folder / "network.keras", compile=False).get_weights()


def test_the_end_of_games_is_learned(learner: TrainableNetwork, tmp_path: Path) -> None:
    """Positions in which both pass at once: a stone owns its point, more stones are ahead."""
    rng = np.random.default_rng(1)
    with ShardWriter(tmp_path, GAME, {}) as writer:
        for _ in range(300):
            owners = rng.choice(3, size=9)
            black, white = (
                [Point(i // 3 + 1, i % 3 + 1) for i in range(9) if owners[i] == k] for k in (1, 2)
            )
            try:
                start = GAME.position(black, white, Player.from_index(int(rng.integers(2))))
            except SpecError:  # a chain without liberty
                continue
            builder = GameBuilder(GAME, Start.of(start))
            builder.add(GAME.pass_action)
            builder.add(GAME.pass_action)
            writer.add(builder.finish(
                start.apply_move(Move.pass_turn()).apply_move(Move.pass_turn()).result()
            ))
    data = Dataset.open(tmp_path)
    (batch,) = batches(data, learner.encoder, BatchOptions(10_000, finals=True))
    learn(learner, unseen_run(WITH_HEADS), data, 1, steps=150)
    last = learn(learner, unseen_run(WITH_HEADS), data, 1, steps=10)
    # Half of what a network gets that always says 0.
    assert last["ownership_loss"] < 0.5 * float((batch.ownership**2).mean())
    assert last["score_loss"] < 0.5 * float(np.abs(batch.margins).mean())
    assert last["loss"] == pytest.approx(
        last["policy_loss"] + last["value_loss"] + HEADS["ownership"] * last["ownership_loss"]
        + HEADS["score"] * last["score_loss"], rel=1e-4,
    )


@pytest.mark.long
def test_games_that_were_given_up_teach_nothing_of_their_end(
    given_up: Dataset, tmp_path: Path
) -> None:
    """The heads stay as they were, and the rest learns what it learns without them."""
    learner, plain = new_network(plan(**HEADS)), new_network(plan())
    playing = {layer.path for layer in with_heads(learner.model, ("policy", "value")).layers}
    heads = [layer for layer in learner.model.layers
             if layer.weights and layer.path not in playing]
    before = [weight for one in heads for weight in one.get_weights()]
    assert len(heads) == 3
    losses, expected = (
        learn(one, unseen_run(config), given_up, 1, steps=8)
        for one, config in ((learner, plan(**HEADS)), (plain, plan()))
    )
    assert set(losses) - set(expected) == {"ownership_loss", "score_loss"}
    assert math.isnan(losses["ownership_loss"]) and math.isnan(losses["score_loss"])
    for name in ("loss", "policy_loss", "value_loss"):
        assert losses[name] == pytest.approx(expected[name], rel=1e-5)
    after = [weight for one in heads for weight in one.get_weights()]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    for one, other in zip(playing_weights(learner, tmp_path / "with"),
                          playing_weights(plain, tmp_path / "without"), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def test_without_weights_there_are_no_heads(run: Path, tmp_path: Path) -> None:
    """No variable; with them the first network, which has learned nothing, is equal."""
    plain = new_network(plan())
    assert set(plain.model.output) == {"policy", "value"}
    cards = [read_card(run / "nets" / name) for name in ("0000", "0001")]
    assert plain.save(tmp_path / "net", "net", {}).network_id == cards[0].network_id
    assert cards[0].network_id != cards[1].network_id
    assert {"ownership_loss", "score_loss"} < set(measured(run)[0])
    size = len(new_network(plan(**HEADS)).state)
    assert size > len(plain.state)
    with np.load(run / "checkpoint.npz") as arrays:
        kept = [name for name in arrays.files if name.startswith("state")]
    assert len(kept) == size


@pytest.mark.long
def test_a_run_with_heads_continues_as_if_unbroken(run: Path, tmp_path: Path) -> None:
    """Its checkpoint holds the heads and their optimiser."""
    for rounds in (1, 2):
        train(plan(**HEADS, iterations=rounds), tmp_path)
    names = [read_card(folder / "nets" / "0002").network_id for folder in (tmp_path, run)]
    assert names[0] == names[1]
    assert measured(tmp_path) == measured(run)
