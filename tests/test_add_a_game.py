"""docs/add_a_game.md: the game that it explains is sound."""

from __future__ import annotations

import functools

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine
from tests.command import ROOT
from tests.conftest import RUN_ALL

GAME = ROOT / "experiments/templates/rows.py"


@pytest.mark.slow
def test_alphabeta_proves_what_plain_minimax_finds() -> None:
    """The first player wins: seen by the engine, and by rules written once more, in Python."""
    lines = [{3 * i + j for j in range(3)} for i in range(3)]
    lines += [{3 * j + i for j in range(3)} for i in range(3)]

    @functools.cache
    def value(filled: frozenset[int], player: int, lead: int) -> int:
        """The result for player 0 if both play well."""
        if len(filled) == 9:
            return (lead > 0) - (lead < 0)
        values = []
        for cell in set(range(9)) - filled:
            after = filled | {cell}
            points = sum(cell in line and line <= after for line in lines)
            values.append(value(
                after, player if points else 1 - player, lead + (1 - 2 * player) * points
            ))
        return min(values) if player else max(values)

    assert value(frozenset(), 0, 0) == 1
    game = get_game(str(GAME))
    for engine in ("alphabeta:depth=9", *(("mcts:sims=20000",) if RUN_ALL else ())):
        start = GameState.new_game(game)
        assert build_engine(engine, game).select_move(start).proven == 1
