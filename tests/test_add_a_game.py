"""docs/add_a_game.md: the game that it explains is sound, and faults show as it says."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.check import check
from tests.command import ROOT
from tests.conftest import RUN_ALL

DOC = ROOT / "docs/add_a_game.md"
GAME = ROOT / "experiments/templates/rows.py"


@pytest.mark.parametrize(("old", "new"), [
    ("in range(5):", "in range(4):"),
    ("words[KEY] ^= STONES", "words[KEY + 1] ^= STONES"),
])
def test_a_fault_is_named_as_the_document_says(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = GAME.read_text()
    assert old in text
    Path("rows.py").write_text(text.replace(old, new))
    lines = str(check("rows.py")).splitlines()
    for line in lines[1:3]:
        assert line.strip()[:70] in DOC.read_text()


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
