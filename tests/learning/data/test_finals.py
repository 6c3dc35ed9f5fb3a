"""What batches say of the final boards is what counting them with `GameState` says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dlgo import Player, Point, get_game
from dlgo.encoders import get_encoder
from dlgo.games.go.scoring import score
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.data.batches import worth_of_margin
from engines.learning.data.records import NO_RESULT
from engines.learning.data.replay import start_state
from tests.learning.data.games import dataset, game_of
from tests.learning.data.test_batches import fingerprints, random_game


def ends(data: Dataset) -> list[tuple]:
    """Of the positions in order: owners, margin by cell, and whether the game has an end."""
    rows = []
    held = {Player.black: 1, Player.white: -1, None: 0}
    size = data.game.size
    for game in data.games():
        states = [start_state(data.game, game.start)]
        for action in game.actions.tolist():
            states.append(states[-1].apply_move(data.game.move_of(action)))
        end = states[-1]
        counts = end.is_over() and end.result() == game.result
        counted = score(end)
        for ply in np.flatnonzero(game.flags & 1).tolist():
            sign = counts * (1 if states[ply].next_player is Player.black else -1)
            owned = np.zeros((size, size))
            for point, owner in counted.owner.items():
                owned[point.row - 1, point.col - 1] = sign * held[owner]
            rows.append((owned, sign * counted.margin / size**2, counts))
    return rows


def test_finals_are_the_count_of_the_last_board_for_the_player_to_move(tmp_path: Path) -> None:
    game = get_game("go:size=5,komi=2.5")
    # From set stones, White to move; and a game that is given up.
    start = game.position([Point(2, 2), Point(4, 4)], [Point(1, 5)], Player.white)
    games = [random_game(str(game), i) for i in range(16)]
    games += [random_game(str(game), 3, start), game_of(game, 12, 7, 3, result=1)]
    data = dataset(tmp_path, game, games, 4)
    encoder = get_encoder("oneplane", data.game)
    rows = ends(data)
    assert 100 < sum(row[2] for row in rows) < len(rows)
    (batch,) = batches(data, encoder, BatchOptions(10_000, shuffle=False, finals=True))
    for name in ("ownership", "margins", "final_weights"):
        assert getattr(batch, name).dtype == np.float32
    assert np.array_equal(batch.ownership, np.stack([row[0] for row in rows]))
    np.testing.assert_allclose(batch.margins, [row[1] for row in rows], atol=1e-6)
    assert np.array_equal(batch.final_weights, [row[2] for row in rows])
    # Komi is not area; who is ahead has won; the rest of the batch is as without.
    known = batch.final_weights > 0
    sides = np.abs(25 * batch.margins - batch.ownership.sum((1, 2)))[known]
    np.testing.assert_allclose(sides, 2.5, atol=1e-5)
    assert np.array_equal(np.sign(batch.margins)[known], batch.values[known])
    (plain,) = batches(data, encoder, BatchOptions(10_000, shuffle=False))
    assert plain.ownership is plain.margins is plain.final_weights is None
    assert fingerprints([plain]) == fingerprints([batch])


def test_a_share_of_the_value_may_tell_by_how_much(tmp_path: Path) -> None:
    """Half the worth of a margin at twice the board's length; given-up games keep their result."""
    game = get_game("go:size=5")
    games = [random_game(str(game), i) for i in range(12)]
    data = dataset(tmp_path, game, [*games, game_of(game, 12, 7, 3, result=1)], 4)
    encoder = get_encoder("oneplane", data.game)
    options = BatchOptions(10_000, shuffle=False, finals=True)
    (plain,) = batches(data, encoder, options)
    (mixed,) = batches(data, encoder, replace(options, margin_share=0.25))
    points = 25 * plain.margins
    worth = plain.final_weights * np.arctan(points / 10) / (np.pi / 2)
    expected = (1 - 0.25 * plain.final_weights) * plain.values + 0.25 * worth
    np.testing.assert_allclose(mixed.values, expected, atol=1e-6)
    assert worth_of_margin(np.array([10.0, -10.0, 0.0]), 25).tolist() == [0.5, -0.5, 0.0]
    assert 0 < plain.final_weights.sum() < len(plain) and len(np.unique(mixed.values)) > 5


def test_ends_that_are_not_as_the_result_says_weigh_nothing(tmp_path: Path) -> None:
    """Given up, broken off; or agreed on against the count: Black owns all of it and has lost."""
    game = get_game("go:size=5")
    passed, unfinished = (12, game.pass_action, game.pass_action), (12, game.pass_action)
    data = dataset(tmp_path, game, [
        game_of(game, *line, result=result) for line, result in (
            (passed, 1), (passed, -1), (unfinished, 1), (unfinished, -1), (unfinished, NO_RESULT))
    ])
    options = BatchOptions(99, shuffle=False, finals=True)
    (batch,) = batches(data, get_encoder("oneplane", game), options)
    assert batch.final_weights.tolist() == [1, 1, 1, *[0] * 9]
    assert batch.ownership.sum((1, 2)).tolist() == [25, -25, 25, *[0] * 9]
    assert not batch.margins[3:].any()
