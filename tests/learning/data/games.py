"""Games made for tests."""

from __future__ import annotations

from pathlib import Path

from dlgo import get_game
from engines.learning.data import GameBuilder, ShardWriter


def write_unlabelled(folder: Path) -> Path:
    """Nine games of tic-tac-toe in which no position teaches anything."""
    game = get_game("tictactoe")
    with ShardWriter(folder, game, {}) as writer:
        for first in range(9):
            builder = GameBuilder(game)
            builder.skip(first)
            writer.add(builder.finish(0))
    return folder
