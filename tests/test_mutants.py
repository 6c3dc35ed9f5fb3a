"""Faults in a game's file that no rule of the kit is about: `dlgo check` finds and names them."""

from __future__ import annotations

import re
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
                        "n * n * start + end):\n            copy_into(state, state)",
                        "has not ended"),
    "truth values added": ("    return total * (1 - 2 * state.words[TURN])",
                           "    return (total + ((SIDES[0] == SIDES[0]) + (SIDES[1] == SIDES[1]))) "
                           "* (1 - 2 * state.words[TURN])", "between plain Python and compiled"),
}
# In games of other kinds, whose authors give no examples.
OTHERS = {
    "a rollout that goes on from a random pit": (
        "kalah", "        if state.words[house(action)] > 0:\n            play(state, action)\n",
        "        while state.words[house(action)] == 0:\n"
        "            action = 6 * state.words[TURN] + (action + 1) % 6\n"
        "        play(state, action)\n",
        r"rollout choices: \S+% of rollouts begin with .* one of \d search_actions"),
    "a player without moves": (
        "kalah", "side(state, 0) == 0 or side(state, 1) == 0", "side(state, 0) == 0",
        "legality: legal_actions lists nothing, but the game is not over"),
    "rare players without moves": (
        "dash", "    if n == 0:\n        out[0] = PASS\n        n = 1\n",
        "    if n == 1:\n        n = 0\n",
        "legality: legal_actions lists nothing, but the game is not over"),
    "a captured man of the wrong colour in the key": (
        "dash", "MEN[state.board[cell], cell]", "MEN[state.words[TURN], cell]",
        r"keys: an equal position, reached by other moves, has another key .*after( \S+){4,6}\)"),
    "a rollout that prefers the first of the list": (
        "dash", "index = below(rng, n)\n", "index = min(below(rng, n), below(rng, n))\n",
        r"rollout choices: .*Dash, (at the start|after \S+( \S+)?)\)"),
    "a hidden row": (
        "dash", '(f"{super().render(state)}\\n', '(f"{super().render(state)[11:]}\\n',
        "render: looks the same (before|after)"),
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


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS if RUN_ALL else list(OTHERS)[3:4])
def test_the_check_needs_no_examples(name: str, tmp_path: Path) -> None:
    game, old, new, words = OTHERS[name]
    must_find(FOLDER / f"{game}.py", (old, new, words), tmp_path)


@pytest.mark.parametrize("game", ["kalah", "dash"])
@pytest.mark.slow
def test_boards_of_numbers_and_captures_are_right(game: str) -> None:
    report = check(FOLDER / f"{game}.py")
    assert report.ok, report


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
    report = check(f"{file}{settings}", seconds=2 if words == "has not ended" else 60)
    assert not report.ok
    finding = f"{report.findings[0].rule}: {report.findings[0].text}"
    assert re.search(words, finding, re.DOTALL), finding


@pytest.mark.slow
def test_the_game_itself_keeps_the_rules() -> None:
    """The others are refused for their faults: docs/add_a_game.md's own game, or this one."""
    assert check(f"{GAME}:size=4" if RUN_ALL else ROOT / "experiments/templates/rows.py").ok
