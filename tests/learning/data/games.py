"""Games made for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dlgo import GameSpec, get_game
from engines.learning.data import GameBuilder, ShardWriter


def shares(game: GameSpec, visits: Mapping[int, float]) -> np.ndarray:
    """A policy as `GameBuilder.add` takes it, from visits by action."""
    policy = np.zeros(game.num_actions)
    policy[list(visits)] = list(visits.values())
    return policy


def write_unlabelled(folder: Path) -> Path:
    """Nine games of tic-tac-toe in which no position teaches anything."""
    game = get_game("tictactoe")
    with ShardWriter(folder, game, {}) as writer:
        for first in range(9):
            builder = GameBuilder(game)
            builder.skip(first)
            writer.add(builder.finish(0))
    return folder
