"""Faults in a game's file that no rule of the kit is about: `dlgo check` finds and names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.check import check
from tests.command import ROOT
from tests.conftest import RUN_ALL

FOLDER = Path(__file__).with_name("own_games")
GAME = FOLDER / "knightthrough.py"
# What is replaced, by what, and what the finding says.
MUTANTS = {
    "index beyond the board": ("    state.board[start] = -1\n",
                               "    state.board[start + 99] = -1\n", "IndexError"),
    "misspelt name": ("me = action // (n * n), action % (n * n), words[TURN]",
                      "me = action // (n * n), action % (n * n), word[TURN]", "NameError"),
    "no return": ("    return 1 - 2 * state.words[WINNER]", "    1 - 2 * state.words[WINNER]",
                  "returns nothing"),
    "endless rollout": ("n * n * start + end):\n            play(state, n * n * start + end)",
                        "n * n * start + end):\n            copy_into(state, state)", "endless"),
    "truth values added": ("    return total * (1 - 2 * state.words[TURN])",
                           "    return (total + ((SIDES[0] == SIDES[0]) + (SIDES[1] == SIDES[1]))) "
                           "* (1 - 2 * state.words[TURN])", "between plain Python and compiled"),
}
# Random games hardly meet two positions of Amazons that differ by an arrow alone.
KEY_WITHOUT_ARROWS = ("    put(state, arrow, ARROW)\n", "    state.board[arrow] = ARROW\n",
                      "keys: a different position has the same key")


@pytest.mark.parametrize("name", MUTANTS if RUN_ALL else ["no return"])
def test_the_check_finds_and_names(name: str, tmp_path: Path) -> None:
    must_find(GAME, MUTANTS[name], tmp_path, settings=":size=4")


@pytest.mark.slow
def test_the_check_compares_all_that_can_follow(tmp_path: Path) -> None:
    must_find(FOLDER / "amazons.py", KEY_WITHOUT_ARROWS, tmp_path)


def must_find(
    game: Path, mutant: tuple[str, str, str], folder: Path, settings: str = ""
) -> None:
    """The check of a game with one fault finds and names it."""
    old, new, words = mutant
    text = game.read_text()
    assert old in text
    file = folder / "mutant.py"
    file.write_text(text.replace(old, new, 1))
    # A rule that ends must not be stopped, however slow the machine; one that doesn't costs this.
    report = check(f"{file}{settings}", seconds=2 if words == "endless" else 60)
    assert not report.ok
    finding = f"{report.findings[0].rule}: {report.findings[0].text}"
    assert words in finding, finding


@pytest.mark.slow
def test_the_game_itself_keeps_the_rules() -> None:
    """The others are refused for their faults: docs/add_a_game.md's own game, or this one."""
    assert check(f"{GAME}:size=4" if RUN_ALL else ROOT / "experiments/templates/rows.py").ok
