"""Solvers: small trees show what is wrong, and plain minimax is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.museum import subject as subjects
from experiments.museum.audit import examine
from experiments.museum.subject import Subject

MINIMAX = """
def solve(state, depth=None, evaluate=None):
    sign = 1 - 2 * state.next_player.index
    if state.is_over():
        return sign * state.result()
    if depth == 0:
        return evaluate(state)[1]
    values = []
    for move in state.legal_moves():
        after = state.apply_move(move)
        value = solve(after, None if depth is None else depth - 1, evaluate)
        values.append(value if after.next_player is state.next_player else -value)
    return max(values)
"""


def findings(folder: Path, text: str, name: str = "estimates") -> dict[str, str]:
    path = folder / "solver.py"
    path.write_text(text)
    return examine(Subject(str(path)), "solve", name)


def test_minimax_looks_at_all_leaves(tmp_path: Path) -> None:
    """That is a fault of a file only if it says that it cuts off."""
    assert not findings(tmp_path, MINIMAX)
    text = MINIMAX.replace("solve(state,", "alphabeta(state,").replace("= solve(", "= alphabeta(")
    assert findings(tmp_path, f"{text}\n\nsolve = alphabeta\n").keys() == {"cut-offs"}


@pytest.mark.parametrize(("before", "after", "name", "lines"), [
    ("value if after.next_player is state.next_player else -value", "-value", "solved double moves",
     ["black to move, worth +1", "  A black to move, worth +1", "      A black wins"]),
    ("return evaluate(state)[1]", "return -evaluate(state)[1]", "estimates",
     ["white to move, worth -0.7", "  A black to move, estimate -0.7"]),
    ("max(values)", "values[-1]", "wins and losses",
     ["black to move, worth +1", "  A black wins", "  B white wins"]),
])
def test_a_small_tree_shows_a_fault(
    tmp_path: Path, before: str, after: str, name: str, lines: list[str]
) -> None:
    text = next(iter(findings(tmp_path, MINIMAX.replace(before, after), name).values()))
    assert "should be" in text and text.count("\n") == len(lines)
    assert [line.removeprefix(6 * " ") for line in text.split("\n")[1:]] == lines


def test_the_order_of_moves_shows_wrong_bounds(tmp_path: Path) -> None:
    """A cut-off at the wrong bound depends on it, and no other model explains it."""
    text = MINIMAX.replace("    values = []", "    values = [-2]").replace(
        "        after =", "        if max(values) >= 0:\n            break\n        after =")
    assert "=window" in findings(tmp_path, text, "draws")


PLAYER = """
def value(state, me):
    if state.is_over():
        return (1 - 2 * me.index) * state.result()
    values = [value(state.apply_move(move), me) for move in state.legal_moves()]
    return max(values) if state.next_player is me else min(values)


class Perfect:
    def select_move(self, state):
        me = state.next_player
        return max(state.legal_moves(), key=lambda move: value(state.apply_move(move), me))
"""


@pytest.mark.parametrize(("before", "after", "tags"), [
    ("min(values)", "sum(values) / len(values)", {"=view", "it lets the opponent win at once"}),
    ("me = state.next_player",
     "me = self.me = getattr(self, 'me', state.next_player)",
     {"it does not play a best move if it was asked about one of the opponent's before"}),
    ("  return max(s", "  if value(state, me) < 0:\n            return None\n        return max(s",
     {"it names no legal move"}),
    ("max(state", "min(state", {"it plays a move that loses at once"}),
    ("me = ", "return state.legal_moves()[0]\n        me = ", {"=choice"}),
    ("", "", set()),
])
def test_a_player_is_wrong_in_a_small_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, tags: set[str]
) -> None:
    monkeypatch.setattr(subjects, "_ANSWER_SECONDS", 0.2)
    path = tmp_path / "player.py"
    path.write_text(PLAYER.replace(before, after))
    found = examine(Subject(str(path)), "select_move", "perfect play")
    assert found.keys() >= tags and bool(found) == bool(tags)
    assert all(len(text.split("\n")) < 7 for text in found.values())
