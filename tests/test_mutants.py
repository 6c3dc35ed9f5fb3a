"""Faults in a game of one's own: `dlgo check` finds and names nearly all of them.

    pytest --run-all tests/test_mutants.py -s
"""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.check import check
from tests.command import ROOT
from tests.conftest import RUN_ALL

FOLDER = Path(__file__).with_name("own_games")
GAME = FOLDER / "knightthrough.py"
# What is replaced, by what, and the words of which at least one must be in the finding.
MUTANTS = {
    "index beyond the board": ("    state.board[start] = -1\n",
                               "    state.board[start + 99] = -1\n", "IndexError"),
    "one cell too many": ("for cell in range(n * n):\n        state.board[cell] = 0",
                          "for cell in range(n * n + 1):\n        state.board[cell] = 0",
                          "IndexError"),
    "too few actions": ("self.board_rows**4", "self.board_rows**2", "IndexError|num_actions|0.."),
    "state too small": ("np.zeros(n * n, np.int8)", "np.zeros(n * n - 1, np.int8)", "IndexError"),
    "misspelt name": ("me = action // (n * n), action % (n * n), words[TURN]",
                      "me = action // (n * n), action % (n * n), word[TURN]", "NameError"),
    "no return": ("    return 1 - 2 * state.words[WINNER]", "    1 - 2 * state.words[WINNER]",
                  "returns nothing"),
    "endless rollout": ("n * n * start + end):\n            play(state, n * n * start + end)",
                        "n * n * start + end):\n            copy_into(state, state)", "endless"),
    "knights that go back": ("up * (1 - 2 * me) < 1", "up * (1 - 2 * me) > -1", "legality"),
    "the turn stays": ("    words[TURN] = 1 - me\n", "    words[TURN] = me\n",
                       "legality|turn|result"),
    "player 2 begins": ("words[TURN] = words[KEY] = 0", "words[KEY] = 0\n    words[TURN] = 1",
                        "turn|result"),
    "a turn that is no player": ("words[TURN] = 1 - me\n", "words[TURN] = 2 - me\n",
                                 "turn|legality|IndexError"),
    "board not copied": ("        target.board[i] = source.board[i]\n", "        pass\n", "copies"),
    "a word not copied": ("for i in range(6):", "for i in range(5):", "copies"),
    "last cell not copied": ("range(source.board.shape[0])", "range(source.board.shape[0] - 1)",
                             "copies"),
    "a new state that is not reset": ("        reset(state)\n        return state",
                                      "        return state", "reset: new_kernel_state"),
    "winner not reset": ("    words[WINNER] = -1\n", "", "reset|end|legality|turn|result"),
    "men left not reset": ("    words[LEFT_0] = words[LEFT_1] = 2 * n\n", "", "reset|result"),
    "key without captures": ("        words[KEY] ^= MEN[1 - me, end]\n", "", "keys"),
    "key without moves": ("    words[KEY] ^= MEN[me, start] ^ MEN[me, end]\n", "", "keys"),
    "key without the turn": (" ^ SIDES[state.words[TURN]]", "", "keys"),
    "key of the cell alone": ("MEN[me, start] ^ MEN[me, end]", "MEN[0, start] ^ MEN[0, end]",
                              "keys"),
    "list and question differ": ("start + 2 * n + 2)", "start + 2 * n + 1)",
                                 "rollout|legality|result"),
    "an action listed twice": ("                    count += 1\n",
                               "                    count += 1 + (end == 5)\n",
                               "legality|IndexError|moves"),
    "missing symmetry": ("symmetry_names = (\"identity\", \"mirror\")",
                         "symmetry_names = (\"identity\", \"flip\")", "images"),
    "wrong winner": ("return 1 - 2 * state.words[WINNER]", "return 2 * state.words[WINNER] - 1",
                     "result"),
    "result for the mover": ("return 1 - 2 * state.words[WINNER]",
                             "return 1 - 2 * state.words[TURN]", "result"),
    "result of 2": ("return 1 - 2 * state.words[WINNER]", "return 2 - 4 * state.words[WINNER]",
                    "result|rollout"),
    "evaluate for player 0": ("    return total * (1 - 2 * state.words[TURN])", "    return total",
                              "evaluate"),
    "truth values added": ("    return total * (1 - 2 * state.words[TURN])",
                           "    return (total + ((SIDES[0] == SIDES[0]) + (SIDES[1] == SIDES[1]))) "
                           "* (1 - 2 * state.words[TURN])", "between plain Python and compiled"),
    "colours exchanged": ("    return state.board[cell]\n",
                          "    return state.board[cell] if state.board[cell] < 0 else "
                          "1 - state.board[cell]\n", "colours|pieces|render"),
    "rows and columns exchanged": ("Point(cell // n + 1, cell % n + 1)",
                                   "Point(cell % n + 1, cell // n + 1)", "moves|result"),
}
# Random games hardly meet two positions of Amazons that differ by an arrow alone.
KEY_WITHOUT_ARROWS = ("    put(state, arrow, ARROW)\n", "    state.board[arrow] = ARROW\n",
                      "keys: a different position has the same key")
# The check does not see these.
UNSEEN = {
    "key without the turn": "the pieces nearly always tell whose turn it is",
    "evaluate for player 0": "random games hardly go by this estimate",
}
QUICK = ("no return", "key without captures", "wrong winner", "endless rollout")


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=UNSEEN[name]))
    if name in UNSEEN else name for name in (MUTANTS if RUN_ALL else QUICK)
])
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
    print(report)
    assert not report.ok
    finding = f"{report.findings[0].rule}: {report.findings[0].text}"
    assert any(word in finding for word in words.split("|")), finding


@pytest.mark.slow
def test_the_game_itself_keeps_the_rules() -> None:
    """The others are refused for their faults: docs/add_a_game.md's own game, or this one."""
    assert check(f"{GAME}:size=4" if RUN_ALL else ROOT / "experiments/templates/rows.py").ok
