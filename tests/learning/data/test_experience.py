"""Experience: decisions come back as they were, from files and in batches; the rest is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.encoders import get_encoder
from dlgo.errors import DataError, VersionError
from engines.learning.data import experience as module
from engines.learning.data.batches import chunks
from engines.learning.data.experience import (
    Experience,
    merged,
    read_experience,
    shuffled_batches,
    write_experience,
)
from engines.learning.data.records import LABELLED, NO_RESULT, PLAYER_1, SYMMETRY_SHIFT
from engines.learning.selfplay.policy_games import Side, play
from engines.learning.selfplay.schedule import Schedule
from tests.conftest import one_line_error

GAME = get_game("draughts")  # its players may move twice in a row
ENCODER = get_encoder("turned", GAME)


class Critic:
    """Scores by fixed random weights; its value is the number of own pieces, roughly."""

    def __init__(self, shape: tuple[int, ...], actions: int) -> None:
        self._weights = np.random.default_rng(1).normal(size=(int(np.prod(shape)), actions))

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        flat = planes.reshape(len(planes), -1)
        return ((flat @ self._weights) / 4).astype(np.float32), np.tanh(
            flat.sum(axis=1) / 20 - 1).astype(np.float32)


@pytest.fixture(scope="module")
def played() -> Experience:
    side = Side(Critic(ENCODER.shape, GAME.num_actions), ENCODER, learns=True)
    schedule = Schedule.practice(9, 1, openings=2)
    return play(GAME, [side], schedule, 6, max_plies=150).with_returns()


def test_returns_are_the_results_for_who_decided_and_advantages_add_up(played: Experience) -> None:
    doubles = 0
    for g, end in enumerate(np.cumsum(played.plies).tolist()):
        state = GameState.new_game(GAME)
        span = range(end - int(played.plies[g]), end)
        result = 0 if played.results[g] == NO_RESULT else int(played.results[g])
        for i in span:
            player = state.next_player.index
            doubles += i > span[0] and bool(played.flags[i] & PLAYER_1) == bool(
                played.flags[i - 1] & PLAYER_1)
            if played.flags[i] & LABELLED:
                assert bool(played.flags[i] & PLAYER_1) == bool(player)
                assert played.returns[i] == pytest.approx(result * (1 - 2 * player), abs=1e-6)
            state = state.apply_move(GAME.move_of(int(played.actions[i])))
        assert state.is_over() == (played.results[g] != NO_RESULT)
        if state.is_over():
            assert state.result() == result
    assert doubles > 3, "somebody moved twice in a row"
    assert set(np.sign(played.returns).tolist()) == {-1, 0, 1}
    np.testing.assert_allclose(played.advantages + played.values, played.returns, atol=1e-6)
    assert np.abs(played.values[played.decisions]).max() > 0.1


def slow_returns(
    values: list[float], reward: float, discount: float, gae_lambda: float
) -> list[float]:
    """Generalised advantage estimation by its definition, plus the values."""
    following = [*values[1:], reward / discount]
    deltas = [discount * after - now for now, after in zip(values, following, strict=True)]
    return [
        values[t] + sum((discount * gae_lambda) ** k * delta for k, delta in enumerate(deltas[t:]))
        for t in range(len(values))
    ]


@pytest.mark.parametrize(("discount", "gae_lambda"), [(1.0, 1.0), (0.9, 1.0), (0.97, 0.8),
                                                      (1.0, 0.0)])
def test_returns_follow_each_players_own_decisions(discount: float, gae_lambda: float) -> None:
    # Player 0 moves twice in a row, ply 2 is an opponent's, ply 4 a random one.
    flags = [LABELLED, LABELLED, PLAYER_1, LABELLED | PLAYER_1, 0, LABELLED, LABELLED | PLAYER_1]
    values = np.array([0.1, -0.2, 0, 0.3, 0, 0.5, -0.4], np.float32)
    for result in (1, 0, -1, NO_RESULT):
        n = len(flags)
        experience = Experience(
            GAME, np.array([n]), np.array([result], np.int8), np.zeros(n, np.int64),
            np.array(flags, np.uint8), "turned", np.ones(n, np.float32), values,
            np.zeros(n, np.float32),
        ).with_returns(discount, gae_lambda)
        for player, rows in ((0, [0, 1, 5]), (1, [3, 6])):
            reward = 0 if result == NO_RESULT else result * (1 - 2 * player)
            np.testing.assert_allclose(
                experience.returns[rows],
                slow_returns(values[rows].tolist(), reward, discount, gae_lambda), atol=1e-6,
            )


def test_a_file_gives_back_what_was_written_in_14_bytes_a_decision(
    played: Experience, tmp_path: Path
) -> None:
    path = write_experience(tmp_path / "e.npz", dataclasses.replace(played, provenance={"seed": 1}))
    back = read_experience(path, GAME, "turned")
    for field in dataclasses.fields(Experience):
        before, after = getattr(played, field.name), getattr(back, field.name)
        if isinstance(before, np.ndarray):
            np.testing.assert_array_equal(before, after)
    assert back.provenance == {"seed": 1}
    longer = write_experience(tmp_path / "f.npz", merged([played] * 5))
    added = longer.stat().st_size - path.stat().st_size
    assert 14 <= added / (4 * len(played.actions)) < 14.2


def test_batches_have_each_decision_once_with_what_could_be_played(
    played: Experience, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = 2 * 64 * 4 * int(np.prod(ENCODER.shape))
    monkeypatch.setitem(chunks.__globals__, "CHUNK_BYTES", chunk)
    both = merged([played, played])
    assert both.n_games == 2 * played.n_games
    seen = list(shuffled_batches(both, ENCODER, 64, np.random.default_rng(3)))
    assert [len(batch) for batch in seen[:-1]] == [64] * (len(seen) - 1)
    assert sum(map(len, seen)) == len(both.decisions) == 2 * len(played.decisions)
    assert all(batch.legal[np.arange(len(batch)), batch.actions].all() for batch in seen)
    total = sum(float(batch.probabilities.sum()) for batch in seen)
    assert total == pytest.approx(2 * float(played.probabilities[played.decisions].sum()), rel=1e-5)
    # The recorded probability is that of the softmax over the legal moves, as the network sees it.
    batch = seen[0]
    scores, values = Critic(ENCODER.shape, GAME.num_actions)(batch.planes)
    shares = np.exp(scores.astype(float)) * batch.legal
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        shares[np.arange(64), batch.actions], batch.probabilities, rtol=1e-4)
    np.testing.assert_allclose(values, batch.values, atol=1e-5)


def test_a_decision_is_learned_from_the_side_of_the_board_from_which_it_was_made() -> None:
    game = get_game("tictactoe")
    encoder = get_encoder("planes", game)
    critic = Critic(encoder.shape, game.num_actions)
    side = Side(critic, encoder, learns=True, symmetries=True)
    played = play(game, [side], Schedule.practice(60, 1), 6).with_returns()
    sides = played.flags[played.decisions] >> SYMMETRY_SHIFT
    assert set(sides.tolist()) == set(range(8))
    [batch] = shuffled_batches(played, encoder, 10_000, np.random.default_rng(3))
    scores, values = critic(batch.planes)
    np.testing.assert_allclose(batch.values, values, rtol=1e-5)
    shares = np.where(batch.legal, np.exp(scores), 0)
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(batch))
    np.testing.assert_allclose(batch.probabilities, shares[rows, batch.actions], rtol=1e-4)
    # Without the side that was recorded, the same policy seems to be another one.
    forgotten = dataclasses.replace(played, flags=played.flags & (1 << SYMMETRY_SHIFT) - 1)
    [straight] = shuffled_batches(forgotten, encoder, 10_000, np.random.default_rng(3))
    other = np.where(straight.legal, np.exp(critic(straight.planes)[0]), 0)
    other /= other.sum(axis=1, keepdims=True)
    far = abs(other[rows, straight.actions] - straight.probabilities) > 1e-3
    assert 0.3 < far.mean() < 0.95


def test_what_is_not_such_a_file_is_refused_in_one_line(
    played: Experience, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_experience(tmp_path / "e.npz", played)
    with one_line_error(DataError, "of game draughts, not of connect4; choose another file"):
        read_experience(path, get_game("connect4"))
    with one_line_error(DataError, "of encoder turned, not of planes"):
        read_experience(path, GAME, "planes")
    whole = path.read_bytes()
    for keep in (0, 10, 500, len(whole) - 40):
        path.write_bytes(whole[:keep])
        with one_line_error(DataError, "e.npz is a damaged experience file: it is cut off"):
            read_experience(path)
    with one_line_error(DataError, "No such file"):
        read_experience(tmp_path / "nowhere.npz")
    altered = bytearray(whole)
    altered[len(whole) // 2] ^= 0x55
    path.write_bytes(bytes(altered))
    with one_line_error(DataError, "a damaged experience file"):
        read_experience(path)
    monkeypatch.setattr(module, "FORMAT", "dlgo experience 3")
    write_experience(path, played)
    monkeypatch.undo()
    with one_line_error(VersionError, "has format 3, and this version of dlgo reads"):
        read_experience(path)


@pytest.mark.parametrize(("name", "change", "part"), [
    ("plies", lambda a: a + 1, "not of length"),
    ("game", lambda a: get_game("tictactoe"), "an action that tictactoe does not have"),
    ("probabilities", lambda a: a * 0, "probability holds a number that is not above 0"),
    ("values", lambda a: a * np.float32("nan"), "not finite"),
    ("flags", lambda a: a | 1 << SYMMETRY_SHIFT, "a symmetry that draughts does not have"),
])
def test_arrays_that_contradict_each_other_are_refused(
    played: Experience, tmp_path: Path, name: str, change, part: str
) -> None:
    broken = dataclasses.replace(played, **{name: change(getattr(played, name))})
    path = write_experience(tmp_path / "e.npz", broken)
    with one_line_error(DataError, part):
        read_experience(path)
