"""What the scripts and commands of chapters 6 and 7 say, and the mistakes they refuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dlgo import Player, get_game
from experiments.chapters.ch06 import CAPTURE, ESCAPE, probe
from tests.command import ROOT, dlgo_here
from tests.learning.networks.models import write_model


def stones(state, player: Player) -> int:
    return sum(
        state.game.cell(state, row, col) is player for row in range(1, 10) for col in range(1, 10)
    )


def test_in_the_probe_of_chapter_6_black_captures_at_20_and_nowhere_else() -> None:
    game = get_game("go9")
    state = probe()
    assert state.next_player is Player.black
    assert (stones(state, Player.black), stones(state, Player.white)) == (5, 5)
    taken = {
        int(action): 5 - stones(state.apply_move(game.move_of(int(action))), Player.white)
        for action in state.legal_actions()
    }
    assert {action for action, count in taken.items() if count} == {CAPTURE}
    assert taken[CAPTURE] == 2
    # White, at 21, would take two of black's: that is what black's 21 prevents.
    white = state.apply_move(game.move_of(80)).apply_move(game.move_of(ESCAPE))
    assert stones(white, Player.black) == 5 + 1 - 2


@pytest.mark.slow
def test_listings_need_no_keras() -> None:
    code = (
        "import sys; sys.modules['keras'] = sys.modules['tensorflow'] = None\n"
        "from experiments.cli.main import main; main(sys.argv[1:])"
    )
    for arguments, words in (
        (["train", "supervised", "--list"], ("resnet", "blocks", "adadelta", "cosine")),
        (["train", "alphazero", "--list"],
         ("gating_threshold", "0 to 1, default 0", "dirichlet_epsilon", "Wu 2019")),
        (["engines"], ("supervised", "temperature", "prior", "runtime")),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True,
            timeout=240, check=False,
        )
        assert done.returncode == 0, done.stderr
        for word in words:
            assert word in done.stdout


def test_models_tells_what_a_network_cost(tmp_path: Path, capsys) -> None:
    folder = write_model(tmp_path / "m", "tictactoe")
    done = dlgo_here(capsys, "models", folder)
    assert done.returncode == 0, done.stderr
    for word in ("tictactoe", "25.0% of held-out moves", "12 CPU s"):
        assert word in done.stdout
