"""Batches say of each position what replaying the game with `GameState` says.

`--run-all` replays games of connectn, too.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, Player, get_game
from dlgo.encoders import get_encoder
from dlgo.errors import DataError
from dlgo.rng import below, make_rng
from dlgo.symmetry import symmetries
from engines.learning.data import BatchOptions, Dataset, GameBuilder, Start, batches
from engines.learning.data.batches import CHUNK_BYTES, endless_batches
from engines.learning.data.records import EXACT, NO_RESULT, GameData
from engines.learning.data.replay import start_state
from tests.conftest import RUN_ALL
from tests.learning.data.games import dataset, game_of

GAMES = ("go:size=5", "tictactoe", "connect4", "draughts", *(["connectn"] if RUN_ALL else []))


def random_game(
    name: str, seed: int, start: GameState | None = None, skipped: float = 0.25
) -> GameData:
    """Random moves to the end; some plies without a label, some policies."""
    game = get_game(name)
    rng = make_rng(seed)
    state = start or GameState.new_game(game)
    builder = GameBuilder(game, Start.of(state))
    while not state.is_over() and len(builder) < 120:
        legal = state.legal_actions().tolist()
        action = legal[below(rng, len(legal))]
        if below(rng, 100) < 100 * skipped:
            builder.skip(action)
        else:
            chosen = legal[below(rng, len(legal))]
            visits = {a: below(rng, 50) for a in legal} if below(rng, 2) else {}
            builder.add(action, chosen, visits, full_search=below(rng, 3) > 0)
        state = state.apply_move(game.move_of(action))
    return builder.finish(state.result() if state.is_over() else NO_RESULT)


def a_folder(path: Path, name: str, games: int, shard_games: int = 4) -> Dataset:
    return dataset(path, get_game(name), [random_game(name, i) for i in range(games)], shard_games)


def expected(data: Dataset, encoder, targets: str) -> list[tuple]:
    """The positions in order, by the Python face of the rules."""
    rows = []
    for game in data.games():
        state = start_state(data.game, game.start)
        entry = 0
        for ply, action in enumerate(game.actions.tolist()):
            count = int(game.counts[ply])
            if game.flags[ply] & 1:
                policy = np.zeros(data.game.num_actions)
                if targets == "policy" and count:
                    span = slice(entry, entry + count)
                    policy[game.policy_actions[span]] = game.policy_shares[span]
                else:
                    policy[game.chosen[ply]] = 1
                sign = 1 if state.next_player is Player.black else -1
                value = 0 if game.result == NO_RESULT else sign * game.result
                rows.append((encoder.encode(state), policy / policy.sum(), value))
            entry += count
            state = state.apply_move(data.game.move_of(action))
    return rows


@pytest.mark.parametrize("targets", ["move", "policy"])
@pytest.mark.parametrize("name", GAMES)
def test_batches_show_the_positions_before_their_moves(
    tmp_path: Path, name: str, targets: str
) -> None:
    # In each second game most positions have no label: they are not looked at, but replayed.
    games = [random_game(name, i, skipped=(0.25, 0.9)[i % 2]) for i in range(9)]
    data = dataset(tmp_path, get_game(name), games, 4)
    for encoder in [get_encoder("planes", data.game), get_encoder("zero", data.game)]:
        rows = expected(data, encoder, targets)
        assert len(rows) == data.n_positions > 0
        made = list(batches(data, encoder, BatchOptions(32, shuffle=False, targets=targets)))
        assert [len(batch) for batch in made[:-1]] == [32] * (len(made) - 1)
        i = 0
        for batch in made:
            assert batch.planes.dtype == batch.policies.dtype == batch.values.dtype == np.float32
            for planes, policy, value in zip(
                batch.planes, batch.policies, batch.values, strict=True
            ):
                assert np.array_equal(planes, rows[i][0]), (encoder.name, i)
                assert np.allclose(policy, rows[i][1], atol=1e-6)
                assert value == rows[i][2]
                i += 1
        assert i == len(rows)


def fingerprints(stream) -> list[bytes]:
    return [
        planes.tobytes() + policy.tobytes() + value.tobytes()
        for batch in stream
        for planes, policy, value in zip(batch.planes, batch.policies, batch.values, strict=True)
    ]


@pytest.mark.parametrize("chunk", [1, CHUNK_BYTES])
def test_an_epoch_is_every_position_once_in_an_order_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setitem(endless_batches.__globals__, "CHUNK_BYTES", chunk)
    data = a_folder(tmp_path, "go:size=5", 12)
    encoder = get_encoder("oneplane", data.game)
    in_order = fingerprints(batches(data, encoder, BatchOptions(10, shuffle=False)))
    runs = {
        (seed, epoch): fingerprints(batches(data, encoder, BatchOptions(10), seed, epoch))
        for seed in (1, 2) for epoch in (0, 1)
    }
    for run in runs.values():
        assert sorted(run) == sorted(in_order) and run != in_order
    assert len({tuple(run) for run in runs.values()}) == 4
    assert fingerprints(batches(data, encoder, BatchOptions(10), seed=1, epoch=1)) == runs[1, 1]


def test_batches_without_end_have_one_size_and_begin_again(tmp_path: Path) -> None:
    data = a_folder(tmp_path, "connect4", 6)
    encoder, options = get_encoder("oneplane", data.game), BatchOptions(16)
    epochs = [fingerprints(batches(data, encoder, options, 3, epoch)) for epoch in (5, 6)]
    assert len(epochs[0]) % 16 and epochs[0] != epochs[1]
    enough = -(-len(epochs[0]) // 16) + 1
    made = list(itertools.islice(endless_batches(data, encoder, options, 3, 5), enough))
    assert {len(batch) for batch in made} == {16}
    assert fingerprints(made) == (epochs[0] + epochs[1])[: 16 * enough]


def test_symmetries_move_planes_and_policies_alike(tmp_path: Path) -> None:
    data = a_folder(tmp_path, "go:size=5", 6)
    encoder = get_encoder("oneplane", data.game)
    known = symmetries(data.game)
    options = BatchOptions(8, shuffle=False, targets="policy", finals=True)
    plain = list(batches(data, encoder, options))
    turned = list(batches(data, encoder, replace(options, symmetries=True), seed=5))
    seen = set()
    for before, after in zip(plain, turned, strict=True):
        assert np.array_equal(before.values, after.values)
        assert np.array_equal(before.margins, after.margins)
        for i in range(len(before)):
            fitting = [
                k for k in range(8)
                if np.array_equal(known.planes(k, before.planes[i]), after.planes[i])
                and np.array_equal(known.policy(k, before.policies[i]), after.policies[i])
                and np.array_equal(
                    known.planes(k, before.ownership[i][..., None])[..., 0], after.ownership[i]
                )
            ]
            assert fitting
            seen.update(fitting if len(fitting) == 1 else ())
    assert seen == set(range(8))


def test_values_may_be_the_searchs_in_part(tmp_path: Path) -> None:
    """The first player expected half a win and lost; of the second ply nothing is known.

    The third was a short search, and perfect play says that it was a draw: learned as it is.
    """
    builder = GameBuilder(get_game("tictactoe"))
    builder.add(0, value=0.5)
    builder.add(1)
    builder.add(2, value=0.0, full_search=False)
    game = builder.finish(-1)
    game = replace(game, flags=game.flags | np.array([0, 0, EXACT], np.uint8))
    data = dataset(tmp_path, get_game("tictactoe"), [game])
    for searched, wanted in ((0.0, [-1, 1, 0]), (0.5, [-0.25, 1, 0]), (1.0, [0.5, 1, 0])):
        options = BatchOptions(8, shuffle=False, search_value_weight=searched)
        (batch,) = batches(data, get_encoder("oneplane", data.game), options)
        np.testing.assert_allclose(batch.values, wanted, atol=0.01)
        assert batch.policy_weights.tolist() == [1, 1, 0]


@pytest.mark.parametrize("finals", [False, True])
def test_a_game_against_the_rules_is_named(tmp_path: Path, finals: bool) -> None:
    game = get_game("tictactoe")
    data = dataset(tmp_path, game, [game_of(game, 0, 0, 1)])
    with pytest.raises(DataError, match="games-000000.npz, game 0: holds a move"):
        list(batches(data, get_encoder("oneplane", data.game), BatchOptions(8, finals=finals)))


def test_wrong_requests_are_one_line(tmp_path: Path) -> None:
    data = a_folder(tmp_path, "tictactoe", 3)
    for size, targets in ((4, "value"), (0, "move")):
        with pytest.raises(DataError):
            BatchOptions(size, targets=targets)
    with pytest.raises(DataError, match="games of tictactoe do not fit"):
        next(batches(data, get_encoder("oneplane", get_game("connect4")), BatchOptions(4)))


def test_parts_have_disjoint_games_and_equal_games_stay_together(tmp_path: Path) -> None:
    games = [random_game("go:size=5", i % 35) for i in range(40)]
    data = dataset(tmp_path, get_game("go:size=5"), games, 4, cpu_seconds=6.0)
    for seed in range(10):
        train, test = data.split(0.25, seed)
        assert 10 <= test.n_games <= 15 and train.n_games + test.n_games == 40
        assert train.n_positions + test.n_positions == data.n_positions
        assert not set(train.digests.tolist()) & set(test.digests.tolist())
        assert test.cpu_seconds == pytest.approx(1.5 * test.n_games)
    for share in (0.0, 0.999, 1.0):
        with pytest.raises(DataError):
            data.split(share)
    again, other = data.split(0.25, seed=9)[1], data.split(0.25, seed=2)[1]
    assert np.array_equal(test.digests, again.digests)
    assert not np.array_equal(test.digests, other.digests)


def test_subsets_are_nested(tmp_path: Path) -> None:
    data = a_folder(tmp_path, "go:size=5", 12)
    few, more = data.subset(3), data.subset(8)
    assert set(few.digests.tolist()) < set(more.digests.tolist())
    for bad in (0, 13):
        with pytest.raises(DataError, match="12"):
            data.subset(bad)
