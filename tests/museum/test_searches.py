"""Crafted trees and what they show: batches of leaves, noise."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.text import replace_once
from experiments.museum.audit import examine
from experiments.museum.subject import UNSEEN, Subject
from experiments.museum.tree_game import best, ended, mirrored, parse, tree_game
from tests.command import ROOT
from tests.museum.signatures import glued

BATCHED = (ROOT / "tests/museum/right/batched_puct.py").read_text(encoding="utf-8")
GUMBEL = "engines/alphazero/textbook_gumbel.py"
NOISE = """
    import random
    while root.visits < simulations:
        for child in root.children if root.visits == BATCH else ():
            child.prior = 0.75 * child.prior + 0.25 * random.random()
"""


def test_a_tree_is_a_game() -> None:
    tree = "x(.5:+1 .2:o=.4(_ -1 x~.3) x?7)"
    nodes = parse(tree)
    assert nodes[0].priors == pytest.approx([0.5, 0.2, 0.3])
    assert [nodes[child].mover for child in nodes[0].children] == [1, 1, 0]
    assert nodes[2].children[0] == -1 and nodes[2].value == 0.4
    game = tree_game(tree)
    state = game.start().play("B", "C1")
    assert state.next_player.name == "black" and state.estimate() == pytest.approx(0.3, abs=1e-3)
    assert {len(state.legal_moves()), len(state.play("A1", "A1").legal_moves())} == {2}


def test_a_mirrored_tree_has_opposite_values() -> None:
    tree = "x(.5:+1 o=-.4(o~.2 -1) x?7)"
    one, other = parse(tree), parse(mirrored(tree))
    assert [node.value for node in one] == [-node.value for node in other]
    assert [node.mover for node in one] == [1 - node.mover for node in other]
    assert best(one, 1) == -best(other, 1) == 1


def test_an_ended_tree_tells_wins_from_small_advantages() -> None:
    """A player that knows results only sees one win in it, and no end that is as good."""
    assert ended("x(.1:+1 .5:o~.1 o~-.6 x~-.1)") == "x(.1:+1 .5:o(0 0) -1 x(0 0))"


@pytest.mark.parametrize("text", ["", "+1", "x(", "x(o)", "x(+1) 0", "x(+2)", "x(+1))"])
def test_a_wrong_tree_is_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="the tree .* is wrong at "):
        parse(text)
# The answer of a leaf is that of its place, though finished games have none.
ANSWERS = "answers = iter(evaluate(leaves))\n        for path in paths:\n"
SHIFTED = """answers = evaluate(leaves) + [({}, 0.0)] * BATCH
        for path, answer in zip(paths, answers):
            answers = iter([answer])
"""


@pytest.mark.parametrize(("before", "after", "broken"), [
    (ANSWERS, SHIFTED, "exploration"),
    ("BATCH, LOSS = 8, 1.0", "BATCH, LOSS = 8, -1.0", "values are means"),
    ("+= LOSS + (value", "+= (value", "values are means"),
    ("+= LOSS + (value", "+= -LOSS + (value", "values are means"),
    ("\n    while root.visits < simulations:\n", NOISE, "priors steer"),
    ('KIND = "puct"', 'KIND, SELF_PLAY = "puct", True', "priors steer"),
])
def test_batches_and_noise(tmp_path: Path, before: str, after: str, broken: str) -> None:
    assert broken in _broken(tmp_path, replace_once(BATCHED, before, after))


def test_candidates_are_the_likeliest_moves(tmp_path: Path) -> None:
    text = (ROOT / "tests/museum/right/gumbel_four.py").read_text(encoding="utf-8")
    path = tmp_path / "gumbel.py"
    path.write_text(replace_once(text, ", key=lambda i: -root.logits[i])[:", ")[:"))
    assert examine(Subject(str(path)), "search", "candidates").keys() == {"black", "white"}


@pytest.mark.slow
@pytest.mark.parametrize(("file", "before", "after", "broken"), [
    # The position's own value counts twice; two visits each, whatever the plan; a lost move again.
    (GUMBEL, "child.total for child in visited))) / 2", "child.total for child in visited)))",
     "improved policy"),
    (GUMBEL, "each = max(1,", "each = max(2,", "halving"),
    (GUMBEL, "visits == visits and scores[child] > LOST", "visits == visits", "value"),
    ("engines/mcts/textbook.py", "/ max(self.visits, 1)", "/ max(self.visits, 2)", "one rule"),
])
def test_parts_of_one_search(
    tmp_path: Path, file: str, before: str, after: str, broken: str
) -> None:
    right = (ROOT / file).read_text(encoding="utf-8")
    path = tmp_path / f"{tmp_path.name}.py"
    path.write_text(replace_once(right, before, after), encoding="utf-8")
    subject = Subject(str(glued(path, file)))
    assert examine(subject, subject.parts[0], broken).keys() - {UNSEEN}


def test_self_play_has_noise(tmp_path: Path) -> None:
    text = replace_once(BATCHED, "\n    while root.visits < simulations:\n", NOISE)
    assert not _broken(tmp_path, f"{text}\nSELF_PLAY = True\n")


def _broken(folder: Path, text: str) -> set[str]:
    path = folder / "batched.py"
    path.write_text(text, encoding="utf-8")
    subject = Subject(str(path))
    return {name for name in ("priors steer", "one rule", "values are means", "exploration")
            if examine(subject, "search", name).keys() - {UNSEEN}}


SOLVER = """
def minimax(state, depth, evaluate, table):
    if state.is_over():
        return state.result()
    if depth == 0:
        return evaluate(state)[1] * (1 - 2 * state.next_player.index)
    if (state, depth) not in table:
        after = [minimax(state.apply_move(move), depth and depth - 1, evaluate, table)
                 for move in state.legal_moves()]
        table[state, depth] = max(after) if state.next_player.index == 0 else min(after)
    return table[state, depth]


def solve(state, depth=None, evaluate=None):
    return minimax(state, depth, evaluate, {}) * (1 - 2 * state.next_player.index)
"""


@pytest.mark.parametrize(("before", "after", "name", "wanted"), [
    ("", "", "transpositions", None),
    ("", "", "transpositions at two depths", None),
    ("(state, depth) not in", "state not in", "transpositions at two depths", ""),
    ("else min(after)", "else max(after)", "wins and losses", "=view"),
    ("return state.result()", "return state.result() or -1", "draws", "=results"),
    ("if depth == 0:", "if depth == 1:", "estimates", "=horizon"),
    ("in state.legal_moves()", "in state.legal_moves()[:2]", "wins and losses", "=moves"),
])
def test_what_is_wrong_with_a_solver(
    tmp_path: Path, before: str, after: str, name: str, wanted: str | None
) -> None:
    text = replace_once(SOLVER, before, after) if before else SOLVER
    if before.startswith("(state, depth)"):
        text = text.replace("[state, depth]", "[state]")
    (tmp_path / "solver.py").write_text(text)
    tags = [*examine(Subject(str(tmp_path / "solver.py")), "solve", name)]
    assert tags == [] if wanted is None else tags[0].startswith(wanted)


BOUNDS = """
def negamax(state, depth, alpha, beta, evaluate, table):
    sign = 1 - 2 * state.next_player.index
    if state.is_over():
        return sign * state.result()
    if depth == 0:
        return evaluate(state)[1]
    low, high = table.get((state, depth), (-9, 9))
    if low >= beta or high <= alpha or low == high:
        return low if low > -9 else high
    best = -9
    for move in state.legal_moves():
        after = state.apply_move(move)
        same = after.next_player is state.next_player
        window = (max(alpha, best), beta) if same else (-beta, -max(alpha, best))
        value = negamax(after, depth and depth - 1, *window, evaluate, table)
        best = max(best, value if same else -value)
        if best >= beta:
            break
    table[state, depth] = best if best > alpha else -9, best if best < beta else 9
    return best


def solve(state, depth=None, evaluate=None):
    return negamax(state, depth, -9, 9, evaluate, {})
"""


@pytest.mark.parametrize("kept", ["", "best, best"])
def test_a_table_keeps_bounds(tmp_path: Path, kept: str) -> None:
    """A value after a cut-off is a bound, which matters where a position is reached again."""
    right = "best if best > alpha else -9, best if best < beta else 9"
    (tmp_path / "solver.py").write_text(replace_once(BOUNDS, right, kept or right))
    subject = Subject(str(tmp_path / "solver.py"))
    assert not examine(subject, "solve", "estimates")
    assert bool(examine(subject, "solve", "transpositions")) is bool(kept)


UCT = (ROOT / "tests/museum/right/black_points_arrays.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(("before", "after", "name", "tag", "text"), [
    ("leaf = states[node]\n", "leaf = states[max(parent[node], 0)]\n", "visits", "black, leaf",
     "but 15 times about the one before"),
    pytest.param("+ C *", "+ (1 - 2 * states[node].next_player.index) * C *", "one rule",
                 "=selection", "the bonus is subtracted where white chooses",
                 marks=pytest.mark.slow),
    pytest.param("evaluate(leaf)[1]", "max(evaluate(leaf)[1], 0)", "one rule",
                 "=mean", "values below 0 count as 0", marks=pytest.mark.slow),
])
def test_a_search_is_told_what_it_does(
    tmp_path: Path, before: str, after: str, name: str, tag: str, text: str
) -> None:
    path = tmp_path / "uct.py"
    path.write_text(replace_once(UCT, before, after), encoding="utf-8")
    assert text in examine(Subject(str(path)), "search", name)[tag]
