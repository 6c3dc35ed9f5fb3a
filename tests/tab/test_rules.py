"""Rules in a tab: published numbers of positions, and errors of games that cannot go there."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import get_game
from dlgo.text import replace_once
from experiments.tab.programs import game_view
from tests.command import assert_one_line, dlgo
from tests.tab.worker import needs_node, run_worker
from tests.test_perft import CONNECT_FOUR, OTHELLO, TIC_TAC_TOE

pytestmark = [pytest.mark.slow, *needs_node]

PERFT = """
const { Game } = await load("rules.js"), game = await Game.load(data.game);
return data.counts.map((_, i) => Number(game.program.call("perft", { depth: i + 1 })));
"""


@pytest.mark.parametrize(("game", "counts"), [
    ("tictactoe", TIC_TAC_TOE), ("connect4", CONNECT_FOUR), ("othello", OTHELLO[:9]),
    ("breakthrough:rows=6,cols=6", [16, 256, 4308, 71478]), ("go:size=2", [5, 21]),
])
def test_numbers_of_positions_are_those_published(
    tmp_path: Path, game: str, counts: list[int]
) -> None:
    data = {"game": game_view(get_game(game)), "counts": counts}
    assert run_worker(tmp_path, PERFT, data) == counts


def test_a_kernel_that_makes_arrays_is_named_with_its_line(tmp_path: Path) -> None:
    assert dlgo("new", "game", "own", cwd=tmp_path).returncode == 0
    file = tmp_path / "own.py"
    text = replace_once(file.read_text(), "    n = 0\n", "    n = int(np.zeros(len(out))[0])\n")
    file.write_text(text)
    line = text[: text.index("np.zeros(len(out))")].count("\n") + 1
    answer = dlgo("export", "web", "out", "--game", "own.py", cwd=tmp_path)
    assert_one_line(answer, f"own.py:{line}) to WebAssembly: ")
    assert "cannot compile legal_actions" in answer.stderr
    assert "a kernel makes no new arrays" in answer.stderr
    assert not (tmp_path / "out").exists()
